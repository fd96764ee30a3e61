{{/*
The workloads that k6 can ask for, as `items`: by a request, in the variant that it takes, which runs on this n8n unless
another one is loaded. A blend is one of them if all its parts are.
*/}}
{{- define "n8n-tuned.loadableWorkloads" -}}
{{- $test := .Values.loadTest -}}
{{- $version := include "n8n-tuned.version" . | splitList "-" | first -}}
{{- $wanted := get ($test.env | default dict) "VARIANT" | default (ternary "legacy" "" (semverCompare "<1.0.0" $version)) | toString -}}
{{- $workloads := (.Files.Get "files/workflows/catalogue.json" | fromJson).workloads -}}
{{- $names := list -}}
{{- range $workloads -}}
{{- if .variants -}}
{{- $usual := ternary "native" (keys .variants | sortAlpha | first) (hasKey .variants "native") -}}
{{- $variant := get .variants (default $usual $wanted) -}}
{{- if and $variant (or .request $variant.request) (or $test.target (semverCompare $variant.n8n $version)) -}}
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

{{- define "n8n-tuned.validate.loadTest" -}}
{{- $test := .Values.loadTest -}}
{{- $env := $test.env | default dict -}}
{{- $clients := get $env "VUS" | default 8 -}}
{{- if and $test.enabled (eq $test.profile "closed") (not (kindIs "map" $clients)) (lt (int $clients) (int $test.parallelism)) -}}
{{- printf "loadTest.parallelism: %v clients (VUS) cannot be divided among %v generators: take at least as many clients, or fewer generators." $clients $test.parallelism }}{{ "\n" -}}
{{- end -}}
{{- if and $test.enabled (not (hasKey $env "REQUEST")) -}}
{{- if and (not $test.target) (not .Values.loadTargets.enabled) -}}
{{- "loadTest.enabled: the workload's workflow is not in this n8n: set loadTargets.enabled=true, or loadTest.target to an n8n that has it, or ask for something of yours by loadTest.env.REQUEST." }}{{ "\n" -}}
{{- end -}}
{{- $workload := get $env "WORKLOAD" | default $test.workload | toString -}}
{{- $known := list -}}
{{- range (.Files.Get "files/workflows/catalogue.json" | fromJson).workloads -}}{{- $known = append $known .name -}}{{- end -}}
{{- if not (has $workload $known) -}}
{{- printf "loadTest.workload: there is no workload %q: choose one of %s." $workload (join ", " $known) }}{{ "\n" -}}
{{- else -}}
{{- $loadable := (include "n8n-tuned.loadableWorkloads" . | fromYaml).items -}}
{{- if not (has $workload $loadable) -}}
{{- printf "loadTest.workload: %s has no request that n8n %s would answer: take one of %s." $workload (include "n8n-tuned.version" .) (join ", " $loadable) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
