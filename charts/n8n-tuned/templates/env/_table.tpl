{{/*
What files/environment.yaml says, where its expressions are described. cli/src/plan/environment.ts reads the same file; the
cases of test/support/environment-cases.yaml hold for both.
*/}}

{{/* An expression as JSON: its value under `is`. Dict: context, component, of. */}}
{{- define "n8n-tuned.evaluate" -}}
{{- $is := .of -}}
{{- if kindIs "string" .of -}}
{{- $is = (include "n8n-tuned.lookUp" . | fromJson).is -}}
{{- else if kindIs "map" .of -}}
{{- $operator := keys .of | first -}}
{{- $given := get .of $operator -}}
{{- $own := .component.ownEnv -}}
{{- if eq $operator "text" -}}{{- $is = $given -}}
{{- else if eq $operator "variable" -}}{{- $is = include "n8n-tuned.userEnv" (dict "context" .context "component" .component "name" $given "default" "") -}}
{{- else if eq $operator "number" -}}{{- $is = include "n8n-tuned.userNumber" (dict "context" .context "component" .component "name" $given "default" "") -}}
{{- else if eq $operator "sets" -}}{{- $is = hasKey $own $given -}}
{{- else if eq $operator "supports" -}}{{- $is = not (empty (include "n8n-tuned.supports" (dict "context" .context "feature" $given))) -}}
{{- else if eq $operator "heap" -}}{{- $is = get (include "n8n-tuned.heap" . | fromYaml) (printf "%sMiB" $given) -}}
{{- else if eq $operator "chart" -}}{{- $is = include (printf "n8n-tuned.%s" $given) . -}}
{{- else if eq $operator "release" -}}{{- $is = include (printf "n8n-tuned.%s" $given) .context -}}
{{- else if eq $operator "is" -}}
{{- $is = has (include "n8n-tuned.asText" (dict "context" .context "component" .component "of" (first $given))) (rest $given) -}}
{{- else -}}
{{- $values := list -}}
{{- range ternary $given (list $given) (kindIs "slice" $given) -}}
{{- $values = append $values (include "n8n-tuned.evaluate" (dict "context" $.context "component" $.component "of" .) | fromJson).is -}}
{{- end -}}
{{- if eq $operator "not" -}}{{- $is = empty (first $values) -}}
{{- else if eq $operator "all" -}}{{- $is = true -}}{{- range $values -}}{{- if not . -}}{{- $is = false -}}{{- end -}}{{- end -}}
{{- else if eq $operator "any" -}}{{- $is = false -}}{{- range $values -}}{{- if . -}}{{- $is = true -}}{{- end -}}{{- end -}}
{{- else if eq $operator "if" -}}{{- $is = index $values (ternary 2 1 (empty (first $values))) -}}
{{- else if eq $operator "default" -}}{{- $is = "" -}}{{- range $values -}}{{- if not $is -}}{{- $is = . -}}{{- end -}}{{- end -}}
{{- else if eq $operator "join" -}}{{- $is = join "," (first $values) -}}
{{- else if eq $operator "over" -}}{{- $is = divf (first $values) (last $values) | ceil -}}
{{- else -}}
{{- $is = first $values | int64 -}}
{{- range rest $values -}}
{{- if eq $operator "min" -}}{{- $is = min $is . -}}
{{- else if eq $operator "max" -}}{{- $is = max $is . -}}
{{- else if eq $operator "times" -}}{{- $is = mul $is . -}}
{{- else -}}{{- fail (printf "files/environment.yaml has an operator %q, which nobody knows" $operator) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "is" $is | toJson -}}
{{- end -}}

{{/* The same as the text of a variable; empty where it is not set. Dict: context, component, of. */}}
{{- define "n8n-tuned.asText" -}}
{{- $is := (include "n8n-tuned.evaluate" . | fromJson).is -}}
{{- if not (kindIs "invalid" $is) -}}{{- include "n8n-tuned.plain" $is -}}{{- end -}}
{{- end -}}

{{/* What stands at a place, as JSON under `is`. Dict: context, component, of. */}}
{{- define "n8n-tuned.lookUp" -}}
{{- $names := splitList "." .of -}}
{{- $at := .context.Values -}}
{{- if hasKey .component.named .of -}}{{- $at = get .component.named .of -}}{{- $names = list -}}
{{- else if eq .of "role" -}}{{- $at = .component.role -}}{{- $names = list -}}
{{- else if eq .of "nodeOptions" -}}{{- $at = include "n8n-tuned.nodeOptions" . -}}{{- $names = list -}}
{{- else if eq (first $names) "own" -}}{{- $at = .component.settings -}}{{- $names = rest $names -}}
{{- else if eq (first $names) "tuning" -}}
{{- $name := last $names -}}
{{- $names = list -}}
{{- $profiles := get .context.n8nTunedEnvironment.tuning $name -}}
{{- $profile := .context.Values.tuning.profile -}}
{{- /* Helm 4 drops what is null, Helm 3 keeps it. */ -}}
{{- $at = get .context.Values.tuning $name -}}
{{- if or (kindIs "invalid" $at) (not (hasKey .context.Values.tuning $name)) -}}
{{- $at = ternary (get $profiles $profile) $profiles.default (hasKey $profiles $profile) -}}
{{- end -}}
{{- end -}}
{{- range $names -}}
{{- $at = ternary (get (ternary $at dict (kindIs "map" $at)) .) "" (kindIs "map" $at) -}}
{{- end -}}
{{- dict "is" $at | toJson -}}
{{- end -}}

{{/* Those of some rows that a component gets, as `items`. Dict: context, component, rows. */}}
{{- define "n8n-tuned.rows" -}}
{{- $items := list -}}
{{- range .rows -}}
{{- if and (or (not .roles) (has $.component.role .roles)) (or (not .n8n) (semverCompare .n8n (include "n8n-tuned.version" $.context))) -}}
{{- if or (not (hasKey . "when")) (include "n8n-tuned.evaluate" (dict "context" $.context "component" $.component "of" .when) | fromJson).is -}}
{{- $items = append $items . -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "items" $items | toJson -}}
{{- end -}}

{{/* Env entries from rows, as a list. Dict: context, component, rows. */}}
{{- define "n8n-tuned.rowEntries" -}}
{{- $entries := list -}}
{{- range (include "n8n-tuned.rows" . | fromJson).items -}}
{{- if not .secret -}}
{{- $text := include "n8n-tuned.asText" (dict "context" $.context "component" $.component "of" .value) -}}
{{- if $text -}}{{- $entries = append $entries (dict "name" .name "value" $text) -}}{{- end -}}
{{- else if .secret.of -}}
{{- $entries = concat $entries (include "n8n-tuned.secretEnv" (dict "context" $.context "what" .secret.of "variable" .name) | fromYamlArray) -}}
{{- else -}}
{{- $name := include "n8n-tuned.asText" (dict "context" $.context "component" $.component "of" .secret.name) -}}
{{- $key := include "n8n-tuned.asText" (dict "context" $.context "component" $.component "of" .secret.key) -}}
{{- if and $name $key -}}
{{- $entries = append $entries (dict "name" .name "valueFrom" (dict "secretKeyRef" (dict "name" $name "key" $key))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $entries -}}
{{- end -}}
