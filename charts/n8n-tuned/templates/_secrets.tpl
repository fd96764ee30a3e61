{{/*
Secrets by name and key. A secret that nobody gave is made inside the cluster, once, by the job under
templates/secrets/: no rendering ever holds or changes it.
*/}}

{{/* The YAML of name and key for: encryptionKey, database, redis, runners. Dict: context, what. */}}
{{- define "n8n-tuned.secret" -}}
{{- $values := .context.Values -}}
{{- $full := include "n8n-tuned.fullname" .context -}}
{{- $sources := dict
  "encryptionKey" (dict "own" $values.encryptionKey "suffix" "encryption-key" "key" "encryption-key")
  "database" (dict "own" $values.database.external "suffix" "postgresql" "key" "password")
  "redis" (dict "own" $values.redis.external "suffix" "redis" "key" "password")
  "runners" (dict "own" $values.taskRunners.authToken "suffix" "runners" "key" "auth-token") -}}
{{- $source := get $sources .what -}}
name: {{ default (printf "%s-%s" $full $source.suffix) $source.own.existingSecret }}
key: {{ ternary $source.own.existingSecretKey $source.key (not (empty $source.own.existingSecret)) }}
{{- end -}}

{{/* An env entry that reads a secret. Dict: context, what, variable. */}}
{{- define "n8n-tuned.secretEnv" -}}
{{- $secret := include "n8n-tuned.secret" . | fromYaml -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret.name }}
      key: {{ $secret.key }}
{{- end -}}

{{- define "n8n-tuned.ownDatabase" -}}
{{- if and (eq .Values.database.type "postgresql") (not .Values.database.external.host) -}}true{{- end -}}
{{- end -}}

{{- define "n8n-tuned.ownRedis" -}}
{{- if eq (include "n8n-tuned.redisKind" .) "own" -}}true{{- end -}}
{{- end -}}

{{/* Secrets with a value given in the values, as `items`: what, suffix, key, value. */}}
{{- define "n8n-tuned.givenSecrets" -}}
{{- $items := list -}}
{{- with .Values.encryptionKey.value -}}
{{- $items = append $items (dict "suffix" "encryption-key" "key" "encryption-key" "value" .) -}}
{{- end -}}
{{- if and (eq .Values.database.type "postgresql") .Values.database.external.password -}}
{{- $items = append $items (dict "suffix" "postgresql" "key" "password" "value" .Values.database.external.password) -}}
{{- end -}}
{{- if and (include "n8n-tuned.isQueue" .) .Values.redis.external.password -}}
{{- $items = append $items (dict "suffix" "redis" "key" "password" "value" .Values.redis.external.password) -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* Secrets to make in the cluster if they are not there yet, as `items`: name, key, bytes. */}}
{{- define "n8n-tuned.generatedSecrets" -}}
{{- $items := list -}}
{{- if and (not .Values.encryptionKey.existingSecret) (not .Values.encryptionKey.value) -}}
{{- $items = append $items (include "n8n-tuned.secret" (dict "context" . "what" "encryptionKey") | fromYaml) -}}
{{- end -}}
{{- if include "n8n-tuned.ownDatabase" . -}}
{{- $items = append $items (include "n8n-tuned.secret" (dict "context" . "what" "database") | fromYaml) -}}
{{- end -}}
{{- if include "n8n-tuned.ownRedis" . -}}
{{- $items = append $items (include "n8n-tuned.secret" (dict "context" . "what" "redis") | fromYaml) -}}
{{- end -}}
{{- if and (eq (include "n8n-tuned.runnerMode" .) "external") (not .Values.taskRunners.authToken.existingSecret) -}}
{{- $items = append $items (include "n8n-tuned.secret" (dict "context" . "what" "runners") | fromYaml) -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}
