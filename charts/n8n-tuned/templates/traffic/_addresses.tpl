{{/* Under which addresses n8n is reached, from outside and inside the cluster. */}}

{{/* Hosts under which a link can lead somewhere: no wildcards. A list; gives the first, or nothing. */}}
{{- define "n8n-tuned.linkHost" -}}
{{- range . -}}
{{- if not (contains "*" .) -}}{{ . }}{{- break -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The address of the editor from outside: scheme, host, maybe a path; empty where none is known. TLS in the Ingress says https;
anything else would be a guess (a load balancer may end TLS before an Ingress), and n8n-tuned.validate.traffic asks for it.
*/}}
{{- define "n8n-tuned.publicUrl" -}}
{{- $ingress := .Values.ingress -}}
{{- if .Values.publicUrl -}}
{{- trimSuffix "/" .Values.publicUrl -}}
{{- else if and $ingress.enabled $ingress.tls -}}
{{- with include "n8n-tuned.linkHost" $ingress.hosts -}}https://{{ . }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* The address of production webhooks from outside: that of the editor, where they have none of their own. */}}
{{- define "n8n-tuned.publicWebhookUrl" -}}
{{- $ingress := .Values.ingress.webhook -}}
{{- $ofIngress := "" -}}
{{- if and $ingress.enabled $ingress.tls -}}
{{- with include "n8n-tuned.linkHost" $ingress.hosts -}}{{- $ofIngress = printf "https://%s" . -}}{{- end -}}
{{- end -}}
{{- coalesce (trimSuffix "/" .Values.webhookUrl) $ofIngress (include "n8n-tuned.publicUrl" .) "" | default "" -}}
{{- end -}}

{{/* The path of an address without the slash at its end, mostly empty. */}}
{{- define "n8n-tuned.pathOf" -}}
{{- regexReplaceAll "^[^:]*://[^/?#]*([^?#]*).*$" . "${1}" | trimSuffix "/" -}}
{{- end -}}

{{/* The port of an address: what it says, else 80 for http:// and 443. */}}
{{- define "n8n-tuned.portOf" -}}
{{- regexFind ":[0-9]+" (regexReplaceAll "^https?://[^/:]*" . "") | trimPrefix ":" | default (ternary "80" "443" (hasPrefix "http:" .)) -}}
{{- end -}}

{{/* Hosts of a route as `items`: those that it names, else that of the address. Dict: hosts, url. */}}
{{- define "n8n-tuned.routeHosts" -}}
{{- $hosts := .hosts | default list -}}
{{- if and (not $hosts) .url -}}
{{- /* What is no address at all is refused by n8n-tuned.validate.traffic, and must get there. */ -}}
{{- $hosts = list (regexReplaceAll "^[^:]*://([^/:?#]*).*$" .url "${1}") -}}
{{- end -}}
{{- dict "items" $hosts | toYaml -}}
{{- end -}}

{{/* The Service that answers production webhooks. */}}
{{- define "n8n-tuned.webhookService" -}}
{{- include "n8n-tuned.fullname" . }}{{ if include "n8n-tuned.hasWebhookProcessors" . }}-webhook{{ end -}}
{{- end -}}

{{/* http://service.namespace.svc:port inside the cluster. Dict: context, service. */}}
{{- define "n8n-tuned.clusterUrl" -}}
{{- $port := int .context.Values.service.port -}}
http://{{ .service }}.{{ include "n8n-tuned.namespace" .context }}.svc{{ ternary "" (printf ":%d" $port) (eq $port 80) }}
{{- end -}}

{{- define "n8n-tuned.webhookBaseUrl" -}}
{{- include "n8n-tuned.clusterUrl" (dict "context" . "service" (include "n8n-tuned.webhookService" .)) -}}
{{- end -}}

{{/* The address that n8n gives to callers of its webhooks. */}}
{{- define "n8n-tuned.webhookAddress" -}}
{{- default (include "n8n-tuned.webhookBaseUrl" .) (include "n8n-tuned.publicWebhookUrl" .) }}/
{{- end -}}

{{/* Whether users come over plain HTTP. */}}
{{- define "n8n-tuned.isPlainHttp" -}}
{{- if hasPrefix "http://" (include "n8n-tuned.publicUrl" .) -}}true{{- end -}}
{{- end -}}

{{/* The path under which users come, with a slash at its end; mostly empty. */}}
{{- define "n8n-tuned.publicPath" -}}
{{- with include "n8n-tuned.publicUrl" . -}}{{- with include "n8n-tuned.pathOf" . -}}{{ . }}/{{- end -}}{{- end -}}
{{- end -}}

