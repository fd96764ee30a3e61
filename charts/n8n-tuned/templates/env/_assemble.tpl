{{/*
The environment of a component: what files/environment.yaml says, and over it the user's `env` and `<role>.env`, where null
takes a variable out. Each name once. n8n reads NAME or the file of NAME_FILE, and `envFrom` loses against `env`, so what
the user gives in one of these ways takes the chart's other one out. Dict: context, component.
*/}}
{{- define "n8n-tuned.env" -}}
{{- $names := list -}}
{{- $entries := dict -}}
{{- range include "n8n-tuned.rowEntries" (dict "context" .context "component" .component "rows" .context.n8nTunedEnvironment.variables) | fromYamlArray -}}
{{- $names = append $names .name -}}
{{- $_ := set $entries .name . -}}
{{- end -}}
{{- if include "n8n-tuned.envFrom" . -}}
{{- range .context.Values.secretsInEnvFrom -}}{{- $_ := unset $entries (trimSuffix "_FILE" .) -}}{{- end -}}
{{- end -}}
{{- range $name, $value := .component.ownEnv -}}
{{- $other := ternary (trimSuffix "_FILE" $name) (printf "%s_FILE" $name) (hasSuffix "_FILE" $name) -}}
{{- if and $value (not (hasKey $.component.ownEnv $other)) -}}{{- $_ := unset $entries $other -}}{{- end -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $entries $name -}}
{{- else -}}
{{- $names = append $names $name -}}
{{- $_ := set $entries $name (include "n8n-tuned.envEntry" (dict "name" $name "value" $value) | fromYaml) -}}
{{- end -}}
{{- end -}}
{{- $list := list -}}
{{- range uniq $names -}}
{{- if hasKey $entries . -}}{{- $list = append $list (get $entries .) -}}{{- end -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}

{{/* An env entry of a value of the user's: a scalar, or a map with `valueFrom`. Dict: name, value. */}}
{{- define "n8n-tuned.envEntry" -}}
{{- if kindIs "map" .value -}}
{{- merge (dict "name" .name) .value | toYaml -}}
{{- else -}}
{{- dict "name" .name "value" (include "n8n-tuned.plain" .value) | toYaml -}}
{{- end -}}
{{- end -}}

{{/* A variable as the user gives it to a component, for what must stay in step with it. Dict: context, component, name, default. */}}
{{- define "n8n-tuned.userEnv" -}}
{{- $value := get .component.ownEnv .name -}}
{{- if or (kindIs "invalid" $value) (kindIs "map" $value) (eq "" (toString $value)) -}}{{ .default }}{{- else -}}{{ include "n8n-tuned.plain" $value }}{{- end -}}
{{- end -}}

{{/* The same for a whole number from 1; n8n does not take anything else. */}}
{{- define "n8n-tuned.userNumber" -}}
{{- $value := include "n8n-tuned.userEnv" . -}}
{{- ternary $value (toString .default) (regexMatch "^[1-9][0-9]*$" $value) -}}
{{- end -}}

{{/* Secrets and ConfigMaps whose entries become variables, as a list; empty without any. Dict: context, component. */}}
{{- define "n8n-tuned.envFrom" -}}
{{- with concat (.context.Values.envFrom | default list) (.component.settings.envFrom | default list) -}}
{{- toYaml . -}}
{{- end -}}
{{- end -}}

{{/* Variables that the user cannot change because Services, probes and policies rest on them. */}}
{{- define "n8n-tuned.validate.ports" -}}
{{- range $component := .n8nTunedComponents -}}
{{- $own := $component.ownEnv -}}
{{- range $name := list "N8N_PORT" "QUEUE_HEALTH_CHECK_PORT" -}}
{{- $value := get $own $name -}}
{{- if not (or (kindIs "invalid" $value) (has (toString $value) (list "" "5678"))) -}}
{{- printf "env.%s: Services, probes and policies connect to port 5678 of n8n in %s: remove the variable, and set service.port to change the port of the Service." $name $component.at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
