{{/* What the running n8n can do. The facts are in files/versions.yaml, and those of variables in files/environment.yaml, nowhere else. */}}

{{/* The first version in a text, maybe none. */}}
{{- define "n8n-tuned.versionIn" -}}
{{- regexFind "[0-9]+\\.[0-9]+\\.[0-9]+(-(rc|beta|exp)\\.[0-9]+)?" (toString .) -}}
{{- end -}}

{{/* The n8n version: image.version, else read from image.tag, else the chart's appVersion. */}}
{{- define "n8n-tuned.version" -}}
{{- $named := toString (coalesce .Values.image.version .Values.image.tag .Chart.AppVersion) -}}
{{- $version := include "n8n-tuned.versionIn" $named -}}
{{- if and (not $version) .Values.image.version -}}
{{- fail (printf "image.version: %q is not an n8n version: use a form such as %s." $named .Chart.AppVersion) -}}
{{- end -}}
{{- if not $version -}}
{{- fail (printf "image.tag: the chart must know the n8n version, but %q does not contain one: use a tag such as %s, or set image.version." $named .Chart.AppVersion) -}}
{{- end -}}
{{- $version -}}
{{- end -}}

{{/* "true" or empty. Dict: context, feature (a key of features in files/versions.yaml). */}}
{{- define "n8n-tuned.supports" -}}
{{- $features := .context.n8nTunedVersions.features -}}
{{- if not (hasKey $features .feature) -}}
{{- fail (printf "files/versions.yaml does not know the feature %q" .feature) -}}
{{- end -}}
{{- if semverCompare (get $features .feature) (include "n8n-tuned.version" .context) -}}true{{- end -}}
{{- end -}}

{{/* Whether this n8n reads a health endpoint that knows the database. */}}
{{- define "n8n-tuned.readinessPath" -}}
{{- ternary "/healthz/readiness" "/healthz" (eq "true" (include "n8n-tuned.supports" (dict "context" . "feature" "readiness"))) -}}
{{- end -}}
