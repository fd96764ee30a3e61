{{/*
What is done to the values once, before anything is rendered from them: texts that a parent chart fills are templates, as
`hosts: ['{{ .Values.global.domain }}']`. Every file that renders something includes this first. The root is one map for all
files of a rendering, so what is written into it here is there for all.
*/}}
{{- define "n8n-tuned.prepare" -}}
{{- if not (hasKey . "n8nTunedIsPrepared") -}}
{{- $_ := set . "n8nTunedIsPrepared" true -}}
{{- if not (.Files.Get "files/recover.cjs") -}}
{{- fail "This chart is in a checkout that was not built: run make build in the checkout, or use a packed chart." -}}
{{- end -}}
{{- $_ := set . "n8nTunedVersions" (.Files.Get "files/versions.yaml" | fromYaml) -}}
{{- $_ := set . "n8nTunedEnvironment" (.Files.Get "files/environment.yaml" | fromYaml) -}}
{{- range concat .n8nTunedEnvironment.variables .n8nTunedEnvironment.patches -}}
{{- if eq (toString .n8n) "config" -}}{{- $_ := set . "n8n" (get $.n8nTunedVersions.variables .name) -}}{{- end -}}
{{- end -}}
{{- include "n8n-tuned.fillUnset" . -}}
{{- $values := .Values -}}
{{- $blocks := list $values.env $values.envFrom $values.commonLabels $values.commonAnnotations $values.ingress $values.httpRoute $values.service $values.serviceAccount $values.webhook.service $values.persistence $values.trustedCertificates $values.binaryData.s3 $values.binaryData.azure $values.license $values.sentry $values.communityPackages $values.taskRunners.env $values.taskRunners.authToken $values.helperPods $values.database.external.tls $values.redis.external.tls -}}
{{- range concat (list $values.pod $values.main $values.worker $values.webhook) ($values.worker.pools | default list) -}}
{{- $blocks = concat $blocks (list .env .envFrom .podLabels .podAnnotations .annotations) -}}
{{- end -}}
{{- range $blocks -}}
{{- include "n8n-tuned.fill" (dict "context" $ "of" .) -}}
{{- end -}}
{{- /* Single texts. Never a key or a password, in which braces are braces. */ -}}
{{- range list
  (list $values "publicUrl") (list $values "webhookUrl") (list $values.encryptionKey "existingSecret")
  (list $values.database.external "host" "database" "user" "schema" "existingSecret") (list $values.database.own "existingSecret" "user" "database") (list $values.database "tablePrefix")
  (list $values.redis.external "host" "user" "existingSecret" "clusterNodes") (list $values.redis.own "existingSecret")
  (list $values.redis.external.sentinel "nodes" "master" "existingSecret") -}}
{{- $block := first . -}}
{{- range $key := rest . -}}
{{- $picked := pick $block $key -}}
{{- include "n8n-tuned.fill" (dict "context" $ "of" $picked) -}}
{{- range $name, $text := $picked -}}{{- $_ := set $block $name $text -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- include "n8n-tuned.prepareComponents" . -}}
{{- end -}}
{{- end -}}

{{/* Fills the templates in the texts of a map or a list of maps, in place. Dict: context, of. */}}
{{- define "n8n-tuned.fill" -}}
{{- if kindIs "map" .of -}}
{{- range $key, $value := .of -}}
{{- if and (kindIs "string" $value) (contains "{{" $value) -}}
{{- $_ := set $.of $key (tpl $value $.context) -}}
{{- else if kindIs "slice" $value -}}
{{- $filled := list -}}
{{- range $entry := $value -}}
{{- if and (kindIs "string" $entry) (contains "{{" $entry) -}}
{{- $filled = append $filled (tpl $entry $.context) -}}
{{- else -}}
{{- include "n8n-tuned.fill" (dict "context" $.context "of" $entry) -}}
{{- $filled = append $filled $entry -}}
{{- end -}}
{{- end -}}
{{- $_ := set $.of $key $filled -}}
{{- else -}}
{{- include "n8n-tuned.fill" (dict "context" $.context "of" $value) -}}
{{- end -}}
{{- end -}}
{{- else if kindIs "slice" .of -}}
{{- range .of -}}{{- include "n8n-tuned.fill" (dict "context" $.context "of" .) -}}{{- end -}}
{{- end -}}
{{- end -}}
