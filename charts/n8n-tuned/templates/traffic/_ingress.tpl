{{/*
An Ingress. Dict: context, name (suffix), settings (className, tls, annotations), hosts, routes (by host, lists of path and
service), component.
*/}}
{{- define "n8n-tuned.ingress" -}}
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {{- $annotations := mergeOverwrite (include "n8n-tuned.ingressAnnotations" . | fromYaml) (deepCopy (.settings.annotations | default dict)) }}
  {{- include "n8n-tuned.metadata" (dict "context" .context "component" .component "name" .name "annotations" $annotations) | nindent 2 }}
spec:
  {{- with .settings.className | default .context.Values.ingress.className }}
  ingressClassName: {{ . | quote }}
  {{- end }}
  {{- with .settings.tls }}
  tls:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  rules:
    {{- range $host := .hosts }}
    - host: {{ $host | quote }}
      http:
        paths:
          {{- range get $.routes $host }}
          - path: {{ .path | quote }}
            pathType: Prefix
            backend:
              service:
                name: {{ .service | quote }}
                port:
                  name: http
          {{- end }}
    {{- end }}
{{- end -}}

{{/* The controller that serves an Ingress: by its value, else by the name of its class; empty where it is not known. Dict: context, settings. */}}
{{- define "n8n-tuned.ingressController" -}}
{{- $ofAll := .context.Values.ingress -}}
{{- $class := .settings.className | default $ofAll.className -}}
{{- $ofClass := regexFind "^(nginx|haproxy|traefik|alb|gce|openshift)" $class -}}
{{- $given := .settings.controller | default "" -}}
{{- if and (not $given) (not $ofClass) -}}{{- $given = $ofAll.controller -}}{{- end -}}
{{- $given | default $ofClass -}}
{{- end -}}

{{/* The controllers of the Ingresses that are rendered, as words; "unknown" where the class says nothing. Context: root. */}}
{{- define "n8n-tuned.ingressControllers" -}}
{{- range list .Values.ingress .Values.ingress.webhook -}}
{{- if .enabled }} {{ include "n8n-tuned.ingressController" (dict "context" $ "settings" .) | default "unknown" }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether GKE's Gateways serve a route of this release: they refuse one with time limits. */}}
{{- define "n8n-tuned.isGkeRoute" -}}
{{- $route := .Values.httpRoute -}}
{{- if and (eq "gke" ($route.controller | default "")) (or $route.enabled $route.webhook.enabled) -}}true{{- end -}}
{{- end -}}

{{/* What a controller needs: timeouts, the size of bodies, and with several mains one of them for a user. */}}
{{- define "n8n-tuned.ingressAnnotations" -}}
{{- $timeout := include "n8n-tuned.proxyTimeoutSeconds" .context -}}
{{- /* One limit for all paths: the largest of what n8n takes in either role behind them, forms with files included. */ -}}
{{- $bodyMiB := 0 -}}
{{- range $component := .context.n8nTunedComponents -}}
{{- if ne $component.role "worker" -}}
{{- range $name, $default := dict "N8N_PAYLOAD_SIZE_MAX" 16 "N8N_FORMDATA_FILE_SIZE_MAX" 200 -}}
{{- $bodyMiB = max $bodyMiB (include "n8n-tuned.userNumber" (dict "context" $.context "component" $component "name" $name "default" $default) | int) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $sticks := and .context.Values.multiMain.enabled (eq .component "main") -}}
{{- $controller := include "n8n-tuned.ingressController" . -}}
{{- $annotations := dict -}}
{{- if eq $controller "nginx" -}}
{{- $annotations = dict
  "nginx.ingress.kubernetes.io/proxy-read-timeout" $timeout
  "nginx.ingress.kubernetes.io/proxy-send-timeout" $timeout
  "nginx.ingress.kubernetes.io/proxy-body-size" (printf "%dm" $bodyMiB) -}}
{{- if $sticks -}}
{{- $annotations = merge $annotations (dict "nginx.ingress.kubernetes.io/affinity" "cookie" "nginx.ingress.kubernetes.io/session-cookie-name" "n8n-main") -}}
{{- end -}}
{{- else if eq $controller "haproxy" -}}
{{- $annotations = dict "haproxy.org/timeout-server" (printf "%ss" $timeout) -}}
{{- if $sticks -}}{{- $_ := set $annotations "haproxy.org/cookie-persistence" "n8n-main" -}}{{- end -}}
{{- else if eq $controller "openshift" -}}
{{- /* It sends a user to the same pod by itself. */ -}}
{{- $annotations = dict "haproxy.router.openshift.io/timeout" (printf "%ss" $timeout) -}}
{{- else if eq $controller "alb" -}}
{{- /* A pod that is going stays a target until what it has begun is over. */ -}}
{{- $group := printf "deregistration_delay.timeout_seconds=%s" (min 3600 (int $timeout) | toString) -}}
{{- if $sticks -}}{{- $group = printf "%s,stickiness.enabled=true,stickiness.type=lb_cookie" $group -}}{{- end -}}
{{- $annotations = dict
  "alb.ingress.kubernetes.io/target-type" "ip"
  "alb.ingress.kubernetes.io/healthcheck-path" (include "n8n-tuned.readinessPath" .context)
  "alb.ingress.kubernetes.io/load-balancer-attributes" (printf "idle_timeout.timeout_seconds=%s" (min 4000 (int $timeout) | toString))
  "alb.ingress.kubernetes.io/target-group-attributes" $group -}}
{{- end -}}
{{- toYaml $annotations -}}
{{- end -}}
