{{/* Parts of the pod of main, workers and webhook processors, which roles/deployment.yaml renders. Dict: context, component. */}}

{{- define "n8n-tuned.serviceAccountName" -}}
{{- default (ternary (include "n8n-tuned.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "n8n-tuned.volumeMounts" -}}
{{- $values := .context.Values -}}
- name: home
  mountPath: /home/node
- name: tmp
  mountPath: /tmp
{{- if include "n8n-tuned.usesClaim" . }}
- name: data
  mountPath: /home/node/.n8n
  {{- with $values.persistence.subPath }}
  subPath: {{ . | quote }}
  {{- end }}
# The folder in which file nodes of n8n 2.x may write: one of its own, because n8n's is closed to them.
- name: data
  mountPath: /home/node/.n8n-files
  subPath: {{ list $values.persistence.subPath "n8n-files" | compact | join "/" | quote }}
{{- end }}
{{- if .component.preloads }}
- name: preload
  mountPath: {{ include "n8n-tuned.preloadFolder" .context }}
  readOnly: true
{{- end }}
{{- with include "n8n-tuned.certificateMounts" .context | trim }}
{{ . }}
{{- end }}
{{- with .component.settings.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.volumes" -}}
{{- $values := .context.Values -}}
{{- range list "home" "tmp" }}
- name: {{ . }}
  emptyDir: {{ with $.component.settings.scratchLimit }}{ sizeLimit: {{ . | quote }} }{{ else }}{}{{ end }}
{{- end }}
{{- if include "n8n-tuned.usesClaim" . }}
- name: data
  persistentVolumeClaim:
    claimName: {{ $values.persistence.existingClaim | default (printf "%s-data" (include "n8n-tuned.fullname" .context)) | quote }}
{{- end }}
{{- if .component.preloads }}
- name: preload
  configMap:
    name: {{ include "n8n-tuned.fullname" .context }}-preload
{{- end }}
{{- if and $values.communityPackages.packages $values.communityPackages.npmrc.existingSecret }}
- name: npmrc
  secret:
    secretName: {{ $values.communityPackages.npmrc.existingSecret | quote }}
{{- end }}
{{- if .component.scripts }}
- name: scripts
  configMap:
    name: {{ include "n8n-tuned.fullname" .context }}-scripts
{{- end }}
{{- with include "n8n-tuned.trustedVolume" .context }}
{{ . }}
{{- end }}
{{- include "n8n-tuned.databaseTlsVolumes" .context }}
{{- range $name, $one := .component.settings.beforeStart }}
{{- with ($one | default dict).configMap }}
- name: before-start-{{ $name }}
  configMap:
    name: {{ . | quote }}
{{- end }}
{{- end }}
{{- if eq .component.named.runnerMode "external" }}
{{- range concat (list "runner-tmp" "runner-config") (ternary (list "python-packages") list (not (empty $values.pythonPackages.packages))) }}
- name: {{ . }}
  emptyDir: {{ with $.component.settings.scratchLimit }}{ sizeLimit: {{ . | quote }} }{{ else }}{}{{ end }}
{{- end }}
{{- end }}
{{- with .component.settings.volumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
