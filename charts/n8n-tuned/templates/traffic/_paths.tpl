{{/*
Which role answers which path. Production paths go to the webhook processors where there are any; everything else, the
test paths and the editor included, to main. A path that users renamed by env is followed.
*/}}

{{/* The component that answers production webhooks. */}}
{{- define "n8n-tuned.webhookComponent" -}}
{{- $role := ternary "webhook" "main" (eq "true" (include "n8n-tuned.hasWebhookProcessors" .)) -}}
{{- first (include "n8n-tuned.componentsOf" (dict "context" . "role" $role) | fromYaml).items | toYaml -}}
{{- end -}}

{{/* A path as that component has it. Dict: context, variable, default. */}}
{{- define "n8n-tuned.webhookPath" -}}
{{- $component := include "n8n-tuned.webhookComponent" .context | fromYaml -}}
/{{ include "n8n-tuned.userEnv" (dict "context" .context "component" $component "name" .variable "default" .default) | trimAll "/" }}
{{- end -}}

{{- define "n8n-tuned.webhookPaths" -}}
{{- $paths := list -}}
{{- if include "n8n-tuned.hasWebhookProcessors" . -}}
{{- range $variable, $path := dict "N8N_ENDPOINT_WEBHOOK" "webhook" "N8N_ENDPOINT_WEBHOOK_WAIT" "webhook-waiting" "N8N_ENDPOINT_FORM" "form" "N8N_ENDPOINT_FORM_WAIT" "form-waiting" "N8N_ENDPOINT_MCP" "mcp" -}}
{{- $paths = append $paths (include "n8n-tuned.webhookPath" (dict "context" $ "variable" $variable "default" $path)) -}}
{{- end -}}
{{- end -}}
{{- dict "items" ($paths | sortAlpha) | toYaml -}}
{{- end -}}

{{/* Seconds a proxy waits for an answer: the longest one, and 15 s for what Bull's watchdog and the network add. */}}
{{- define "n8n-tuned.proxyTimeoutSeconds" -}}
{{- add 15 (int .Values.executions.longestReplySeconds) -}}
{{- end -}}
