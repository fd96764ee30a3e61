{{/* Every contradiction in one sentence: what, where, and what to do. */}}
{{- define "n8n-load.validate" -}}
{{- if not (.Files.Get "files/workflows/catalogue.json") -}}
{{- fail "This checkout has not been built: run make build in it, or use a chart archive (.tgz)." -}}
{{- end -}}
{{- $found := "" -}}
{{- range $check := list "loadTargets" "loadTest" "quantities" -}}
{{- $found = printf "%s%s" $found (include (printf "n8n-load.validate.%s" $check) $) -}}
{{- end -}}
{{- $sentences := splitList "\n" $found | compact | uniq -}}
{{- if gt (len $sentences) 1 -}}{{- fail (printf "%d contradictions:\n- %s" (len $sentences) (join "\n- " $sentences)) -}}{{- end -}}
{{- range $sentences -}}{{- fail . -}}{{- end -}}
{{- end -}}

{{- define "n8n-load.validate.quantities" -}}
{{- range $part, $amounts := pick .Values.loadTest.resources "requests" "limits" -}}
{{- range $what, $amount := $amounts -}}
{{- if not (regexMatch "^([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][0-9]+|[EPTGMK]i?|[numk])?$" (toString $amount)) -}}
{{- printf "loadTest.resources.%s.%s: %q is not a quantity: use a form such as 500m or 256Mi." $part $what (toString $amount) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
The workloads that k6 can ask for, as `items`: by a request, in the variant that it takes, which runs on this n8n unless
another one is loaded. A blend is one of them if all its parts are.
*/}}
{{- define "n8n-load.loadableWorkloads" -}}
{{- $test := .Values.loadTest -}}
{{- $version := include "n8n-load.version" . | splitList "-" | first -}}
{{- $wanted := get ($test.env | default dict) "VARIANT" | default (ternary "legacy" "" (semverCompare "<1.0.0" $version)) | toString -}}
{{- $workloads := (.Files.Get "files/workflows/catalogue.json" | fromJson).workloads -}}
{{- $names := list -}}
{{- range $workloads -}}
{{- if .variants -}}
{{- $fallback := ternary "native" (keys .variants | sortAlpha | first) (hasKey .variants "native") -}}
{{- $variant := get .variants (default $fallback $wanted) -}}
{{- if and $variant (or .request $variant.request) (semverCompare $variant.n8n $version) -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $workloads -}}
{{- $missing := list -}}
{{- range .blend -}}{{- if not (has .workload $names) -}}{{- $missing = append $missing .workload -}}{{- end -}}{{- end -}}
{{- if and .blend (not $missing) -}}{{- $names = append $names .name -}}{{- end -}}
{{- end -}}
{{- dict "items" $names | toYaml -}}
{{- end -}}

{{- define "n8n-load.validate.loadTest" -}}
{{- $test := .Values.loadTest -}}
{{- $env := $test.env | default dict -}}
{{- $clients := get $env "VUS" | default 8 -}}
{{- if and $test.enabled (eq $test.profile "closed") (not (kindIs "map" $clients)) (lt (int $clients) (int $test.parallelism)) -}}
{{- printf "loadTest.parallelism: %v clients (VUS) cannot be divided among %v generators: use at least as many clients as generators." $clients $test.parallelism }}{{ "\n" -}}
{{- end -}}
{{- if and $test.enabled (not .Values.target) -}}
{{- "target: loadTest.enabled requires the address of the n8n instance to load: set target, for example http://n8n-n8n-tuned for the n8n release of the n8n-tuned chart." }}{{ "\n" -}}
{{- end -}}
{{- if and $test.enabled (not (hasKey $env "REQUEST")) -}}
{{- $workload := get $env "WORKLOAD" | default $test.workload | toString -}}
{{- $known := list -}}
{{- range (.Files.Get "files/workflows/catalogue.json" | fromJson).workloads -}}{{- $known = append $known .name -}}{{- end -}}
{{- if not (has $workload $known) -}}
{{- printf "loadTest.workload: there is no workload %q: choose one of %s." $workload (join ", " $known) }}{{ "\n" -}}
{{- else -}}
{{- $loadable := (include "n8n-load.loadableWorkloads" . | fromYaml).items -}}
{{- if not (has $workload $loadable) -}}
{{- printf "loadTest.workload: %s has no request that n8n %s supports: use one of %s, or set n8nVersion to the version of the loaded n8n instance." $workload (include "n8n-load.version" .) (join ", " $loadable) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
