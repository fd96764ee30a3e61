{{/* Names, labels and selectors. Every object's name starts with the full name of the release. */}}

{{- define "n8n-tuned.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{/* 40 characters leave room for the longest suffix that this chart appends. */}}
{{- define "n8n-tuned.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "n8n-tuned.name" . -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- $full | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.namespace" -}}
{{- default .Release.Namespace .Values.namespaceOverride -}}
{{- end -}}

{{/* The labels by which a component's pods are found. Dict: context, component. */}}
{{- define "n8n-tuned.selector" -}}
app.kubernetes.io/name: {{ include "n8n-tuned.name" .context | quote }}
app.kubernetes.io/instance: {{ .context.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* Labels of pods: the user's win, but for those by which pods are found. Dict: context, component, and maybe labels. */}}
{{- define "n8n-tuned.podLabels" -}}
{{- $partOf := dict "app.kubernetes.io/part-of" (include "n8n-tuned.name" .context) -}}
{{- $users := mergeOverwrite $partOf (deepCopy (.context.Values.commonLabels | default dict)) (deepCopy (.labels | default dict)) -}}
{{- mergeOverwrite $users (include "n8n-tuned.selector" . | fromYaml) | toYaml -}}
{{- end -}}

{{/* Labels of objects: the same and what they come from. */}}
{{- define "n8n-tuned.labels" -}}
{{- $origin := dict
  "app.kubernetes.io/version" (include "n8n-tuned.version" .context)
  "app.kubernetes.io/managed-by" .context.Release.Service
  "helm.sh/chart" (printf "%s-%s" .context.Chart.Name .context.Chart.Version | replace "+" "_") -}}
{{- mergeOverwrite $origin (include "n8n-tuned.podLabels" . | fromYaml) | toYaml -}}
{{- end -}}

{{/* Annotations of what outlives the release, for Helm and for Argo CD, which prunes what is no longer rendered. */}}
{{- define "n8n-tuned.keptAnnotations" -}}
helm.sh/resource-policy: keep
argocd.argoproj.io/sync-options: Prune=false,Delete=false
argocd.argoproj.io/compare-options: IgnoreExtraneous
{{- end -}}

{{/*
metadata of the Secrets that the job makes, which no render has. Argo CD takes an object with the label
app.kubernetes.io/instance for one of the Application of this name, and prunes it: theirs are of the chart's own.
*/}}
{{- define "n8n-tuned.madeSecretMetadata" -}}
{{- $labels := dict "app.kubernetes.io/name" (include "n8n-tuned.name" .) "n8n-tuned/made-by" "make-secrets" "n8n-tuned/release" .Release.Name -}}
{{- $common := omit (deepCopy (.Values.commonLabels | default dict)) "app.kubernetes.io/instance" -}}
labels:
  {{- mergeOverwrite $common $labels | toYaml | nindent 2 }}
annotations:
  {{- mergeOverwrite (deepCopy (.Values.commonAnnotations | default dict)) (include "n8n-tuned.keptAnnotations" . | fromYaml) | toYaml | nindent 2 }}
{{- end -}}

{{/*
metadata of an object. Dict: context, component, and optionally name (the suffix after the full name, may be empty; left out:
the component), fullName (instead of both), annotations, labels.
*/}}
{{- define "n8n-tuned.metadata" -}}
{{- $suffix := ternary .name .component (hasKey . "name") -}}
name: {{ default (list (include "n8n-tuned.fullname" .context) $suffix | compact | join "-") .fullName | quote }}
namespace: {{ include "n8n-tuned.namespace" .context | quote }}
labels:
  {{- include "n8n-tuned.labels" . | nindent 2 }}
{{- with merge (deepCopy (default dict .annotations)) (.context.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
An image reference with its registry: CRI-O refuses names without one. A repository that begins with a registry keeps it
before `registry`; global.imageRegistry replaces either. Dict: context, image (registry, repository, tag, digest), tag
(used when the image has none).
*/}}
{{- define "n8n-tuned.image" -}}
{{- $own := regexFind "^([^/]*[.:][^/]*|localhost)/" .image.repository -}}
{{- $registry := coalesce .context.Values.global.imageRegistry $own .image.registry | default "" | trimSuffix "/" -}}
{{- $name := list $registry (trimPrefix $own .image.repository) | compact | join "/" -}}
{{- if .image.digest -}}
{{- printf "%s@%s" $name .image.digest -}}
{{- else -}}
{{- printf "%s:%s" $name (toString (default .tag .image.tag)) -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.n8nImage" -}}
{{- include "n8n-tuned.image" (dict "context" . "image" .Values.image "tag" .Chart.AppVersion) -}}
{{- end -}}

{{- define "n8n-tuned.imagePullSecrets" -}}
{{- with concat (.Values.global.imagePullSecrets | default list) (.Values.imagePullSecrets | default list) | uniq -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ kindIs "string" . | ternary . (get (kindIs "map" . | ternary . dict) "name") | quote }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The storage class of a claim. Dict: context, class. "-" asks for none. */}}
{{- define "n8n-tuned.storageClass" -}}
{{- $class := default .context.Values.global.storageClass .class -}}
{{- if eq (toString $class) "-" -}}
storageClassName: ""
{{- else if $class -}}
storageClassName: {{ $class | quote }}
{{- end -}}
{{- end -}}

{{/* The label of the StatefulSet that tells which major version of PostgreSQL made its data. */}}
{{- define "n8n-tuned.postgresqlMajorLabel" -}}n8n-tuned/postgresql-major{{- end -}}
