{{/*
Which role answers which path. Production paths go to the webhook processors where there are any; everything else, the
test paths and the editor included, to main. A path that users renamed by env is followed.
*/}}
{{- define "n8n-tuned.webhookPaths" -}}
{{- $paths := list -}}
{{- if include "n8n-tuned.hasWebhookProcessors" . -}}
{{- range $variable, $path := dict "N8N_ENDPOINT_WEBHOOK" "webhook" "N8N_ENDPOINT_WEBHOOK_WAIT" "webhook-waiting" "N8N_ENDPOINT_FORM" "form" "N8N_ENDPOINT_FORM_WAIT" "form-waiting" "N8N_ENDPOINT_MCP" "mcp" -}}
{{- $paths = append $paths (printf "/%s" (include "n8n-tuned.userEnv" (dict "context" $ "name" $variable "default" $path) | trimAll "/")) -}}
{{- end -}}
{{- end -}}
{{- dict "items" ($paths | sortAlpha) | toYaml -}}
{{- end -}}

{{/* Seconds a proxy waits for an answer: the longest one, and 15 s for what Bull's watchdog and the network add. */}}
{{- define "n8n-tuned.proxyTimeoutSeconds" -}}
{{- add 15 (int .Values.executions.longestReplySeconds) -}}
{{- end -}}
