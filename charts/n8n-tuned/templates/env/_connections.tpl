{{/* Where the data is. */}}

{{- define "n8n-tuned.databaseHost" -}}
{{- default (printf "%s-postgresql" (include "n8n-tuned.fullname" .)) .Values.database.external.host -}}
{{- end -}}

{{- define "n8n-tuned.env.database" -}}
{{- $database := .context.Values.database -}}
{{- if eq $database.type "sqlite" -}}
- name: DB_TYPE
  value: sqlite
{{- if $database.sqlite.vacuumOnStart }}
- name: DB_SQLITE_VACUUM_ON_STARTUP
  value: "true"
{{- end }}
{{- else -}}
{{- $external := $database.external -}}
{{- $server := ternary $external $database.own (not (empty $external.host)) -}}
- name: DB_TYPE
  value: postgresdb
- name: DB_POSTGRESDB_HOST
  value: {{ include "n8n-tuned.databaseHost" .context | quote }}
- name: DB_POSTGRESDB_PORT
  value: {{ ternary (int $external.port) 5432 (not (empty $external.host)) | quote }}
- name: DB_POSTGRESDB_DATABASE
  value: {{ $server.database | quote }}
- name: DB_POSTGRESDB_USER
  value: {{ $server.user | quote }}
{{ include "n8n-tuned.secretEnv" (dict "context" .context "what" "database" "variable" "DB_POSTGRESDB_PASSWORD") }}
- name: DB_POSTGRESDB_SCHEMA
  value: {{ $external.schema | quote }}
- name: DB_POSTGRESDB_POOL_SIZE
  value: {{ include "n8n-tuned.databasePool" . | quote }}
- name: DB_RECOVERY_BACKOFF_MAX_MS
  value: {{ mul 1000 (int $database.reconnectSeconds) | quote }}
{{- if and $external.host $external.tls.enabled }}
- name: DB_POSTGRESDB_SSL_ENABLED
  value: "true"
- name: DB_POSTGRESDB_SSL_REJECT_UNAUTHORIZED
  value: {{ $external.tls.verify | quote }}
{{- with $external.tls.existingSecret }}
{{- range $variable, $key := dict "DB_POSTGRESDB_SSL_CA" $external.tls.caKey "DB_POSTGRESDB_SSL_CERT" $external.tls.certKey "DB_POSTGRESDB_SSL_KEY" $external.tls.keyKey }}
{{- if $key }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $external.tls.existingSecret | quote }}
      key: {{ $key | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
- name: DB_PING_TIMEOUT_MS
  value: {{ mul 1000 (int $database.pingTimeoutSeconds) | quote }}
{{- with $database.tablePrefix }}
- name: DB_TABLE_PREFIX
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{/* The port on which the proxy beside n8n listens, see templates/redis/_sentinel.tpl. */}}
{{- define "n8n-tuned.sentinelProxyPort" -}}6379{{- end -}}

{{- define "n8n-tuned.env.redis" -}}
{{- $redis := .context.Values.redis -}}
{{- $external := $redis.external -}}
{{- $kind := include "n8n-tuned.redisKind" .context -}}
{{- if not $kind -}}
[]
{{- else -}}
{{- if eq $kind "own" }}
- name: QUEUE_BULL_REDIS_HOST
  value: {{ include "n8n-tuned.fullname" .context }}-redis
- name: QUEUE_BULL_REDIS_PORT
  value: "6379"
{{ include "n8n-tuned.secretEnv" (dict "context" .context "what" "redis" "variable" "QUEUE_BULL_REDIS_PASSWORD") }}
{{- else }}
{{- if eq $kind "cluster" }}
- name: QUEUE_BULL_REDIS_CLUSTER_NODES
  value: {{ join "," $external.clusterNodes | quote }}
{{- else }}
- name: QUEUE_BULL_REDIS_HOST
  value: {{ ternary "127.0.0.1" $external.host (eq $kind "sentinel") | quote }}
- name: QUEUE_BULL_REDIS_PORT
  value: {{ ternary (include "n8n-tuned.sentinelProxyPort" .context) $external.port (eq $kind "sentinel") | int | quote }}
- name: QUEUE_BULL_REDIS_DB
  value: {{ $external.database | int | quote }}
{{- end }}
{{- with $external.user }}
- name: QUEUE_BULL_REDIS_USERNAME
  value: {{ . | quote }}
{{- end }}
{{ include "n8n-tuned.secretEnv" (dict "context" .context "what" "redis" "variable" "QUEUE_BULL_REDIS_PASSWORD") }}
{{- /* The proxy beside n8n speaks TLS itself. */}}
{{- if and $external.tls.enabled (ne $kind "sentinel") }}
- name: QUEUE_BULL_REDIS_TLS
  value: "true"
{{- with $external.tls.serverName }}
- name: QUEUE_BULL_REDIS_TLS_SERVERNAME
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- /* Otherwise Linux looks after two hours whether a silent connection still lives. */}}
- name: QUEUE_BULL_REDIS_KEEP_ALIVE
  value: "true"
- name: QUEUE_BULL_REDIS_TIMEOUT_THRESHOLD
  value: {{ mul 1000 (int $redis.outageSeconds) | quote }}
{{- if $redis.dualStack }}
- name: QUEUE_BULL_REDIS_DUALSTACK
  value: "true"
{{- end }}
{{- end -}}
{{- end -}}
