{{/* Where the data is. */}}

{{- define "n8n-tuned.databaseHost" -}}
{{- default (printf "%s-postgresql" (include "n8n-tuned.fullname" .)) .Values.database.external.host -}}
{{- end -}}

{{- define "n8n-tuned.usesDatabaseTls" -}}
{{- $external := .Values.database.external -}}
{{- if and (eq .Values.database.type "postgresql") $external.host $external.tls.enabled -}}true{{- end -}}
{{- end -}}

{{/* The port on which the proxy beside n8n listens, see templates/redis/_sentinel.tpl. */}}
{{- define "n8n-tuned.sentinelProxyPort" -}}6379{{- end -}}

{{/* Empty where there is no Redis, or a cluster of them. */}}
{{- define "n8n-tuned.redisHost" -}}
{{- $kind := include "n8n-tuned.redisKind" . -}}
{{- if eq $kind "own" -}}{{ include "n8n-tuned.fullname" . }}-redis
{{- else if eq $kind "host" -}}{{ .Values.redis.external.host }}
{{- else if eq $kind "sentinel" -}}127.0.0.1
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.redisPort" -}}
{{- $kind := include "n8n-tuned.redisKind" . -}}
{{- if eq $kind "own" -}}6379
{{- else if eq $kind "host" -}}{{ .Values.redis.external.port | int }}
{{- else if eq $kind "sentinel" -}}{{ include "n8n-tuned.sentinelProxyPort" . }}
{{- end -}}
{{- end -}}
