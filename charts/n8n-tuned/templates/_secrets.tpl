{{/*
The source of each secret. A Secret of the user's is read where it is, a variable of the user's (`env`, the file of NAME_FILE,
`envFrom`) is left to n8n. A value in the values is rendered into a Secret
`given-...`. One that nobody gave is made inside the cluster, once, by the job under templates/secrets/: no rendering ever
holds or changes it. The last two have names of their own, so that either can come and go without the other's.
*/}}

{{/*
Writes into the root n8nTunedSecrets: for encryptionKey, database, redis and runners the origin (existing, given, generated,
env or none), and where there is one the name and key of the Secret. n8nTunedGiven and n8nTunedGenerated list those that this
release renders from the values, and those that the job makes if they are not there yet. A key that encryptionKey.value gave
before is taken over (copyOf): n8n can read its credentials with no other.
*/}}
{{- define "n8n-tuned.prepareSecrets" -}}
{{- $values := .Values -}}
{{- $full := include "n8n-tuned.fullname" . -}}
{{- $ownDatabase := not (empty (include "n8n-tuned.ownDatabase" .)) -}}
{{- $ownRedis := not (empty (include "n8n-tuned.ownRedis" .)) -}}
{{- $sources := list
  (dict
    "what" "encryptionKey" "from" $values.encryptionKey "value" $values.encryptionKey.value
    "suffix" "encryption-key" "key" "encryption-key" "variable" "N8N_ENCRYPTION_KEY"
    "isNeeded" true "isUsed" true)
  (dict
    "what" "database" "from" (ternary $values.database.own $values.database.external $ownDatabase)
    "suffix" "postgresql" "key" "password" "variable" (ternary "" "DB_POSTGRESDB_PASSWORD" $ownDatabase)
    "isNeeded" $ownDatabase "isUsed" (eq $values.database.type "postgresql"))
  (dict
    "what" "redis" "from" (ternary $values.redis.own $values.redis.external $ownRedis)
    "suffix" "redis" "key" "password" "variable" (ternary "" "QUEUE_BULL_REDIS_PASSWORD" $ownRedis)
    "isNeeded" $ownRedis "isUsed" (not (empty (include "n8n-tuned.isQueue" .))))
  (dict
    "what" "runners" "from" $values.taskRunners.authToken "suffix" "runners" "key" "auth-token"
    "isNeeded" true "isUsed" (eq (include "n8n-tuned.runnerMode" .) "external")) -}}
{{- $secrets := dict -}}
{{- $given := list -}}
{{- $generated := list -}}
{{- range $sources -}}
{{- $secret := dict "what" .what "origin" "none" -}}
{{- $value := .value | default .from.password -}}
{{- if .from.existingSecret -}}
{{- $secret = dict "origin" "existing" "name" .from.existingSecret "key" .from.existingSecretKey -}}
{{- else if $value -}}
{{- $secret = dict "what" .what "origin" "given" "name" (printf "%s-given-%s" $full .suffix) "suffix" (printf "given-%s" .suffix) "key" .key "value" $value -}}
{{- if .isUsed -}}{{- $given = append $given $secret -}}{{- end -}}
{{- else if and .variable (eq "all" (include "n8n-tuned.rolesWithVariable" (dict "context" $ "name" .variable))) -}}
{{- $secret = dict "origin" "env" -}}
{{- else if .isNeeded -}}
{{- $secret = dict "what" .what "origin" "generated" "name" (printf "%s-%s" $full .suffix) "key" .key -}}
{{- $item := pick $secret "what" "name" "key" -}}
{{- if eq .what "encryptionKey" -}}{{- $_ := set $item "copyOf" (printf "%s-given-encryption-key" $full) -}}{{- end -}}
{{- if .isUsed -}}{{- $generated = append $generated $item -}}{{- end -}}
{{- end -}}
{{- $_ := set $secrets .what $secret -}}
{{- end -}}
{{- $_ := set . "n8nTunedSecrets" $secrets -}}
{{- $_ := set . "n8nTunedGiven" $given -}}
{{- $_ := set . "n8nTunedGenerated" $generated -}}
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
{{- $secret := get .context.n8nTunedSecrets .what -}}
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
