{{/* The place of the data. */}}

{{- define "n8n-tuned.databaseHost" -}}
{{- default (printf "%s-postgresql" (include "n8n-tuned.fullname" .)) .Values.database.external.host -}}
{{- end -}}

{{/*
Whether a Secret, a ConfigMap or a file says where PostgreSQL is: nobody knows then what is there. Dict: context, component.
*/}}
{{- define "n8n-tuned.hidesDatabase" -}}
{{- $own := .component.ownEnv -}}
{{- $ofEnvFrom := include "n8n-tuned.envFrom" . -}}
{{- $isHidden := false -}}
{{- range $name := list "DB_POSTGRESDB_HOST" "DB_POSTGRESDB_PORT" -}}
{{- $value := get $own $name -}}
{{- /* What envFrom has counts only where the chart's own variable is taken out. */ -}}
{{- $isFromThere := and $ofEnvFrom (hasKey $own $name) (kindIs "invalid" $value) -}}
{{- if or (kindIs "map" $value) (get $own (printf "%s_FILE" $name)) $isFromThere -}}{{- $isHidden = true -}}{{- end -}}
{{- end -}}
{{- if $isHidden -}}true{{- end -}}
{{- end -}}

{{/*
`unknown` or HOST:PORT: PostgreSQL may be a pooler that keeps no settings of a session, and the user says nothing of it.
What looks more like one is refused (n8n-tuned.validate.stores). Dict: context, component.
*/}}
{{- define "n8n-tuned.possiblePooler" -}}
{{- $external := .context.Values.database.external -}}
{{- if and (eq .context.Values.database.type "postgresql") (not $external.pooling) (ne "true" (toString .context.Values.tuning.sessionOnce)) -}}
{{- $host := include "n8n-tuned.userEnv" (merge (dict "name" "DB_POSTGRESDB_HOST" "default" ($external.host | default "")) .) -}}
{{- $port := include "n8n-tuned.userEnv" (merge (dict "name" "DB_POSTGRESDB_PORT" "default" (int $external.port)) .) | int -}}
{{- if include "n8n-tuned.hidesDatabase" . -}}unknown
{{- /* RDS Proxy, which keeps a session that sets something to itself; the pools of DigitalOcean. */ -}}
{{- else if and $host (or (eq $port 25061) (regexMatch "\\.proxy-[^.]+\\.[^.]+\\.rds\\.amazonaws\\." (lower $host))) -}}{{ $host }}:{{ $port }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.usesDatabaseTls" -}}
{{- $external := .Values.database.external -}}
{{- if and (eq .Values.database.type "postgresql") $external.host $external.tls.enabled -}}true{{- end -}}
{{- end -}}

{{/* The files of the certificates for PostgreSQL, each empty where there is none, and where they are from. */}}
{{- define "n8n-tuned.databaseCaFile" -}}
{{- $tls := .Values.database.external.tls -}}
{{- if and (include "n8n-tuned.usesDatabaseTls" .) $tls.caKey (or $tls.existingSecret $tls.existingConfigMap) -}}/etc/n8n-tuned/database-tls/{{ ternary "authority" "certificates" (not (empty $tls.existingConfigMap)) }}/{{ $tls.caKey }}{{- end -}}
{{- end -}}

{{- define "n8n-tuned.databaseCertFile" -}}
{{- $tls := .Values.database.external.tls -}}
{{- if and (include "n8n-tuned.usesDatabaseTls" .) $tls.certKey -}}/etc/n8n-tuned/database-tls/certificates/{{ $tls.certKey }}{{- end -}}
{{- end -}}

{{- define "n8n-tuned.databaseKeyFile" -}}
{{- $tls := .Values.database.external.tls -}}
{{- if and (include "n8n-tuned.usesDatabaseTls" .) $tls.keyKey -}}/etc/n8n-tuned/database-tls/certificates/{{ $tls.keyKey }}{{- end -}}
{{- end -}}

{{/* The certificates of authorities that n8n trusts in addition: their file, or empty. */}}
{{- define "n8n-tuned.trustedFile" -}}
{{- with .Values.trustedCertificates -}}
{{- if or .existingSecret .existingConfigMap -}}/etc/n8n-tuned/trusted/{{ .key }}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Mounts and volumes of these certificates; empty without any. */}}
{{- define "n8n-tuned.trustedMount" -}}
{{- if include "n8n-tuned.trustedFile" . -}}
- name: trusted-certificates
  mountPath: /etc/n8n-tuned/trusted
  readOnly: true
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.trustedVolume" -}}
{{- include "n8n-tuned.certificateVolume" (dict "name" "trusted-certificates" "from" .Values.trustedCertificates) -}}
{{- end -}}

