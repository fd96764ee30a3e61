{{/* Scripts that Node.js loads before n8n (--require in NODE_OPTIONS); each says in its own words what it is for. */}}

{{/* data of the ConfigMap for some scripts: these, and what they read. Dict: context, items. */}}
{{- define "n8n-tuned.preloadData" -}}
{{- $files := dict -}}
{{- range $path, $_ := .context.Files.Glob "files/preload/*" -}}{{- $_ := set $files (base $path) ($.context.Files.Get $path) -}}{{- end -}}
{{- $data := dict -}}
{{- range uniq .items -}}{{- $_ := set $data . (get $files .) -}}{{- end -}}
{{- /* Each of them may read others, which may read others. */ -}}
{{- range until 3 -}}
{{- $read := values $data | join "\n" -}}
{{- range $name, $text := $files -}}
{{- if regexMatch (printf "'(\\./)?%s'" (replace "." "\\." $name)) $read -}}{{- $_ := set $data $name $text -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{- define "n8n-tuned.preloadFolder" -}}/etc/n8n-tuned/preload{{- end -}}

{{/*
The patches of n8n's own code that this release loads, by what they do with this n8n, as `known`, `prove` and `unknown`, and
those that it would load for another n8n, as `absent`. Context.
*/}}
{{- define "n8n-tuned.patchesByClass" -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $known := .Files.Get "files/preload/known.json" | fromJson -}}
{{- $loaded := dict -}}
{{- range .n8nTunedComponents -}}
{{- range .preloads -}}{{- $_ := set $loaded . true -}}{{- end -}}
{{- end -}}
{{- $classes := dict "known" list "prove" list "unknown" list -}}
{{- range .n8nTunedEnvironment.patches -}}
{{- if and .code (hasKey $loaded .name) -}}
{{- $proves := eq "sandbox" (toString .code) -}}
{{- $class := ternary "prove" "unknown" (and $proves (ne "known" (toString $.Values.tuning.patches))) -}}
{{- $ofEach := list -}}
{{- if $proves -}}{{- $ofEach = list $known.bundles -}}
{{- else -}}{{- range .code -}}{{- $ofEach = append $ofEach (get $known.functions .) -}}{{- end -}}
{{- end -}}
{{- $isKnown := true -}}
{{- range $ofEach -}}
{{- $fits := false -}}
{{- range . -}}
{{- range splitList ", " .n8n -}}
{{- $from := splitList " to " . -}}
{{- if semverCompare (printf ">=%s-0 <=%s" (first $from) (last $from)) $version -}}{{- $fits = true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $isKnown = and $isKnown $fits -}}
{{- end -}}
{{- if $isKnown -}}{{- $class = "known" -}}{{- end -}}
{{- $_ := set $classes $class (append (get $classes $class) (trimSuffix ".cjs" .name)) -}}
{{- end -}}
{{- end -}}
{{- $others := list -}}
{{- $ranges := dict -}}
{{- range .n8nTunedEnvironment.patches -}}
{{- if and .code .n8n (not (semverCompare .n8n $version)) -}}
{{- $others = append $others (omit . "n8n") -}}
{{- $_ := set $ranges .name (.n8n | replace "-0" "") -}}
{{- end -}}
{{- end -}}
{{- $absent := list -}}
{{- range .n8nTunedComponents -}}
{{- range (include "n8n-tuned.rows" (dict "context" $ "component" . "rows" $others) | fromJson).items -}}
{{- $absent = append $absent (printf "%s (n8n %s)" (trimSuffix ".cjs" .name) (get $ranges .name)) | uniq -}}
{{- end -}}
{{- end -}}
{{- toJson (set $classes "absent" $absent) -}}
{{- end -}}
