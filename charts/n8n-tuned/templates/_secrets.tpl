{{/*
Where each secret comes from. A Secret of the user's is read where it is, a variable of the user's (`env`, the file of NAME_FILE,
`envFrom`) is left to n8n. A value in the values is rendered into a Secret
`given-...`. One that nobody gave is made inside the cluster, once, by the job under templates/secrets/: no rendering ever
holds or changes it. The last two have names of their own, so that either can come and go without the other's.
*/}}

{{/* The YAML of name, key and origin (existing, given, generated, env or none) for: encryptionKey, database, redis, runners. Dict: context, what. */}}
{{- define "n8n-tuned.secret" -}}
{{- $values := .context.Values -}}
{{- $source := dict -}}
{{- if eq .what "encryptionKey" -}}
{{- $source = dict "from" $values.encryptionKey "value" $values.encryptionKey.value "suffix" "encryption-key" "key" "encryption-key" "variable" "N8N_ENCRYPTION_KEY" "isNeeded" true -}}
{{- else if eq .what "database" -}}
{{- $isOwn := not (empty (include "n8n-tuned.ownDatabase" .context)) -}}
{{- $from := ternary $values.database.own $values.database.external $isOwn -}}
{{- $source = dict "from" $from "value" $from.password "suffix" "postgresql" "key" "password" "variable" (ternary "" "DB_POSTGRESDB_PASSWORD" $isOwn) "isNeeded" $isOwn -}}
{{- else if eq .what "redis" -}}
{{- $isOwn := not (empty (include "n8n-tuned.ownRedis" .context)) -}}
{{- $from := ternary $values.redis.own $values.redis.external $isOwn -}}
{{- $source = dict "from" $from "value" $from.password "suffix" "redis" "key" "password" "variable" (ternary "" "QUEUE_BULL_REDIS_PASSWORD" $isOwn) "isNeeded" $isOwn -}}
{{- else -}}
{{- $source = dict "from" $values.taskRunners.authToken "suffix" "runners" "key" "auth-token" "isNeeded" true -}}
{{- end -}}
{{- $full := include "n8n-tuned.fullname" .context -}}
{{- if $source.from.existingSecret -}}
{{- dict "origin" "existing" "name" $source.from.existingSecret "key" $source.from.existingSecretKey | toYaml -}}
{{- else if $source.value -}}
{{- dict "origin" "given" "name" (printf "%s-given-%s" $full $source.suffix) "suffix" (printf "given-%s" $source.suffix) "key" $source.key "value" $source.value | toYaml -}}
{{- else if and $source.variable (eq "all" (include "n8n-tuned.rolesWithVariable" (dict "context" .context "name" $source.variable))) -}}
{{- dict "origin" "env" | toYaml -}}
{{- else if $source.isNeeded -}}
{{- dict "origin" "generated" "name" (printf "%s-%s" $full $source.suffix) "key" $source.key | toYaml -}}
{{- else -}}
{{- dict "origin" "none" | toYaml -}}
{{- end -}}
{{- end -}}

{{/*
How the user gives a variable to a component: value (under `env`), file (NAME_FILE, from which n8n reads it), envFrom, or
empty. Dict: context, component, name.
*/}}
{{- define "n8n-tuned.givenAs" -}}
{{- $own := .component.ownEnv -}}
{{- $file := printf "%s_FILE" .name -}}
{{- $ofEnvFrom := ternary .context.Values.secretsInEnvFrom list (not (empty (include "n8n-tuned.envFrom" .))) | default list -}}
{{- if get $own .name -}}value
{{- else if get $own $file -}}file
{{- else if or (has .name $ofEnvFrom) (has $file $ofEnvFrom) -}}envFrom
{{- end -}}
{{- end -}}

{{/* "all", "some" or empty: the roles to which the user gives a variable. Dict: context, name. */}}
{{- define "n8n-tuned.rolesWithVariable" -}}
{{- $with := 0 -}}
{{- range .context.n8nTunedComponents -}}
{{- if include "n8n-tuned.givenAs" (dict "context" $.context "component" . "name" $.name) -}}{{- $with = add1 $with -}}{{- end -}}
{{- end -}}
{{- if eq (int $with) (len .context.n8nTunedComponents) -}}all{{- else if $with -}}some{{- end -}}
{{- end -}}

{{/* An env entry that reads a secret, or nothing where there is none to read. Dict: context, what, variable. */}}
{{- define "n8n-tuned.secretEnv" -}}
{{- $secret := include "n8n-tuned.secret" . | fromYaml -}}
{{- if $secret.name -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ $secret.name | quote }}
      key: {{ $secret.key | quote }}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.ownDatabase" -}}
{{- if and (eq .Values.database.type "postgresql") (not .Values.database.external.host) -}}true{{- end -}}
{{- end -}}

{{- define "n8n-tuned.ownRedis" -}}
{{- if eq (include "n8n-tuned.redisKind" .) "own" -}}true{{- end -}}
{{- end -}}

{{/* What of these secrets this release uses, as `items`: what, and the fields of n8n-tuned.secret. Context: root. */}}
{{- define "n8n-tuned.usedSecrets" -}}
{{- $used := list "encryptionKey" -}}
{{- if eq .Values.database.type "postgresql" -}}{{- $used = append $used "database" -}}{{- end -}}
{{- if include "n8n-tuned.isQueue" . -}}{{- $used = append $used "redis" -}}{{- end -}}
{{- if eq (include "n8n-tuned.runnerMode" .) "external" -}}{{- $used = append $used "runners" -}}{{- end -}}
{{- $items := list -}}
{{- range $used -}}
{{- $items = append $items (merge (dict "what" .) (include "n8n-tuned.secret" (dict "context" $ "what" .) | fromYaml)) -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* Those with a value given in the values, as `items`. */}}
{{- define "n8n-tuned.givenSecrets" -}}
{{- $items := list -}}
{{- range (include "n8n-tuned.usedSecrets" . | fromYaml).items -}}
{{- if eq .origin "given" -}}{{- $items = append $items . -}}{{- end -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/*
Those to make in the cluster if they are not there yet, as `items`: what, name, key. A key that encryptionKey.value gave
before is taken over (copyOf): n8n can read its credentials with no other.
*/}}
{{- define "n8n-tuned.generatedSecrets" -}}
{{- $items := list -}}
{{- range (include "n8n-tuned.usedSecrets" . | fromYaml).items -}}
{{- if eq .origin "generated" -}}
{{- $item := pick . "what" "name" "key" -}}
{{- if eq .what "encryptionKey" -}}
{{- $item = set $item "copyOf" (printf "%s-given-encryption-key" (include "n8n-tuned.fullname" $)) -}}
{{- end -}}
{{- $items = append $items $item -}}
{{- end -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}
