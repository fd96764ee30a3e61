{{/* Contradictions of where data, secrets and files are. */}}

{{/* What is said of a server of the user's, and no server named: the release would deploy its own and ignore it. */}}
{{- define "n8n-tuned.validate.stores" -}}
{{- $ofPreset := .n8nTunedPresetOfStore -}}
{{- $database := .Values.database.external -}}
{{- $ofServer := dict
  "password" $database.password
  "existingSecret" $database.existingSecret
  "passwordless" $database.passwordless
  "pooling" $database.pooling
  "port" (ne (int $database.port) 5432)
  "user" (ne $database.user "n8n")
  "database" (ne $database.database "n8n")
  "schema" (not (has $database.schema (list "" "public")))
  "tls.enabled" $database.tls.enabled
  "tls.existingSecret" $database.tls.existingSecret
  "tls.existingConfigMap" $database.tls.existingConfigMap -}}
{{- /* Each role may have another host by its `env`. */ -}}
{{- $poolers := list -}}
{{- $hasOtherHost := false -}}
{{- range .n8nTunedComponents -}}
{{- if or (get .ownEnv "DB_POSTGRESDB_HOST") (include "n8n-tuned.hidesDatabase" (dict "context" $ "component" .)) -}}{{- $hasOtherHost = true -}}{{- end -}}
{{- $host := include "n8n-tuned.userEnv" (dict "context" $ "component" . "name" "DB_POSTGRESDB_HOST" "default" ($database.host | default "")) -}}
{{- $port := include "n8n-tuned.userEnv" (dict "context" $ "component" . "name" "DB_POSTGRESDB_PORT" "default" (int $database.port)) | int -}}
{{- if and $host (or (has $port (list 6432 6543)) (regexMatch "(pgbouncer|pooler|pgcat|odyssey|supavisor)" $host)) -}}
{{- $poolers = append $poolers (printf "%s:%d" $host $port) -}}
{{- end -}}
{{- end -}}
{{- if eq .Values.database.type "sqlite" -}}
{{- with include "n8n-tuned.given" (merge (dict "host" $database.host) $ofServer) -}}
{{- printf "database.type: SQLite uses a local file, so database.external (%s) would be ignored: set database.type=postgresql, or remove database.external." . }}{{ "\n" -}}
{{- end -}}
{{- else if and (not $database.host) $ofPreset.database -}}
{{- printf "preset: %s requires your own PostgreSQL: set database.external.host, database.external.existingSecret and encryptionKey.existingSecret. To deploy the built-in PostgreSQL, set database.external.tls.enabled=false." $ofPreset.database }}{{ "\n" -}}
{{- else if not $database.host -}}
{{- with include "n8n-tuned.given" (ternary (omit $ofServer "pooling") $ofServer $hasOtherHost) -}}
{{- printf "database.external (%s): these settings are for your own server, but the release deploys its own PostgreSQL: set database.external.host, or remove these settings. For the built-in PostgreSQL, use database.own.user and database.own.database." . }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.database.type "postgresql") (not $database.pooling) -}}
{{- range uniq $poolers -}}
{{- printf "database.external.pooling: %s looks like a connection pooler, and session settings are kept only in session mode: set this value to session or transaction, or to none if there is no pooler." . }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and (eq $database.pooling "transaction") (eq true .Values.tuning.sessionOnce) -}}
{{- "tuning.sessionOnce: behind a pooler in transaction mode, a session loses its settings before the next query: remove the value, or set database.external.pooling=session." }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.database.own.backup.enabled (not (include "n8n-tuned.ownDatabase" .)) -}}
{{- "database.own.backup.enabled: this value backs up the PostgreSQL that the chart deploys, but this release deploys none: remove the value, and back up your own server." }}{{ "\n" -}}
{{- end -}}
{{- $backup := .Values.database.own.backup -}}
{{- $ofS3 := include "n8n-tuned.given" (omit $backup.s3 "bucket" "accessKeyKey" "secretKeyKey") -}}
{{- if and $ofS3 (not $backup.s3.bucket) -}}
{{- printf "database.own.backup.s3 (%s): without a bucket, the dumps stay on a volume: set database.own.backup.s3.bucket, or remove these settings." $ofS3 }}{{ "\n" -}}
{{- end -}}
{{- if and $backup.s3.bucket (not (trimAll "/" $backup.s3.prefix)) -}}
{{- "database.own.backup.s3.prefix: a release of the same name in another cluster would count these dumps as its own and delete them: set a prefix that only this release uses, such as production/n8n." }}{{ "\n" -}}
{{- end -}}
{{- if and $backup.s3.bucket (not $backup.enabled) -}}
{{- "database.own.backup.s3.bucket: the bucket has no effect, because backups are off: set database.own.backup.enabled=true, or remove the bucket." }}{{ "\n" -}}
{{- end -}}
{{- if and $backup.s3.bucket $backup.existingClaim -}}
{{- "database.own.backup: existingClaim and s3.bucket both set the location of the dumps: keep only one of them." }}{{ "\n" -}}
{{- end -}}
{{- if and (include "n8n-tuned.ownDatabase" .) (has .Values.database.own.user (list "postgres" "")) -}}
{{- "database.own.user: postgres is the superuser, but n8n needs its own role: set another name, such as n8n." }}{{ "\n" -}}
{{- end -}}
{{- if include "n8n-tuned.ownDatabase" . -}}
{{- $tag := toString .Values.database.own.image.tag -}}
{{- $major := regexFind "^[0-9]+" $tag -}}
{{- with lookup "apps/v1" "StatefulSet" (include "n8n-tuned.namespace" .) (printf "%s-postgresql" (include "n8n-tuned.fullname" .)) -}}
{{- /* A digest tells no version, and may begin with a digit; the label tells it in any case. */ -}}
{{- $image := (first .spec.template.spec.containers).image -}}
{{- $tagOf := ternary "" (splitList ":" $image | last) (contains "@" $image) -}}
{{- $runs := get (.metadata.labels | default dict) (include "n8n-tuned.postgresqlMajorLabel" $) | default (regexFind "^[0-9]+" $tagOf) -}}
{{- if and $major $runs (ne $major $runs) -}}
{{- printf "database.own.image.tag: the volume contains data of PostgreSQL %s, which PostgreSQL %s cannot read: set the tag to %s to keep this version, or move the data as described in docs/chart/postgresql.md." $runs $tag $runs }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $tls := $database.tls -}}
{{- if ne (empty $tls.certKey) (empty $tls.keyKey) -}}
{{- printf "database.external.tls: a client certificate requires its private key and vice versa, but %s is missing: set both or neither." (ternary "certKey" "keyKey" (empty $tls.certKey)) }}{{ "\n" -}}
{{- end -}}
{{- if and $tls.certKey (not $tls.existingSecret) -}}
{{- "database.external.tls.existingSecret: certKey and keyKey are keys in this Secret, but existingSecret is not set: set existingSecret." }}{{ "\n" -}}
{{- end -}}
{{- if include "n8n-tuned.ownRedis" . -}}
{{- $redis := .Values.redis.external -}}
{{- $given := include "n8n-tuned.given" (dict
  "password" $redis.password
  "existingSecret" $redis.existingSecret
  "user" $redis.user
  "database" $redis.database
  "port" (ne (int $redis.port) 6379)
  "tls.enabled" $redis.tls.enabled
  "tls.serverName" $redis.tls.serverName
  "sentinel.existingSecret" $redis.sentinel.existingSecret) -}}
{{- if $ofPreset.redis -}}
{{- printf "preset: %s requires your own Redis: set redis.external.host (or clusterNodes, or sentinel.nodes). To deploy the built-in Redis, set redis.external.tls.enabled=false." $ofPreset.redis }}{{ "\n" -}}
{{- else if $given -}}
{{- printf "redis.external (%s): these settings are for your own Redis, but the release deploys its own Redis: set redis.external.host (or clusterNodes, or sentinel.nodes), or remove these settings." $given }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.secrets" -}}
{{- $key := .Values.encryptionKey -}}
{{- if and $key.existingSecret $key.value -}}
{{- "encryptionKey: both existingSecret and value are set: keep only one of them." }}{{ "\n" -}}
{{- end -}}
{{- include "n8n-tuned.validate.secretVariables" . -}}
{{- $origin := .n8nTunedSecrets.encryptionKey.origin -}}
{{- if and (eq $origin "generated") (eq .Values.database.type "postgresql") .Values.database.external.host $key.generate -}}
{{- "encryptionKey: an external database outlives this cluster, but a key that the chart creates does not, and n8n cannot read its credentials without the key: create a Secret, and set encryptionKey.existingSecret." }}{{ "\n" -}}
{{- end -}}
{{- $places := dict
  "encryptionKey" "encryptionKey.existingSecret" "database" "database.own.existingSecret"
  "redis" "redis.own.existingSecret" "runners" "taskRunners.authToken.existingSecret" -}}
{{- if not $key.generate -}}
{{- $missing := list -}}
{{- range .n8nTunedGenerated -}}{{- $missing = append $missing (get $places .what) -}}{{- end -}}
{{- if has "encryptionKey.existingSecret" $missing -}}
{{- "encryptionKey: n8n needs a key that never changes: set encryptionKey.existingSecret, or encryptionKey.generate=true to let a job create the key in the cluster." }}{{ "\n" -}}
{{- end -}}
{{- with without $missing "encryptionKey.existingSecret" -}}
{{- printf "encryptionKey.generate: with false, the chart creates no Secrets, but n8n needs one for each password and token: set %s, or encryptionKey.generate=true." (join " and " .) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- $external := .Values.database.external -}}
{{- if and $external.passwordless (or $external.existingSecret $external.password) -}}
{{- "database.external.passwordless: existingSecret or password sets a password: keep either passwordless or the password." }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.database.own.existingSecret (not (include "n8n-tuned.ownDatabase" .)) -}}
{{- "database.own.existingSecret: this release deploys no PostgreSQL of its own: set database.external.existingSecret, or remove this value." }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.redis.own.existingSecret (not (include "n8n-tuned.ownRedis" .)) -}}
{{- "redis.own.existingSecret: this release deploys no Redis of its own: set redis.external.existingSecret, or remove this value." }}{{ "\n" -}}
{{- end -}}
{{- range $at, $own := dict "database.external" .Values.database.external "redis.external" .Values.redis.external -}}
{{- if and $own.existingSecret $own.password -}}
{{- printf "%s: both existingSecret and password are set: keep only one of them." $at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.database.type "postgresql") .Values.database.external.host (not .Values.database.external.passwordless) (eq "none" .n8nTunedSecrets.database.origin) -}}
{{- "database.external: a password is missing: set database.external.existingSecret, or env.DB_POSTGRESDB_PASSWORD (or env.DB_POSTGRESDB_PASSWORD_FILE) for all roles. If envFrom contains the password, set secretsInEnvFrom=[DB_POSTGRESDB_PASSWORD]. If the server requires no password, set database.external.passwordless=true." }}{{ "\n" -}}
{{- end -}}
{{- end -}}

