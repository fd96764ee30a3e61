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

{{/* Timeouts and the size of bodies. Other controllers ignore annotations that are not theirs. */}}
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
{{- $annotations := dict
  "nginx.ingress.kubernetes.io/proxy-read-timeout" $timeout
  "nginx.ingress.kubernetes.io/proxy-send-timeout" $timeout
  "nginx.ingress.kubernetes.io/proxy-body-size" (printf "%dm" $bodyMiB)
  "haproxy.org/timeout-server" (printf "%ss" $timeout)
  "haproxy.router.openshift.io/timeout" (printf "%ss" $timeout) -}}
{{- if and .context.Values.multiMain.enabled (eq .component "main") -}}
{{- $annotations = merge $annotations (dict "nginx.ingress.kubernetes.io/affinity" "cookie" "nginx.ingress.kubernetes.io/session-cookie-name" "n8n-main") -}}
{{- end -}}
{{- toYaml $annotations -}}
{{- end -}}
