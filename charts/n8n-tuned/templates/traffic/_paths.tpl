{{/*
Which role answers which path. Production paths go to the webhook processors where there are any; everything else, the
test paths and the editor included, to main. A path that users renamed by env is followed.
*/}}

{{/* A path as the component that answers production webhooks has it. Dict: context, variable, default. */}}
{{- define "n8n-tuned.webhookPath" -}}
{{- $role := ternary "webhook" "main" (eq "true" (include "n8n-tuned.hasWebhookProcessors" .context)) -}}
{{- $component := first (get .context.n8nTunedByRole $role) -}}
/{{ include "n8n-tuned.userEnv" (dict "context" .context "component" $component "name" .variable "default" .default) | trimAll "/" }}
{{- end -}}

{{/*
The Service for MCP. Every process goes on with a session over HTTP. One over SSE lives in one process, and a request of it
gets 401 from every other one: main answers it, which also hears what other mains are asked; where main takes no production
requests, a processor of its own does. An HTTPRoute sends there only what is of such a session (n8n-tuned.mcpOverHttp).
*/}}
{{- define "n8n-tuned.mcpService" -}}
{{- if not (include "n8n-tuned.hasOneForMcp" .) -}}{{ include "n8n-tuned.webhookService" . }}
{{- else -}}{{ include "n8n-tuned.fullname" . }}{{ if include "n8n-tuned.hasMcpProcessor" . }}-mcp{{ end -}}
{{- end -}}
{{- end -}}

{{/* The Service for MCP over HTTP where MCP over SSE has another one; else empty. */}}
{{- define "n8n-tuned.mcpOverHttp" -}}
{{- $isOnEvery := include "n8n-tuned.supports" (dict "context" . "feature" "mcpOnEveryProcess") -}}
{{- if and (include "n8n-tuned.hasWebhookProcessors" .) (include "n8n-tuned.hasOneForMcp" .) $isOnEvery -}}
{{- include "n8n-tuned.webhookService" . -}}
{{- end -}}
{{- end -}}

{{/*
Paths with the Service that answers each, as `items` (path, service), sorted. Without `isAlone` only those that differ from
main's; with it, all that callers of webhooks need, for a route of their own. Dict: context, isAlone.
*/}}
{{- define "n8n-tuned.webhookRoutes" -}}
{{- $main := include "n8n-tuned.fullname" .context -}}
{{- $webhook := include "n8n-tuned.webhookService" .context -}}
{{- $services := dict
  "N8N_ENDPOINT_WEBHOOK" (list "webhook" $webhook)
  "N8N_ENDPOINT_WEBHOOK_WAIT" (list "webhook-waiting" $webhook)
  "N8N_ENDPOINT_FORM" (list "form" $webhook)
  "N8N_ENDPOINT_FORM_WAIT" (list "form-waiting" $webhook)
  "N8N_ENDPOINT_MCP" (list "mcp" (include "n8n-tuned.mcpService" .context))
  "N8N_ENDPOINT_WEBHOOK_TEST" (list "webhook-test" $main)
  "N8N_ENDPOINT_FORM_TEST" (list "form-test" $main)
  "N8N_ENDPOINT_MCP_TEST" (list "mcp-test" $main) -}}
{{- $byPath := dict -}}
{{- range $variable, $pair := $services -}}
{{- if or $.isAlone (ne (last $pair) $main) -}}
{{- $_ := set $byPath (include "n8n-tuned.webhookPath" (dict "context" $.context "variable" $variable "default" (first $pair))) (last $pair) -}}
{{- end -}}
{{- end -}}
{{- $items := list -}}
{{- range $path := keys $byPath | sortAlpha -}}
{{- $items = append $items (dict "path" $path "service" (get $byPath $path)) -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* The paths of MCP, as `items` (path, service): a session over SSE, and an answer of MCP over HTTP, is a stream. */}}
{{- define "n8n-tuned.streamRoutes" -}}
{{- $services := dict
  "N8N_ENDPOINT_MCP" (list "mcp" (include "n8n-tuned.mcpService" .))
  "N8N_ENDPOINT_MCP_TEST" (list "mcp-test" (include "n8n-tuned.fullname" .)) -}}
{{- $items := list -}}
{{- range $variable, $pair := $services -}}
{{- $path := include "n8n-tuned.webhookPath" (dict "context" $ "variable" $variable "default" (first $pair)) -}}
{{- $item := dict "path" $path "service" (last $pair) -}}
{{- if eq $variable "N8N_ENDPOINT_MCP" -}}{{- $_ := set $item "overHttp" (include "n8n-tuned.mcpOverHttp" $) -}}{{- end -}}
{{- $items = append $items $item -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* Seconds a proxy waits for an answer: the longest one, and 15 s for what Bull's watchdog and the network add. */}}
{{- define "n8n-tuned.proxyTimeoutSeconds" -}}
{{- add 15 (int .Values.executions.maxResponseSeconds) -}}
{{- end -}}
