{{/* Where the CronJob asks n8n: main's Service, within the cluster. */}}
{{- define "n8n-tuned.recoveryUrl" -}}
{{- $port := int .Values.service.port -}}
{{- default (printf "http://%s.%s.svc%s" (include "n8n-tuned.fullname" .) (include "n8n-tuned.namespace" .) (ternary "" (printf ":%d" $port) (eq $port 80))) .Values.recovery.url -}}
{{- end -}}

{{- define "n8n-tuned.validate.recovery" -}}
{{- if .Values.recovery.enabled -}}
{{- $kind := include "n8n-tuned.redisKind" . -}}
{{- if not .Values.recovery.apiKey.existingSecret -}}
{{- "recovery.enabled: recovery asks n8n's API: make a key in n8n (scopes workflow:list, execution:list, execution:read, execution:retry), put it into a Secret, and name that in recovery.apiKey.existingSecret." }}{{ "\n" -}}
{{- end -}}
{{- if has $kind (list "cluster" "sentinel") -}}
{{- printf "recovery.enabled: recovery reads the queue from a single Redis, and redis.external.%s is set: set redis.external.host, or leave recovery.enabled out and run n8n-tuned recover yourself." (ternary "clusterNodes" "sentinel.nodes" (eq $kind "cluster")) }}{{ "\n" -}}
{{- end -}}
{{- if not (include "n8n-tuned.supports" (dict "context" . "feature" "patches")) -}}
{{- printf "recovery.enabled: recovery was made for n8n 2.41 or newer, and this is n8n %s: use a newer one, or leave recovery.enabled out." (include "n8n-tuned.version" .) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
