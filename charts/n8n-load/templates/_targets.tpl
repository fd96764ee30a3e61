{{/* What n8n gets: the workflows of the catalogue that run on this n8n, the node package, and the script that puts both in. */}}

{{/*
The bundled workflows that this n8n runs, and those of the user, as `items`: key (in the ConfigMap), and file or own, the
name under which the user gave it. The catalogue says which versions run
a file; what only another workflow calls is not in it and goes by its folder. What may crash n8n by itself lies in a
folder of its own: it is brought in, but not made active.
*/}}
{{- define "n8n-load.loadTargetWorkflows" -}}
{{- $version := include "n8n-load.version" . | splitList "-" | first -}}
{{- $hasNode := .Files.Get "files/load-target/package.json" -}}
{{- $ranges := dict -}}
{{- $crashing := list -}}
{{- range $workload := (.Files.Get "files/workflows/catalogue.json" | fromJson).workloads -}}
{{- range .variants -}}
{{- $variant := . -}}
{{- range $copy := untilStep 1 (int (add1 ($workload.copies | default 1))) 1 -}}
{{- $_ := set $ranges ($variant.file | replace "{copy}" (toString $copy)) $variant.n8n -}}
{{- end -}}
{{- if $workload.mayCrashN8n -}}{{- $crashing = append $crashing .file -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $items := list -}}
{{- range $path, $_ := .Files.Glob "files/workflows/**.json" -}}
{{- $file := trimPrefix "files/workflows/" $path -}}
{{- if ne $file "catalogue.json" -}}
{{- $isLegacy := hasPrefix "legacy/" $file -}}
{{- $range := get $ranges $file | default (ternary "<1.0.0" ">=1.0.0" $isLegacy) -}}
{{- $runs := and (semverCompare $range $version) (or (not (hasPrefix "load-target/" $file)) $hasNode) -}}
{{- if $runs -}}
{{- $items = append $items (dict "file" $file "key" (printf "workflows__%s__%s" (ternary "inactive" "active" (has $file $crashing)) ($file | replace "/" "-"))) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $name, $_ := .Values.loadTargets.workflows -}}
{{- $items = append $items (dict "own" $name "key" (printf "workflows__active__own-%s.json" $name)) -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* data of the ConfigMap: `workflows__active__x.json`, `package__dist__y.js`; a `__` stands for a slash, which keys cannot hold. */}}
{{- define "n8n-load.loadTargetFiles" -}}
{{- $data := dict "load-targets.cjs" (.Files.Get "files/load-targets.cjs") -}}
{{- /* In a text of JSON, without its quotes. */ -}}
{{- $upstream := .Values.loadTargets.upstreamUrl | default "http://127.0.0.1:5690" | toJson | trimAll "\"" -}}
{{- range (include "n8n-load.loadTargetWorkflows" . | fromYaml).items -}}
{{- if .own -}}
{{- $_ := set $data .key (get $.Values.loadTargets.workflows .own) -}}
{{- else -}}
{{- $_ := set $data .key ($.Files.Get (printf "files/workflows/%s" .file) | replace "http://127.0.0.1:5690" $upstream) -}}
{{- end -}}
{{- end -}}
{{- range $path, $bytes := .Files.Glob "files/load-target/**" -}}
{{- $_ := set $data (printf "package__%s" (trimPrefix "files/load-target/" $path | replace "/" "__")) (toString $bytes) -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{- define "n8n-load.validate.loadTargets" -}}
{{- $given := .Values.loadTargets.workflows -}}
{{- if and $given (not .Values.loadTargets.enabled) -}}
{{- "loadTargets.workflows: with loadTargets.enabled=false, these workflows are not imported: set loadTargets.enabled=true, or remove them." }}{{ "\n" -}}
{{- end -}}
{{- range $name, $text := $given -}}
{{- $workflow := fromJson $text -}}
{{- if not (and $workflow.id $workflow.nodes (hasKey $workflow "connections")) -}}
{{- printf "loadTargets.workflows.%s: the text must be one workflow as exported by n8n, with id, nodes and connections: export the workflow again." $name }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.loadTargets.enabled (gt (len (include "n8n-load.loadTargetFiles" .)) 1048576) -}}
{{- "loadTargets.workflows: together, these workflows exceed the ConfigMap limit of 1 MiB: remove the largest one." }}{{ "\n" -}}
{{- end -}}
{{- end -}}
