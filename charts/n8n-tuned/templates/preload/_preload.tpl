{{/* Scripts that Node.js loads before n8n (--require in NODE_OPTIONS); each says in its own words what it is for. */}}

{{/* Their file names as `items`, maybe none. Dict: context, component. */}}
{{- define "n8n-tuned.preloads" -}}
{{- $items := list -}}
{{- range (include "n8n-tuned.rows" (dict "context" .context "component" .component "rows" .context.n8nTunedEnvironment.patches) | fromJson).items -}}
{{- $items = append $items .name -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* Of the scripts that a component loads: one for another role restarts no pod of this one. Dict: context, component. */}}
{{- define "n8n-tuned.preloadChecksum" -}}
{{- $texts := list -}}
{{- range (include "n8n-tuned.preloads" . | fromYaml).items -}}
{{- $texts = append $texts ($.context.Files.Get (printf "files/preload/%s" .)) -}}
{{- end -}}
{{- join "" $texts | sha256sum -}}
{{- end -}}

{{- define "n8n-tuned.preloadFolder" -}}/etc/n8n-tuned/preload{{- end -}}

{{/* data of the ConfigMap: what any role loads. Context: root. */}}
{{- define "n8n-tuned.preloadFiles" -}}
{{- $data := dict -}}
{{- range .n8nTunedComponents -}}
{{- range (include "n8n-tuned.preloads" (dict "context" $ "component" .) | fromYaml).items -}}
{{- $_ := set $data . ($.Files.Get (printf "files/preload/%s" .)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}
