{{/*
Scripts that the chart runs with the Node.js of an image beside or before n8n. They are files of a ConfigMap, so that a
pod's template stays readable and a script can be read in the cluster as it stands here.
*/}}

{{- define "n8n-tuned.scriptFolder" -}}/etc/n8n-tuned/scripts{{- end -}}

{{/* data of a ConfigMap. Dict: context, names. */}}
{{- define "n8n-tuned.scriptFiles" -}}
{{- $data := dict -}}
{{- range .names -}}{{- $_ := set $data . ($.context.Files.Get (printf "files/%s" .)) -}}{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{- define "n8n-tuned.scriptMount" -}}
- name: scripts
  mountPath: {{ include "n8n-tuned.scriptFolder" . }}
  readOnly: true
{{- end -}}
