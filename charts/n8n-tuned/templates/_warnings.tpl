{{/* What is allowed but should be known; NOTES shows it. One line each. */}}
{{- define "n8n-tuned.warnings" -}}
{{- $values := .Values -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $facts := .n8nTunedVersions.supported -}}
{{- $components := .n8nTunedComponents -}}
{{- if semverCompare (printf ">=%s-0" $facts.testedBelow) $version }}
- This chart has not been tested with n8n {{ $version }}: check the release notes for changed settings.
{{- end }}
{{- $places := dict "env" ($values.env | default dict) -}}
{{- range $components -}}{{- $_ := set $places (printf "%s.env" .at) (.settings.env | default dict) -}}{{- end -}}
{{- range $name, $range := .n8nTunedVersions.variables -}}
{{- range $at, $given := $places -}}
{{- if and (hasKey $given $name) (not (semverCompare $range $version)) }}
- {{ $at }}.{{ $name }}: n8n {{ $version }} does not read this variable, which exists only in n8n {{ $range | replace "-0" "" }}: remove the variable.
{{- end }}
{{- end -}}
{{- end }}
{{- range .n8nTunedVersions.published }}
{{- if semverCompare .n8n $version }}
- n8n {{ $version }}: {{ .source }} lists these changes, which have not been tested with this chart:
{{- range .says }}
- {{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- if and (semverCompare "<1.0.0-0" $version) (eq $values.executions.process "own") }}
- executions.process=own starts a Node.js process with its own heap for every execution. Throughput is low, and several executions together can exceed the memory limit of the pod: set executions.process=main, unless executions need separate processes.
{{- end }}
{{- if and (not (include "n8n-tuned.isQueue" .)) (not $values.persistence.enabled) }}
- persistence.enabled=false: all files in n8n's folder{{ ternary ", including the SQLite database," "" (eq $values.database.type "sqlite") }} are lost when the pod is deleted: set persistence.enabled=true to keep them.
{{- end }}
{{- if and (include "n8n-tuned.ownDatabase" .) (not $values.database.own.backup.enabled) }}
- The built-in PostgreSQL is a single pod without backups, which is only suitable for trials: set database.own.backup.enabled=true, or use database.external.
{{- end }}
{{- $postgresql := .n8nTunedVersions.postgresql }}
{{- $major := regexFind "^[0-9]+" (toString $values.database.own.image.tag) }}
{{- if and (include "n8n-tuned.ownDatabase" .) $major (semverCompare $postgresql.n8n $version) (lt (int $major) (int $postgresql.supportedFrom)) }}
- n8n {{ $version }} supports PostgreSQL {{ $postgresql.supportedFrom }} and newer, but database.own.image.tag is {{ $values.database.own.image.tag }}: move the data to {{ $postgresql.supportedFrom }} or newer (docs/chart/postgresql.md).
{{- end }}
{{- if and (include "n8n-tuned.ownRedis" .) (not $values.redis.own.persistence.enabled) }}
- redis.own.persistence.enabled=false: waiting jobs are lost when the Redis pod restarts: set redis.own.persistence.enabled=true to keep them.
{{- end }}
{{- if $values.encryptionKey.value }}
- The encryption key is in the release's values: move it to a Secret and set encryptionKey.existingSecret.
{{- end }}
{{- if and (include "n8n-tuned.isQueue" .) (not (include "n8n-tuned.publicUrl" .)) }}
- No public address is known: links in forms and Wait nodes use addresses inside the cluster. Set publicUrl, ingress or httpRoute.
{{- end }}
{{- if contains "unknown" (include "n8n-tuned.ingressControllers" .) }}
- ingress.controller: the name of the Ingress class does not show which controller serves it. The chart therefore sets no timeout, and the controller's own timeout applies: set ingress.controller or, for a controller that this value does not support, ingress.annotations.
{{- end }}
{{- $direct := list }}
{{- range $at, $service := dict "service" $values.service "webhook.service" $values.webhook.service }}
{{- if ne $service.type "ClusterIP" }}{{ $direct = append $direct (printf "%s.type=%s" $at $service.type) }}{{ end }}
{{- end }}
{{- if and $direct $values.monitoring.enabled (not $values.monitoring.public) }}
- {{ join " and " $direct }}: anyone who can reach this Service without a proxy can read /metrics. Restrict access with loadBalancerSourceRanges or networkPolicy.from.
{{- end }}
{{- $monitoring := $values.monitoring }}
{{- if and (or $monitoring.prometheusRule.enabled $monitoring.dashboard.enabled) (not (or $monitoring.podMonitor.enabled $monitoring.serviceMonitor.enabled)) }}
- monitoring: alerts and dashboards use labels from the chart's monitors, but no monitor is enabled: set monitoring.podMonitor.enabled=true, or add the labels namespace, release and role in your own scrape configuration (docs/monitoring.md).
{{- end }}
{{- $tooNew := include "n8n-tuned.alertsOfNewerN8n" . }}
{{- if and $tooNew $monitoring.prometheusRule.enabled $monitoring.prometheusRule.bundled }}
- monitoring: n8n {{ $version }} does not have the metrics of these alerts, so the chart leaves out the alerts (in parentheses: the first n8n version with the metrics): {{ $tooNew }}. Dashboard panels for these metrics are empty.
{{- end }}
{{- $main := first $components }}
{{- if and $values.multiMain.enabled (not (or $values.license.existingSecret (include "n8n-tuned.givenAs" (dict "context" . "component" $main "name" "N8N_LICENSE_ACTIVATION_KEY")) (include "n8n-tuned.givenAs" (dict "context" . "component" $main "name" "N8N_LICENSE_CERT")) (include "n8n-tuned.envFrom" (dict "context" . "component" $main)))) }}
- multiMain requires an n8n Enterprise licence: set license.existingSecret.
{{- end }}
{{- if and $values.multiMain.enabled (eq (include "n8n-tuned.maxReplicas" $main | int) 1) }}
- multiMain.enabled with one main: no other main can take over if it fails. Set main.replicas to 2 or more.
{{- end }}
{{- if and (include "n8n-tuned.isQueue" .) (not (include "n8n-tuned.hasWebhookProcessors" .)) (contains "Recreate" (include "n8n-tuned.strategy" (dict "context" . "component" $main))) }}
- When main's pod is replaced, the old pod stops before the new pod starts, so that no schedule runs twice. Until the new pod is ready, n8n does not respond to webhooks: set webhook.enabled=true, or executions.durableSchedules=true if no workflow polls.
{{- end }}
{{- range .n8nTunedEnvironment.variables }}
{{- if and (eq .name "N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED") (include "n8n-tuned.isQueue" $) (not (semverCompare .n8n $version)) }}
- n8n {{ $version }} deletes finished jobs immediately. Occasionally, a caller gets no response although the workflow ran, and the process that waits for this job stops only at its shutdown limit: use an n8n version that supports N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED ({{ .n8n | trimSuffix "-0" }}).
{{- end }}
{{- end }}
{{- range $components }}
{{- $seconds := include "n8n-tuned.shutdownSeconds" (dict "context" $ "component" .) | int }}
{{- if lt $seconds (int $values.executions.maxResponseSeconds) }}
- {{ .at }} stops within {{ $seconds }} s, but a caller can wait {{ int $values.executions.maxResponseSeconds }} s (executions.maxResponseSeconds): in a rollout, callers that wait longer than {{ $seconds }} s lose their response. Raise shutdown.timeoutSeconds, or lower executions.maxResponseSeconds.
{{- end }}
{{- end }}
{{- if and $values.multiMain.enabled $values.httpRoute.enabled (not (include "n8n-tuned.isGkeRoute" .)) }}
- An HTTPRoute does not keep a user on one main, which the editor requires: configure session persistence for main's Service with a policy of your Gateway.
{{- end }}
{{- include "n8n-tuned.recoveryWarnings" . }}
{{- if and (eq $values.database.type "postgresql") }}
{{- $connections := 0 }}
{{- range $components }}
{{- $connections = add $connections (mul (include "n8n-tuned.maxReplicas" . | int) (int .named.databasePool)) }}
{{- end }}
{{- $allowed := ternary $values.database.own.maxConnections $values.database.external.maxConnections (eq "true" (include "n8n-tuned.ownDatabase" .)) | int }}
{{- if gt (int $connections) $allowed }}
- At its maximum size, n8n opens {{ $connections }} database connections, but the server allows only {{ $allowed }}: raise its max_connections, lower database.poolSize, or use a pooler.
{{- end }}
{{- end }}
{{- $hidden := false }}
{{- $poolers := list }}
{{- range $components }}
{{- $known := merge (dict "named" (omit .named "mayLoseSession")) (omit . "named") }}
{{- $patches := (include "n8n-tuned.rows" (dict "context" $ "component" $known "rows" $.n8nTunedEnvironment.patches) | fromJson).items }}
{{- $isOff := false }}
{{- range $patches }}{{ if eq .name "session-once.cjs" }}{{ $isOff = true }}{{ end }}{{ end }}
{{- if and $isOff .named.mayLoseSession }}
{{- $pooler := include "n8n-tuned.possiblePooler" (dict "context" $ "component" .) }}
{{- if eq $pooler "unknown" }}{{ $hidden = true }}{{ else }}{{ $poolers = append $poolers $pooler }}{{ end }}
{{- end }}
{{- end }}
{{- if $hidden }}
- database.external.pooling: a Secret or file contains the address of PostgreSQL, so a pooler in transaction mode is possible, and the patch session-once is off. To turn it on, set this value to session, or to none if there is no pooler.
{{- end }}
{{- range uniq $poolers }}
- database.external.pooling: {{ . }} may be a pooler in transaction mode, so the patch session-once is off. To turn it on, set this value to session, or to none if there is no pooler.
{{- end }}
{{- $counting := list }}
{{- range $components }}
{{- if and (eq (include "n8n-tuned.autoscaler" .) "keda") (not .settings.dedicatedQueue) }}{{ $counting = append $counting .at }}{{ end }}
{{- end }}
{{- if gt (len $counting) 1 }}
- KEDA counts all jobs in the shared queue for each of {{ join " and " $counting }}, so it creates too many workers: set keda.enabled for only one of them, or set dedicatedQueue for the pools.
{{- end }}
{{- range $components }}
{{- $asked := dict "context" $ "component" . }}
{{- if not (include "n8n-tuned.memoryLimit" .) }}
- {{ .at }} has no memory limit: V8 chooses the heap size, and a Code node can use any amount of memory: set {{ .at }}.resources.limits.memory.
{{- else if and (include "n8n-tuned.heap" $asked) (eq "chosen by V8" (include "n8n-tuned.oldSpaceInForce" $asked)) }}
- {{ .at }}: your NODE_OPTIONS replace the chart's options, including the heap size, which V8 then chooses: add --max-old-space-size={{ (include "n8n-tuned.heap" $asked | fromYaml).oldSpaceMiB | int64 }}, or set your options in heap.nodeOptions instead.
{{- end }}
{{- $options := get $asked.component.ownEnv "NODE_OPTIONS" }}
{{- range .preloads }}
{{- if and $options (kindIs "string" $options) (not (contains . $options)) }}
- {{ $asked.component.at }}: your NODE_OPTIONS replace the chart's options, including the script {{ . }}, which n8n then does not load: add --require={{ include "n8n-tuned.preloadFolder" $ }}/{{ . }}, or set your options in heap.nodeOptions instead.
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The old space that n8n gets, for NOTES: the user's NODE_OPTIONS replace the chart's. Dict: context, component. */}}
{{- define "n8n-tuned.oldSpaceInForce" -}}
{{- $own := .component.ownEnv -}}
{{- $options := hasKey $own "NODE_OPTIONS" | ternary (get $own "NODE_OPTIONS") (include "n8n-tuned.nodeOptions" .) -}}
{{- $flags := regexFindAll "--max[-_]old[-_]space[-_]size[= ]+[0-9]+" (toString $options) -1 -}}
{{- if kindIs "map" $options -}}set by NODE_OPTIONS
{{- else if $flags -}}{{ last $flags | regexFind "[0-9]+$" }}
{{- else -}}chosen by V8
{{- end -}}
{{- end -}}
