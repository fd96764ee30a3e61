{{/* Probes, shutdown and update strategy: what makes a rollout, a drain and a scale-in lose nothing. */}}

{{/*
Seconds n8n gives its running executions after SIGTERM. A caller that still waits for an answer at the end of them loses the answer,
so where the user sets nothing they are as long as a caller may wait: at least 30, as n8n has it, and 300 on a worker, which
also runs what nobody waits for. Dict: context, component.
*/}}
{{- define "n8n-tuned.shutdownSeconds" -}}
{{- $isWorker := eq .component.role "worker" -}}
{{- $longest := max (ternary 300 30 $isWorker) (int .context.Values.executions.maxResponseSeconds) -}}
{{- $setting := .component.settings.shutdown.timeoutSeconds | default $longest | int -}}
{{- $seconds := include "n8n-tuned.userNumber" (merge (dict "name" "N8N_GRACEFUL_SHUTDOWN_TIMEOUT" "default" $setting) .) -}}
{{- if $isWorker -}}
{{- /* A worker goes by the old name where it is given. */ -}}
{{- $seconds = include "n8n-tuned.userNumber" (merge (dict "name" "QUEUE_WORKER_TIMEOUT" "default" $seconds) .) -}}
{{- end -}}
{{- $seconds -}}
{{- end -}}

{{/*
Seconds for endpoints and ingress controllers to forget the pod before n8n stops listening. None where the old pod must end
before the next one starts: nobody else answers meanwhile, so they would only lengthen the gap. None for a worker, which gets
no requests. Dict: context, component.
*/}}
{{- define "n8n-tuned.preStopSeconds" -}}
{{- $setting := .component.settings.shutdown.preStopSeconds -}}
{{- $controllers := include "n8n-tuned.ingressControllers" .context -}}
{{- /* A load balancer outside the cluster takes longer to forget a pod. */ -}}
{{- $default := ternary 20 5 (or (regexMatch "alb|gce" $controllers) (eq "true" (include "n8n-tuned.isGkeRoute" .context))) -}}
{{- if contains "Recreate" (include "n8n-tuned.strategy" .) -}}0
{{- else if not (kindIs "invalid" $setting) -}}{{ int $setting }}
{{- else -}}{{ ternary 0 $default (eq .component.role "worker") }}
{{- end -}}
{{- end -}}

{{/*
Seconds between SIGTERM's announcement and SIGKILL: the preStop pause, n8n's own limit, and 15 s on top, because a
busy n8n still closes what is open after its own limit. Dict: context, component.
*/}}
{{- define "n8n-tuned.graceSeconds" -}}
{{- if .component.settings.terminationGracePeriodSeconds -}}
{{- int .component.settings.terminationGracePeriodSeconds -}}
{{- else -}}
{{- add (include "n8n-tuned.preStopSeconds" . | int) (include "n8n-tuned.shutdownSeconds" . | int) 15 -}}
{{- end -}}
{{- end -}}

{{/*
A probe. Readiness looks at the database (and at Redis on a worker); liveness never does, or an outage of the database would
restart every pod. The startup probe allows for migrations. Dict: probe (the user's), path.
*/}}
{{- define "n8n-tuned.probe" -}}
{{- $probe := .probe -}}
{{- $own := omit $probe "enabled" -}}
{{- if not (or $own.httpGet $own.tcpSocket $own.exec $own.grpc) -}}
{{- $own = merge (dict "httpGet" (dict "path" .path "port" "http")) $own -}}
{{- end -}}
{{- toYaml $own -}}
{{- end -}}

{{/*
Whether the answers of the pod's last seconds close their connections: where callers connect to it, and preStop gives them
the time. Dict: context, component.
*/}}
{{- define "n8n-tuned.closesConnections" -}}
{{- $settings := .component.settings -}}
{{- if and (ne .component.role "worker") (empty $settings.lifecycle) $settings.shutdown.closeConnections (gt (include "n8n-tuned.preStopSeconds" . | int) 0) -}}true{{- end -}}
{{- end -}}

{{/* How long a connection without requests is kept; empty where Node.js decides, or nobody calls. Dict: context, component. */}}
{{- define "n8n-tuned.keepAliveSeconds" -}}
{{- if ne .component.role "worker" -}}
{{- with .component.settings.keepAliveSeconds -}}{{ int . }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* After how long a worker that takes no job ends itself; empty where it does not. Dict: context, component. */}}
{{- define "n8n-tuned.guardSeconds" -}}
{{- if eq .component.role "worker" -}}
{{- with .component.settings.guardSeconds -}}{{ int . }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Dict: context, component. */}}
{{- define "n8n-tuned.lifecycle" -}}
{{- $seconds := include "n8n-tuned.preStopSeconds" . | int -}}
{{- if .component.settings.lifecycle -}}
{{- toYaml .component.settings.lifecycle -}}
{{- else if gt $seconds 0 -}}
preStop:
  exec:
    {{- if include "n8n-tuned.closesConnections" . }}
    command: [sh, -c, 'touch /tmp/n8n-tuned-stopping; sleep {{ $seconds }}']
    {{- else }}
    command: [sleep, {{ $seconds | quote }}]
    {{- end }}
{{- end -}}
{{- end -}}

{{/* Whether a component mounts the claim. Dict: context, component. */}}
{{- define "n8n-tuned.usesClaim" -}}
{{- $values := .context.Values -}}
{{- if $values.persistence.enabled -}}
{{- if not (include "n8n-tuned.isQueue" .context) -}}
{{- if eq .component.role "main" -}}true{{- end -}}
{{- else if eq (first .context.n8nTunedComponents).named.binaryDataMode "filesystem" -}}true
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.isSharedClaim" -}}
{{- if has "ReadWriteMany" .Values.persistence.accessModes -}}true{{- end -}}
{{- end -}}

{{/*
SQLite, which serves one process only, and a volume that only one node can mount force the old pod out first. So do
schedules that a lone main keeps in its memory. Dict: context, component.
*/}}
{{- define "n8n-tuned.strategy" -}}
{{- $values := .context.Values -}}
{{- $firesTwice := and (eq .component.role "main") (not $values.multiMain.enabled) (not $values.executions.durableSchedules) -}}
{{- if .component.settings.strategy -}}
{{- toYaml .component.settings.strategy -}}
{{- else if or (eq $values.database.type "sqlite") (and (include "n8n-tuned.usesClaim" .) (not (include "n8n-tuned.isSharedClaim" .context))) $firesTwice -}}
type: Recreate
{{- else -}}
type: RollingUpdate
rollingUpdate:
  maxSurge: 1
  maxUnavailable: 0
{{- end -}}
{{- end -}}
