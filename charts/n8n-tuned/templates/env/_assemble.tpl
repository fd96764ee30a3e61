{{/*
The environment of a component. Layers in order; each name once; a later layer wins; `env` and `<role>.env` are
the last ones, and null there takes a variable out. What this n8n does not have is left out (files/versions.yaml).
Dict: context, component.
*/}}
{{- define "n8n-tuned.env" -}}
{{- $version := include "n8n-tuned.version" .context -}}
{{- $ranges := (include "n8n-tuned.versionFacts" .context | fromYaml).variables -}}
{{- $names := list -}}
{{- $entries := dict -}}
{{- range $layer := list "general" "executions" "database" "redis" "traffic" "tuning" "memory" "runners" "binaryData" "metrics" -}}
{{- range include (printf "n8n-tuned.env.%s" $layer) $ | fromYamlArray -}}
{{- if or (not (hasKey $ranges .name)) (semverCompare (get $ranges .name) $version) -}}
{{- $names = append $names .name -}}
{{- $_ := set $entries .name . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $own := mergeOverwrite (deepCopy .context.Values.env) (deepCopy (.component.settings.env | default dict)) -}}
{{- range $name, $value := $own -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $entries $name -}}
{{- else -}}
{{- $names = append $names $name -}}
{{- if kindIs "map" $value -}}
{{- $_ := set $entries $name (merge (dict "name" $name) $value) -}}
{{- else -}}
{{- $_ := set $entries $name (dict "name" $name "value" (include "n8n-tuned.plain" $value)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $list := list -}}
{{- range uniq $names -}}
{{- if hasKey $entries . -}}{{- $list = append $list (get $entries .) -}}{{- end -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}

{{/*
The value of a variable as all roles see it, or with `component` as that one does, for what must stay in step with it.
Dict: context, name, default, and maybe component.
*/}}
{{- define "n8n-tuned.userEnv" -}}
{{- $own := dict -}}
{{- with .component -}}{{- $own = .settings.env | default dict -}}{{- end -}}
{{- $value := ternary (get $own .name) (get .context.Values.env .name) (hasKey $own .name) -}}
{{- if or (kindIs "invalid" $value) (kindIs "map" $value) (eq "" (toString $value)) -}}{{ .default }}{{- else -}}{{ include "n8n-tuned.plain" $value }}{{- end -}}
{{- end -}}