{{/* Proxies between users and n8n: one where a route of the chart is, unless the user says otherwise. */}}
{{- define "n8n-tuned.proxyHops" -}}
{{- $values := .Values -}}
{{- $hops := $values.proxyHops -}}
{{- if not (kindIs "invalid" $hops) -}}{{ $hops | int }}
{{- else if or $values.ingress.enabled $values.ingress.webhook.enabled $values.httpRoute.enabled $values.httpRoute.webhook.enabled -}}1
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.traffic" -}}
{{- $values := .Values -}}
{{- $public := include "n8n-tuned.publicUrl" . -}}
{{- $webhooks := include "n8n-tuned.publicWebhookUrl" . -}}
{{- range $at, $url := dict "publicUrl" $values.publicUrl "webhookUrl" $values.webhookUrl -}}
{{- if and $url (not (regexMatch "^https?://[^/ *?#]+(/[^ ?#]*)?$" $url)) -}}
{{- printf "%s: %q is not a URL: use a form such as https://n8n.example.com." $at $url }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- $example := coalesce (include "n8n-tuned.linkHost" (concat ($values.ingress.hosts | default list) ($values.httpRoute.hostnames | default list))) "n8n.example.com" -}}
{{- range $at, $route := dict "ingress" $values.ingress "httpRoute" $values.httpRoute -}}
{{- if and $route.enabled (not $public) -}}
{{- printf "publicUrl: %s does not tell the chart at which address users open n8n, and links, webhooks and cookies depend on this address: set publicUrl=https://%s (even if a load balancer terminates TLS), or http:// without TLS." $at $example }}{{ "\n" -}}
{{- end -}}
{{- $hosts := $route.webhook.hosts | default $route.webhook.hostnames -}}
{{- if and $route.webhook.enabled (or (not $webhooks) (and $hosts (not $values.webhookUrl) (not $route.webhook.tls))) -}}
{{- printf "webhookUrl: %s.webhook does not tell the chart the public address of the webhooks: set webhookUrl=https://%s." $at (include "n8n-tuned.linkHost" $hosts | default "hooks.example.com") }}{{ "\n" -}}
{{- end -}}
{{- $given := include "n8n-tuned.given" (omit $route.webhook "enabled") -}}
{{- if and $given (not $route.webhook.enabled) -}}
{{- printf "%s.webhook (%s): these settings have no effect, because the separate route for webhooks is off: set %s.webhook.enabled=true, or remove these settings." $at $given $at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- $ofUsers := list -}}
{{- $ofCallers := list -}}
{{- range list $values.ingress $values.httpRoute -}}
{{- if .enabled -}}{{- $ofUsers = concat $ofUsers (.hosts | default .hostnames | default list) -}}{{- end -}}
{{- if .webhook.enabled -}}{{- $ofCallers = concat $ofCallers (.webhook.hosts | default .webhook.hostnames | default list) -}}{{- end -}}
{{- end -}}
{{- range $at, $pair := dict "publicUrl" (list $values.publicUrl $ofUsers) "webhookUrl" (list $values.webhookUrl (concat $ofCallers $ofUsers)) -}}
{{- if and (first $pair) (last $pair) -}}
{{- $host := regexReplaceAll "^[^:]*://([^/:?#]*).*$" (first $pair) "${1}" -}}
{{- if not (or (has $host (last $pair)) (has (regexReplaceAll "^[^.]*" $host "*") (last $pair))) -}}
{{- printf "%s: links contain the host %s, but no route has this host: add the host to the hosts of the route (%s), or correct %s." $at $host (join ", " (last $pair)) $at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $at, $url := dict "publicUrl" (ternary $public "" $values.ingress.enabled) "webhookUrl" (ternary $webhooks "" $values.ingress.webhook.enabled) -}}
{{- with include "n8n-tuned.pathOf" $url -}}
{{- printf "%s: n8n expects the proxy to remove the path %s from requests, but an Ingress cannot: use httpRoute, or a separate host without a path." $at . }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- range $at, $route := dict "httpRoute" $values.httpRoute "httpRoute.webhook" $values.httpRoute.webhook -}}
{{- if and $route.enabled (not $route.parentRefs) (not $values.httpRoute.parentRefs) -}}
{{- printf "%s.parentRefs: an HTTPRoute requires a Gateway: set httpRoute.parentRefs=[{name: my-gateway}]." $at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- range $at, $service := dict "service" $values.service "webhook.service" $values.webhook.service -}}
{{- if and $service.nodePort (eq $service.type "ClusterIP") -}}
{{- printf "%s.nodePort: a Service of type ClusterIP has no node port: set %s.type=NodePort or LoadBalancer, or remove this value." $at $at }}{{ "\n" -}}
{{- end -}}
{{- $ofBalancer := include "n8n-tuned.given" (pick $service "loadBalancerClass" "loadBalancerSourceRanges") -}}
{{- if and $ofBalancer (ne $service.type "LoadBalancer") -}}
{{- printf "%s (%s): these settings are for a load balancer: set %s.type=LoadBalancer, or remove these settings." $at $ofBalancer $at }}{{ "\n" -}}
{{- end -}}
{{- if and $service.externalTrafficPolicy (eq $service.type "ClusterIP") -}}
{{- printf "%s.externalTrafficPolicy: a Service of type ClusterIP receives no external traffic: set %s.type=NodePort or LoadBalancer, or remove this value." $at $at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and $values.webhook.mcp.sse (not (include "n8n-tuned.hasWebhookProcessors" .)) -}}
{{- "webhook.mcp.sse: without webhook processors, main handles all MCP requests anyway: remove this value, or set webhook.enabled=true in queue mode." }}{{ "\n" -}}
{{- end -}}
{{- end -}}
