{{/* Contradictions of where data, secrets and files are. */}}

{{/* What is said of a server of the user's, and no server named: the release would deploy its own and ignore it. */}}
{{- define "n8n-tuned.validate.stores" -}}
{{- $database := .Values.database.external -}}
{{- $ofServer := dict
  "password" $database.password
  "existingSecret" $database.existingSecret
  "passwordless" $database.passwordless
  "port" (ne (int $database.port) 5432)
  "user" (ne $database.user "n8n")
  "database" (ne $database.database "n8n")
  "schema" (not (has $database.schema (list "" "public")))
  "tls.enabled" $database.tls.enabled
  "tls.existingSecret" $database.tls.existingSecret -}}
{{- if eq .Values.database.type "sqlite" -}}
{{- with include "n8n-tuned.given" (merge (dict "host" $database.host) $ofServer) -}}
{{- printf "database.type: it is sqlite, a file of n8n's own, and database.external (%s) would be ignored: set database.type=postgresql, or remove database.external." . }}{{ "\n" -}}
{{- end -}}
{{- else if not $database.host -}}
{{- with include "n8n-tuned.given" $ofServer -}}
{{- printf "database.external (%s): this is for a server of yours, but the release deploys its own PostgreSQL: set database.external.host, or remove it. User and database of the own one are database.own.user and database.own.database." . }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if include "n8n-tuned.ownDatabase" . -}}
{{- $tag := toString .Values.database.own.image.tag -}}
{{- $major := regexFind "^[0-9]+" $tag -}}
{{- with lookup "apps/v1" "StatefulSet" (include "n8n-tuned.namespace" .) (printf "%s-postgresql" (include "n8n-tuned.fullname" .)) -}}
{{- $runs := regexFind "^[0-9]+" ((first .spec.template.spec.containers).image | splitList ":" | last) -}}
{{- if and $major $runs (ne $major $runs) -}}
{{- printf "database.own.image.tag: the volume holds data of PostgreSQL %s, which %s cannot read: set it to %s to go on with that one, or move the data as docs/chart/postgresql.md says." $runs $tag $runs }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $tls := $database.tls -}}
{{- if ne (empty $tls.certKey) (empty $tls.keyKey) -}}
{{- printf "database.external.tls: a client's certificate and its private key go together, and %s is missing: set both, or neither." (ternary "certKey" "keyKey" (empty $tls.certKey)) }}{{ "\n" -}}
{{- end -}}
{{- if and $tls.certKey (not $tls.existingSecret) -}}
{{- "database.external.tls.existingSecret: certKey and keyKey are keys in this Secret, and it is not named: set it." }}{{ "\n" -}}
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
{{- with $given -}}
{{- printf "redis.external (%s): this is for a Redis of yours, but the release deploys its own: set redis.external.host (or clusterNodes, or sentinel.nodes), or remove it." . }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.secrets" -}}
{{- $key := .Values.encryptionKey -}}
{{- if and $key.existingSecret $key.value -}}
{{- "encryptionKey: both existingSecret and value are set: keep one." }}{{ "\n" -}}
{{- end -}}
{{- $origin := (include "n8n-tuned.secret" (dict "context" . "what" "encryptionKey") | fromYaml).origin -}}
{{- $byEnv := include "n8n-tuned.rolesWithVariable" (dict "context" . "name" "N8N_ENCRYPTION_KEY") -}}
{{- if and $byEnv (ne $origin "env") (or $key.existingSecret $key.value) -}}
{{- printf "encryptionKey: env.N8N_ENCRYPTION_KEY gives a key as well and would win: keep one." }}{{ "\n" -}}
{{- else if eq $byEnv "some" -}}
{{- printf "env.N8N_ENCRYPTION_KEY: not every role has it, and all must read with the same key: set it under env, for all roles." }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $origin "generated") (eq .Values.database.type "postgresql") .Values.database.external.host $key.generate -}}
{{- "encryptionKey: an external database outlives this cluster, and a key made here would not, leaving its credentials unreadable: make a Secret and set encryptionKey.existingSecret." }}{{ "\n" -}}
{{- end -}}
{{- $places := dict "encryptionKey" "encryptionKey.existingSecret" "database" "database.own.existingSecret" "redis" "redis.own.existingSecret" "runners" "taskRunners.authToken.existingSecret" -}}
{{- if not $key.generate -}}
{{- $missing := list -}}
{{- range (include "n8n-tuned.generatedSecrets" . | fromYaml).items -}}{{- $missing = append $missing (get $places .what) -}}{{- end -}}
{{- if has "encryptionKey.existingSecret" $missing -}}
{{- "encryptionKey: n8n needs a key that never changes: set encryptionKey.existingSecret, or encryptionKey.generate=true to have one made in the cluster." }}{{ "\n" -}}
{{- end -}}
{{- with without $missing "encryptionKey.existingSecret" -}}
{{- printf "encryptionKey.generate: it is false, so nothing is made in the cluster, and a Secret is missing: set %s, or encryptionKey.generate=true." (join " and " .) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- $external := .Values.database.external -}}
{{- if and $external.passwordless (or $external.existingSecret $external.password) -}}
{{- "database.external.passwordless: existingSecret or password gives a password as well: keep one." }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.database.own.existingSecret (not (include "n8n-tuned.ownDatabase" .)) -}}
{{- "database.own.existingSecret: this release deploys no PostgreSQL of its own: set database.external.existingSecret, or remove it." }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.redis.own.existingSecret (not (include "n8n-tuned.ownRedis" .)) -}}
{{- "redis.own.existingSecret: this release deploys no Redis of its own: set redis.external.existingSecret, or remove it." }}{{ "\n" -}}
{{- end -}}
{{- range $at, $own := dict "database.external" .Values.database.external "redis.external" .Values.redis.external -}}
{{- if and $own.existingSecret $own.password -}}
{{- printf "%s: both existingSecret and password are set: keep one." $at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.database.type "postgresql") .Values.database.external.host (not .Values.database.external.passwordless) (eq "none" (include "n8n-tuned.secret" (dict "context" . "what" "database") | fromYaml).origin) -}}
{{- "database.external: a password is missing: set database.external.existingSecret, env.DB_POSTGRESDB_PASSWORD for all roles, or database.external.passwordless=true where the server asks for none." }}{{ "\n" -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.storage" -}}
{{- $mode := include "n8n-tuned.binaryDataMode" . -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $always := include "n8n-tuned.supports" (dict "context" . "feature" "binaryDataDatabase") -}}
{{- if and (eq $mode "database") (not $always) -}}
{{- printf "binaryData.mode: n8n %s cannot keep files in the database (2.0 can): use filesystem, s3 or default." $version }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $mode "default") $always -}}
{{- printf "binaryData.mode: n8n %s no longer keeps files in memory: use filesystem, database or s3." $version }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $mode "filesystem") (include "n8n-tuned.isQueue" .) (not (and .Values.persistence.enabled (include "n8n-tuned.isSharedClaim" .))) -}}
{{- "binaryData.mode: in queue mode all roles must see the same files: use database or s3, or persistence.enabled with persistence.accessModes=[ReadWriteMany]." }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $mode "s3") (or (not .Values.binaryData.s3.host) (not .Values.binaryData.s3.bucket)) -}}
{{- "binaryData.s3: host and bucket are needed with binaryData.mode=s3." }}{{ "\n" -}}
{{- end -}}
{{- $claim := .Values.persistence.existingClaim -}}
{{- if and $claim (not .Values.persistence.enabled) -}}
{{- printf "persistence.existingClaim: with persistence.enabled=false nothing mounts the claim %s: set persistence.enabled=true, or remove it." $claim }}{{ "\n" -}}
{{- else if and $claim (include "n8n-tuned.isQueue" .) (ne $mode "filesystem") -}}
{{- printf "persistence.existingClaim: in queue mode files are in binaryData.mode=%s, so nothing mounts the claim %s: remove it, or set binaryData.mode=filesystem with persistence.accessModes=[ReadWriteMany]." $mode $claim }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.trustedCertificates.existingSecret .Values.trustedCertificates.existingConfigMap -}}
{{- "trustedCertificates: both existingSecret and existingConfigMap are set: keep one." }}{{ "\n" -}}
{{- end -}}
{{- end -}}