{{- define "n8n-tuned.databaseTlsMounts" -}}
{{- if include "n8n-tuned.usesDatabaseTls" . }}
{{- range $name, $source := pick .Values.database.external.tls "existingSecret" "existingConfigMap" }}
{{- if $source }}
- name: database-{{ ternary "certificates" "authority" (eq $name "existingSecret") }}
  mountPath: /etc/n8n-tuned/database-tls/{{ ternary "certificates" "authority" (eq $name "existingSecret") }}
  readOnly: true
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.databaseTlsVolumes" -}}
{{- if include "n8n-tuned.usesDatabaseTls" . -}}
{{- $tls := .Values.database.external.tls }}
{{ include "n8n-tuned.certificateVolume" (dict "name" "database-authority" "from" (pick $tls "existingConfigMap")) }}
{{ include "n8n-tuned.certificateVolume" (dict "name" "database-certificates" "from" (pick $tls "existingSecret")) }}
{{- end -}}
{{- end -}}

{{/* Dict: name, from (existingSecret or existingConfigMap). */}}
{{- define "n8n-tuned.certificateVolume" -}}
{{- if .from.existingSecret -}}
- name: {{ .name }}
  secret:
    secretName: {{ .from.existingSecret | quote }}
{{- else if .from.existingConfigMap -}}
- name: {{ .name }}
  configMap:
    name: {{ .from.existingConfigMap | quote }}
{{- end -}}
{{- end -}}

{{/* Both, for n8n itself. */}}
{{- define "n8n-tuned.certificateMounts" -}}
{{ include "n8n-tuned.trustedMount" . }}
{{- include "n8n-tuned.databaseTlsMounts" . }}
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

{{/* Whether Services may have addresses of IPv6 alone, which n8n's client of Redis looks up only if it is told to. */}}
{{- define "n8n-tuned.hasIpv6" -}}
{{- if has "IPv6" (.Values.service.ipFamilies | default list) -}}true{{- end -}}
{{- end -}}

{{/* Whom n8n reaches without a proxy: itself, and every Service of this release, by each of its names. Empty without a proxy. */}}
{{- define "n8n-tuned.noProxy" -}}
{{- $proxy := .Values.outboundProxy -}}
{{- $isThere := or $proxy.http $proxy.https -}}
{{- range $component := .n8nTunedComponents -}}
{{- range $name := list "HTTP_PROXY" "HTTPS_PROXY" "ALL_PROXY" "http_proxy" "https_proxy" "all_proxy" -}}
{{- if get $component.ownEnv $name -}}{{- $isThere = true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- if $isThere -}}
{{- $names := list "localhost" "127.0.0.1" "::1" -}}
{{- $full := include "n8n-tuned.fullname" . -}}
{{- range list "" "-webhook" "-mcp" "-redis" "-postgresql" -}}
{{- $names = append $names (printf "%s%s" $full .) -}}
{{- end -}}
{{- $names = append $names (printf ".%s" (include "n8n-tuned.namespace" .)) -}}
{{- concat $names (list ".svc" ".svc.cluster.local") ($proxy.noProxy | default list) | uniq | join "," -}}
{{- end -}}
{{- end -}}
