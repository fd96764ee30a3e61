{{/* Scripts that Node.js loads before n8n (--require in NODE_OPTIONS); each says in its own words what it is for. */}}

{{/* data of the ConfigMap for some scripts: these, and all that scripts share. Dict: context, items. */}}
{{- define "n8n-tuned.preloadData" -}}
{{- $names := list -}}
{{- range .context.n8nTunedEnvironment.patches -}}{{- $names = append $names .name -}}{{- end -}}
{{- $data := dict -}}
{{- if .items -}}
{{- range $path, $_ := .context.Files.Glob "files/preload/*" -}}
{{- $name := base $path -}}
{{- if or (has $name $.items) (not (has $name $names)) -}}
{{- $_ := set $data $name ($.context.Files.Get $path) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{- define "n8n-tuned.preloadFolder" -}}/etc/n8n-tuned/preload{{- end -}}

