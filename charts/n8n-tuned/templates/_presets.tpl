{{/*
What the user leaves unset comes from the presets that `preset` names, the later one first, and then from
files/defaults.yaml. In `resources` and `podSecurityContext` null takes a key out: values.yaml has no key there for it to
meet, so Helm keeps it. Null for one of these as a whole takes all of it out: Helm then drops the map of values.yaml.
Everywhere else null means "not set".
*/}}

{{/* Fills the values in place, once per render. Context: root. */}}
{{- define "n8n-tuned.fillUnset" -}}
{{- $presets := .Values.preset | default list -}}
{{- if kindIs "string" $presets -}}{{- $presets = list $presets -}}{{- end -}}
{{- $_ := set . "n8nTunedPresetOfStore" dict -}}
{{- range $preset := reverse $presets -}}
{{- $before := dict -}}
{{- range $store := list "database" "redis" -}}{{- $_ := set $before $store (include "n8n-tuned.asksForTls" (get $.Values $store)) -}}{{- end -}}
{{- include "n8n-tuned.fillFrom" (dict "of" $.Values "from" ($.Files.Get (printf "presets/%s.yaml" $preset) | fromYaml) "isTakenOut" false) -}}
{{- range $store, $asked := $before -}}
{{- if and (not $asked) (include "n8n-tuned.asksForTls" (get $.Values $store)) -}}{{- $_ := set $.n8nTunedPresetOfStore $store $preset -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- include "n8n-tuned.fillFrom" (dict "of" .Values "from" (.Files.Get "files/defaults.yaml" | fromYaml) "isTakenOut" false) -}}
{{- range list .Values.pod .Values.main .Values.worker .Values.webhook .Values.database.own .Values.redis.own -}}
{{- range pick . "resources" "podSecurityContext" -}}{{- include "n8n-tuned.withoutNull" . -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* Whether a store of the user's is asked for with TLS. The values of the store. */}}
{{- define "n8n-tuned.asksForTls" -}}
{{- with . -}}{{- with .external -}}{{- with .tls -}}{{- if eq true .enabled -}}true{{- end -}}{{- end -}}{{- end -}}{{- end -}}
{{- end -}}

{{/* Dict: of, from (two maps), isTakenOut (whether null takes a key out of these). */}}
{{- define "n8n-tuned.fillFrom" -}}
{{- range $key, $value := .from -}}
{{- $isGiven := and (hasKey $.of $key) (not (kindIs "invalid" (get $.of $key))) -}}
{{- $isTakenOut := ternary (hasKey $.of $key) (has $key (list "resources" "podSecurityContext")) $.isTakenOut -}}
{{- if not (or $isGiven $isTakenOut) -}}
{{- $_ := set $.of $key $value -}}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $.of $key)) -}}
{{- include "n8n-tuned.fillFrom" (dict "of" (get $.of $key) "from" $value "isTakenOut" (or $.isTakenOut (has $key (list "resources" "podSecurityContext")))) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Takes the keys that are null out of a map and of the maps in it, in place. */}}
{{- define "n8n-tuned.withoutNull" -}}
{{- $map := . -}}
{{- range $key, $value := $map -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $map $key -}}
{{- else if kindIs "map" $value -}}
{{- include "n8n-tuned.withoutNull" $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
