{{- /* The rules that the chart brings and those of the user, as `items`, maybe none. Context: root. */}}
{{- define "n8n-tuned.ruleGroups" -}}
{{- $groups := list -}}
{{- range $path, $bytes := .Files.Glob "files/monitoring/rules/*.yaml" -}}
{{- $groups = concat $groups (tpl (toString $bytes) $ | fromYaml).groups -}}
{{- end -}}
{{- dict "items" (concat $groups (.Values.monitoring.prometheusRule.groups | default list)) | toYaml -}}
{{- end -}}
