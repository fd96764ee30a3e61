{{/* Names, labels and images, as the chart n8n-tuned has them. */}}

{{- define "n8n-load.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* 40 characters leave room for the longest suffix. */}}
{{- define "n8n-load.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "n8n-load.name" . -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Dict: context, component. */}}
{{- define "n8n-load.labels" -}}
{{- $own := dict
  "app.kubernetes.io/name" (include "n8n-load.name" .context)
  "app.kubernetes.io/instance" .context.Release.Name
  "app.kubernetes.io/component" .component
  "app.kubernetes.io/managed-by" .context.Release.Service
  "helm.sh/chart" (printf "%s-%s" .context.Chart.Name .context.Chart.Version | replace "+" "_") -}}
{{- mergeOverwrite (deepCopy .context.Values.commonLabels) $own | toYaml -}}
{{- end -}}

{{/* metadata of an object. Dict: context, component, fullName. */}}
{{- define "n8n-load.metadata" -}}
name: {{ .fullName | quote }}
namespace: {{ .context.Release.Namespace | quote }}
labels:
  {{- include "n8n-load.labels" . | nindent 2 }}
{{- with .context.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* metadata of a pod of k6. Context: root. */}}
{{- define "n8n-load.podMetadata" -}}
labels:
  {{- mergeOverwrite (deepCopy .Values.loadTest.podLabels) (include "n8n-load.labels" (dict "context" . "component" "load-test") | fromYaml) | toYaml | nindent 2 }}
{{- with .Values.loadTest.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Dict: context, image (registry, repository, tag, digest). A repository that begins with a registry keeps it. */}}
{{- define "n8n-load.image" -}}
{{- $own := regexFind "^([^/]*[.:][^/]*|localhost)/" .image.repository -}}
{{- $registry := coalesce .context.Values.global.imageRegistry $own .image.registry | default "" | trimSuffix "/" -}}
{{- $name := list $registry (trimPrefix $own .image.repository) | compact | join "/" -}}
{{- ternary (printf "%s@%s" $name .image.digest) (printf "%s:%s" $name (toString .image.tag)) (not (empty .image.digest)) -}}
{{- end -}}

{{- define "n8n-load.imagePullSecrets" -}}
{{- with concat .Values.global.imagePullSecrets .Values.imagePullSecrets | uniq -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ kindIs "string" . | ternary . (get (kindIs "map" . | ternary . dict) "name") | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The version of the n8n that is loaded. */}}
{{- define "n8n-load.version" -}}
{{- $version := default .Chart.AppVersion .Values.n8nVersion | toString | trimPrefix "v" -}}
{{- if not (regexMatch "^[0-9]+\\.[0-9]+\\.[0-9]+" $version) -}}
{{- fail (printf "n8nVersion: %q is not a version: use a form such as 2.41.1." $version) -}}
{{- end -}}
{{- $version -}}
{{- end -}}
