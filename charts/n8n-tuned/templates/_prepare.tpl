{{/*
What is done to the values once, before anything is rendered from them: texts that a parent chart fills are templates, as
`hosts: ['{{ .Values.global.domain }}']`. Every file that renders something includes this first. The root is one map for all
files of a rendering, so what is written into it here is there for all.
*/}}
{{- define "n8n-tuned.prepare" -}}
{{- if not (hasKey . "n8nTunedIsPrepared") -}}
{{- $_ := set . "n8nTunedIsPrepared" true -}}
{{- if not (.Files.Get "files/recover.cjs") -}}
{{- fail "This checkout has not been built: run make build in it, or use a chart archive (.tgz)." -}}
{{- end -}}
{{- $_ := set . "n8nTunedForeign" dict -}}
{{- $_ := set . "n8nTunedVersions" (.Files.Get "files/versions.yaml" | fromYaml) -}}
{{- $_ := set . "n8nTunedEnvironment" (.Files.Get "files/environment.yaml" | fromYaml) -}}
{{- range concat .n8nTunedEnvironment.variables .n8nTunedEnvironment.patches -}}
{{- if eq (toString .n8n) "config" -}}{{- $_ := set . "n8n" (get $.n8nTunedVersions.variables .name) -}}{{- end -}}
{{- end -}}
{{- include "n8n-tuned.fillUnset" . -}}
{{- /* Helm reads a bare `off` as false. */ -}}
{{- if eq "false" (toString .Values.tuning.patches) -}}{{- $_ := set .Values.tuning "patches" "off" -}}{{- end -}}
{{- $values := .Values -}}
{{- $blocks := list
  $values.env $values.envFrom $values.commonLabels $values.commonAnnotations
  $values.ingress $values.httpRoute $values.service $values.serviceAccount $values.webhook.service
  $values.persistence $values.trustedCertificates $values.binaryData.s3 $values.binaryData.azure $values.license $values.sentry
  $values.communityPackages $values.taskRunners.env $values.taskRunners.authToken $values.helperPods
  $values.database.external.tls $values.redis.external.tls -}}
{{- range concat (list $values.pod $values.main $values.worker $values.webhook) ($values.worker.pools | default list) -}}
{{- $blocks = concat $blocks (list .env .envFrom .podLabels .podAnnotations .annotations) -}}
{{- end -}}
{{- range $blocks -}}
{{- include "n8n-tuned.fill" (dict "context" $ "of" .) -}}
{{- end -}}
{{- /* Single texts. Never a key or a password, in which braces are braces. */ -}}
{{- range list
  (list $values "publicUrl") (list $values "webhookUrl") (list $values.encryptionKey "existingSecret")
  (list $values.database.external "host" "database" "user" "schema" "existingSecret")
  (list $values.database.own "existingSecret" "user" "database") (list $values.database "tablePrefix")
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
{{- include "n8n-tuned.prepareSecrets" . -}}
{{- end -}}
{{- end -}}

{{/*
The first expression of a text that was written for another program, or nothing: it reads a field or a variable that Helm has not, of
which Helm would leave an empty text or refuse the chart in its own words, or begins with a function of Vault's templates.
*/}}
{{- define "n8n-tuned.foreignExpression" -}}
{{- /* Braces around a quoted text are how braces of others are written, and a comment is no expression. */ -}}
{{- $template := regexReplaceAll "\\{\\{-?\\s*(\"[^\"]*\"|`[^`]*`|/\\*(?s:.*?)\\*/)\\s*-?\\}\\}" . "" -}}
{{- $all := regexFindAll "\\{\\{-?\\s*((with|range|if)\\s+)?(secret|secrets|pkiCert|key)\\s+[\"`][^}]*\\}\\}" $template -1 -}}
{{- if not (regexMatch "\\{\\{-?\\s*(range|with|define|block|((else\\s+)?if\\s+)?\\$\\w+\\s*:=)" $template) -}}
{{- range regexFindAll "\\{\\{[^}]*\\}\\}" $template -1 -}}
{{- $field := regexFind "(^|[\\s({-])[.$][A-Za-z]\\w*" (regexReplaceAll "\"[^\"]*(\"|$)|`[^`]*(`|$)" . "") | trimAll " ({-\t\n" -}}
{{- if not (has $field (list "" ".Values" ".Release" ".Chart" ".Capabilities" ".Files" ".Template" ".Subcharts")) -}}
{{- $all = append $all . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- first $all | default "" -}}
{{- end -}}

{{- define "n8n-tuned.foreignSentence" -}}
{{- printf "%s: Helm evaluates %s, but does not know the name in this expression: correct the name, or, if the expression is for another program, write {{ `%s` }}." .at .expression .expression -}}
{{- end -}}

{{/* A text of the user's, filled. Dict: context, key, text. */}}
{{- define "n8n-tuned.filledText" -}}
{{- $foreign := include "n8n-tuned.foreignExpression" .text -}}
{{- if $foreign -}}{{- $_ := set .context.n8nTunedForeign (toString .key) $foreign -}}{{- else -}}{{- tpl .text .context -}}{{- end -}}
{{- end -}}

{{/* Fills the templates in the texts of a map or a list of maps, in place. Dict: context, of. */}}
{{- define "n8n-tuned.fill" -}}
{{- if kindIs "map" .of -}}
{{- range $key, $value := .of -}}
{{- if and (kindIs "string" $value) (contains "{{" $value) -}}
{{- $_ := set $.of $key (include "n8n-tuned.filledText" (dict "context" $.context "key" $key "text" $value)) -}}
{{- else if kindIs "slice" $value -}}
{{- $filled := list -}}
{{- range $entry := $value -}}
{{- if and (kindIs "string" $entry) (contains "{{" $entry) -}}
{{- $filled = append $filled (include "n8n-tuned.filledText" (dict "context" $.context "key" $key "text" $entry)) -}}
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