{{/*
Secrets that the user gives as variables: what n8n reads is what the user gave, or it is refused. A second source would
win or lose without a word.
*/}}
{{- define "n8n-tuned.validate.secretVariables" -}}
{{- $external := .Values.database.external -}}
{{- $redis := .Values.redis.external -}}
{{- $given := dict
  "N8N_ENCRYPTION_KEY" (dict "at" "encryptionKey" "of" (pick .Values.encryptionKey "existingSecret" "value") "isOwn" "")
  "DB_POSTGRESDB_PASSWORD" (dict
    "at" "database.external" "of" (pick $external "existingSecret" "password" "passwordless")
    "isOwn" (include "n8n-tuned.ownDatabase" .))
  "QUEUE_BULL_REDIS_PASSWORD" (dict
    "at" "redis.external" "of" (pick $redis "existingSecret" "password") "isOwn" (include "n8n-tuned.ownRedis" .)) -}}
{{- range $variable, $other := $given -}}
{{- $as := include "n8n-tuned.given" $other.of -}}
{{- $roles := include "n8n-tuned.rolesWithVariable" (dict "context" $ "name" $variable) -}}
{{- if and $roles $other.isOwn -}}
{{- $store := trimSuffix ".external" $other.at -}}
{{- printf "env.%s: the release deploys this store with its own password: store your password in a Secret and set %s.own.existingSecret, or remove the variable." $variable $store }}{{ "\n" -}}
{{- else if and (eq $roles "all") $as -}}
{{- printf "%s (%s): env.%s would override this setting: keep only one of them." $other.at $as $variable }}{{ "\n" -}}
{{- else if and (eq $roles "some") (or (eq $variable "N8N_ENCRYPTION_KEY") (and (eq $variable "QUEUE_BULL_REDIS_PASSWORD") (not $as))) -}}
{{- printf "env.%s: this variable is not set for every role, but all roles need the same value: set the variable under env." $variable }}{{ "\n" -}}
{{- end -}}
{{- range $component := $.n8nTunedComponents -}}
{{- $own := $component.ownEnv -}}
{{- $file := printf "%s_FILE" $variable -}}
{{- $envFrom := include "n8n-tuned.envFrom" (dict "context" $ "component" $component) -}}
{{- $ofEnvFrom := ternary list $.Values.secretsInEnvFrom (empty $envFrom) | default list -}}
{{- $ways := list -}}
{{- range $name := list $variable $file -}}
{{- if get $own $name -}}{{- $ways = append $ways (printf "env.%s" $name) -}}{{- end -}}
{{- if has $name $ofEnvFrom -}}{{- $ways = append $ways (printf "%s of secretsInEnvFrom" $name) -}}{{- end -}}
{{- end -}}
{{- if gt (len $ways) 1 -}}
{{- printf "%s: %s are set, but only one of them takes effect: keep only one of them." $component.at (join " and " $ways) }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $variable "N8N_ENCRYPTION_KEY") (hasKey $own $variable) (not (get $own $variable)) -}}
{{- printf "env.%s: this variable is empty, so each pod of %s would create its own key, and lose the key when the pod ends: remove the variable, or set the key." $variable $component.at }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $variable "N8N_ENCRYPTION_KEY") (or (get $own $file) (has $file $ofEnvFrom)) (not (include "n8n-tuned.supports" (dict "context" $ "feature" "encryptionKeyFile"))) -}}
{{- printf "env.%s: n8n %s does not read the key from a file, and would create its own key: set N8N_ENCRYPTION_KEY with valueFrom, or set encryptionKey.existingSecret." $file (include "n8n-tuned.version" $) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $hasEnvFrom := "" -}}
{{- range .n8nTunedComponents -}}
{{- if include "n8n-tuned.envFrom" (dict "context" $ "component" .) -}}{{- $hasEnvFrom = "true" -}}{{- end -}}
{{- if and (eq (include "n8n-tuned.runnerMode" $) "external") (include "n8n-tuned.givenAs" (dict "context" $ "component" . "name" "N8N_RUNNERS_AUTH_TOKEN")) -}}
{{- "env.N8N_RUNNERS_AUTH_TOKEN: the external task runner needs the same token, but does not get this variable: store the token in a Secret, and set taskRunners.authToken.existingSecret." }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and $hasEnvFrom (kindIs "invalid" .Values.secretsInEnvFrom) (eq "generated" .n8nTunedSecrets.encryptionKey.origin) -}}
{{- "secretsInEnvFrom: the chart cannot see whether envFrom contains N8N_ENCRYPTION_KEY, and the key that the chart creates would override the key in envFrom: set secretsInEnvFrom=[N8N_ENCRYPTION_KEY] if envFrom contains the key, or secretsInEnvFrom=[] if not." }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.secretsInEnvFrom (not $hasEnvFrom) -}}
{{- printf "secretsInEnvFrom (%s): no role has an envFrom that could contain these secrets: set envFrom, or remove secretsInEnvFrom." (join ", " .Values.secretsInEnvFrom) }}{{ "\n" -}}
{{- end -}}
{{- range get .n8nTunedByRole "worker" -}}
{{- $password := include "n8n-tuned.givenAs" (dict "context" $ "component" . "name" "QUEUE_BULL_REDIS_PASSWORD") -}}
{{- if and (eq "keda" (include "n8n-tuned.autoscaler" .)) $password (not (include "n8n-tuned.kedaPasswords" $ | trim)) -}}
{{- printf "%s.keda: KEDA also connects to Redis, but cannot read the password from n8n's variables: store the password in a Secret, and set redis.external.existingSecret." .at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.storage" -}}
{{- $mode := (first .n8nTunedComponents).named.binaryDataMode -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $always := include "n8n-tuned.supports" (dict "context" . "feature" "binaryDataDatabase") -}}
{{- if and (eq $mode "database") (not $always) -}}
{{- printf "binaryData.mode: n8n %s cannot store files in the database (2.0 and newer can): use filesystem, s3 or default." $version }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $mode "default") $always -}}
{{- printf "binaryData.mode: n8n %s no longer stores files in memory: use filesystem, database or s3." $version }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $mode "filesystem") (include "n8n-tuned.isQueue" .) (not (and .Values.persistence.enabled (include "n8n-tuned.isSharedClaim" .))) -}}
{{- "binaryData.mode: in queue mode, all roles must see the same files: use database or s3, or set persistence.enabled=true and persistence.accessModes=[ReadWriteMany]." }}{{ "\n" -}}
{{- end -}}
{{- $stores := list $mode .Values.executions.dataStorage -}}
{{- if and (has "s3" $stores) (or (not .Values.binaryData.s3.host) (not .Values.binaryData.s3.bucket)) -}}
{{- printf "binaryData.s3: %s=s3 requires a host and a bucket: set binaryData.s3.host and binaryData.s3.bucket." (ternary "binaryData.mode" "executions.dataStorage" (eq $mode "s3")) }}{{ "\n" -}}
{{- end -}}
{{- if and (has "azure" $stores) (or (not .Values.binaryData.azure.account) (not .Values.binaryData.azure.container)) -}}
{{- printf "binaryData.azure: %s=azure requires an account and a container: set binaryData.azure.account and binaryData.azure.container." (ternary "binaryData.mode" "executions.dataStorage" (eq $mode "azure")) }}{{ "\n" -}}
{{- end -}}
{{- if and (eq .Values.executions.dataStorage "filesystem") (not .Values.persistence.enabled) -}}
{{- "executions.dataStorage: files on the pod's own disk are lost when the pod is deleted: set persistence.enabled=true, or remove this value." }}{{ "\n" -}}
{{- end -}}
{{- if and (eq .Values.executions.dataStorage "filesystem") (include "n8n-tuned.isQueue" .) (ne $mode "filesystem") -}}
{{- "executions.dataStorage: in queue mode, all roles must see the same files: also set binaryData.mode=filesystem with persistence.accessModes=[ReadWriteMany], or use database or s3." }}{{ "\n" -}}
{{- end -}}
{{- $claim := .Values.persistence.existingClaim -}}
{{- if and $claim (not .Values.persistence.enabled) -}}
{{- printf "persistence.existingClaim: with persistence.enabled=false, no pod mounts the claim %s: set persistence.enabled=true, or remove this value." $claim }}{{ "\n" -}}
{{- else if and $claim (include "n8n-tuned.isQueue" .) (ne $mode "filesystem") -}}
{{- printf "persistence.existingClaim: in queue mode, files are stored with binaryData.mode=%s, so no pod mounts the claim %s: remove this value, or set binaryData.mode=filesystem with persistence.accessModes=[ReadWriteMany]." $mode $claim }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.trustedCertificates.existingSecret .Values.trustedCertificates.existingConfigMap -}}
{{- "trustedCertificates: both existingSecret and existingConfigMap are set: keep only one of them." }}{{ "\n" -}}
{{- end -}}
{{- end -}}
