{{/* What runs before n8n, and the sidecars that must outlive it. Dict: context, component. */}}
{{- define "n8n-tuned.initContainers" -}}
{{- $context := .context -}}
{{- $values := .context.Values -}}
{{- $settings := .component.settings -}}
{{- include "n8n-tuned.sentinelProxy" . }}
{{- $own := include "n8n-tuned.ownInitContainers" . | fromYaml }}
{{- with $own.sidecars }}
{{ toYaml . }}
{{- end }}
{{- if $values.communityPackages.packages }}
- name: community-packages
  image: {{ include "n8n-tuned.n8nImage" $context | quote }}
  imagePullPolicy: {{ $values.image.pullPolicy }}
  # The image's own entrypoint starts n8n; here npm has to run.
  command: [npm]
  args:
    - install
    - --prefix=/home/node/.n8n/nodes
    - --no-audit
    - --no-fund
    - --ignore-scripts
    {{- with $values.communityPackages.registry }}
    - {{ printf "--registry=%s" . | quote }}
    {{- end }}
    {{- toYaml $values.communityPackages.packages | nindent 4 }}
  {{- include "n8n-tuned.initCommon" (merge (dict "npmrc" $values.communityPackages.npmrc "isTool" true) .) | nindent 2 }}
{{- end }}
{{- range $name, $one := $settings.beforeStart }}
{{- if $one }}
- name: before-start-{{ $name }}
  image: {{ include "n8n-tuned.n8nImage" $context | quote }}
  imagePullPolicy: {{ $values.image.pullPolicy }}
  # The image's entrypoint starts n8n; here the command runs.
  command: {{ toJson $one.command }}
  {{- include "n8n-tuned.initCommon" $ | nindent 2 }}
    {{- if $one.configMap }}
    - name: before-start-{{ $name }}
      mountPath: /before-start/{{ $name }}
      readOnly: true
    {{- end }}
{{- end }}
{{- end }}
{{- include "n8n-tuned.runnerConfigInit" . }}
{{- if and $values.pythonPackages.packages (eq .component.named.runnerMode "external") }}
- name: python-packages
  image: {{ include "n8n-tuned.image" (dict "context" $context "image" $values.pythonPackages.image "tag" "") | quote }}
  imagePullPolicy: {{ $values.image.pullPolicy }}
  command: [pip]
  args:
    - install
    - --no-cache-dir
    - --target=/python-packages
    {{- with $values.pythonPackages.index }}
    - {{ printf "--index-url=%s" . | quote }}
    {{- end }}
    {{- toYaml $values.pythonPackages.packages | nindent 4 }}
  {{- /* The user's variables alone, n8n's secrets left out: credentials of an index may be among them. */}}
  {{- $env := list }}
  {{- range include "n8n-tuned.env" . | fromYamlArray }}
  {{- if and (has .name (list "HTTP_PROXY" "HTTPS_PROXY" "NO_PROXY")) (not (hasKey $.component.ownEnv .name)) }}
  {{- $env = append $env . }}
  {{- end }}
  {{- end }}
  {{- with include "n8n-tuned.trustedFile" .context }}
  {{- $env = append $env (dict "name" "PIP_CERT" "value" .) }}
  {{- end }}
  {{- range $name, $value := .component.ownEnv }}
  {{- if not (kindIs "invalid" $value) }}
  {{- $env = append $env (include "n8n-tuned.envEntry" (dict "name" $name "value" $value) | fromYaml) }}
  {{- end }}
  {{- end }}
  {{- with include "n8n-tuned.withoutSecrets" (dict "context" .context "component" .component "entries" $env) | fromYamlArray }}
  env:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with include "n8n-tuned.envFrom" . }}
  envFrom:
    {{- . | nindent 4 }}
  {{- end }}
  securityContext:
    {{- toYaml $settings.securityContext | nindent 4 }}
  resources:
    {{- toYaml $values.initResources | nindent 4 }}
  volumeMounts:
    - name: python-packages
      mountPath: /python-packages
    - name: tmp
      mountPath: /tmp
    {{- with include "n8n-tuned.trustedMount" .context }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end }}
{{- with $own.others }}
{{ toYaml . }}
{{- end }}
{{- include "n8n-tuned.runnerSidecar" . }}
{{- end -}}

{{/* The user's: what stays beside n8n, as a proxy to a database does, starts before what needs it. Dict: context, component. */}}
{{- define "n8n-tuned.ownInitContainers" -}}
{{- $sidecars := list -}}
{{- $others := list -}}
{{- range .component.settings.initContainers -}}
{{- if eq (toString .restartPolicy) "Always" -}}
{{- $sidecars = append $sidecars . -}}
{{- else -}}
{{- $others = append $others . -}}
{{- end -}}
{{- end -}}
{{- dict "sidecars" $sidecars "others" $others | toYaml -}}
{{- end -}}

{{/* Dict: context, component, and maybe npmrc (where the .npmrc is), isTool (not for it are the secrets of n8n). */}}
{{- define "n8n-tuned.initCommon" -}}
securityContext:
  {{- toYaml .component.settings.securityContext | nindent 2 }}
resources:
  {{- toYaml .context.Values.initResources | nindent 2 }}
env:
  {{- $env := include "n8n-tuned.env" . }}
  {{- if .isTool }}{{ $env = include "n8n-tuned.withoutSecrets" (dict "context" .context "component" .component "entries" (fromYamlArray $env)) }}{{ end }}
  {{- $env | nindent 2 }}
  {{- with .npmrc }}
  {{- if .existingSecret }}
  - name: NPM_CONFIG_USERCONFIG
    value: /etc/n8n-tuned/npmrc/{{ .existingSecretKey }}
  {{- end }}
  {{- end }}
{{- with include "n8n-tuned.envFrom" . }}
envFrom:
  {{- . | nindent 2 }}
{{- end }}
volumeMounts:
  {{- include "n8n-tuned.volumeMounts" . | nindent 2 }}
  {{- with .npmrc }}
  {{- if .existingSecret }}
  - name: npmrc
    mountPath: /etc/n8n-tuned/npmrc
    readOnly: true
  {{- end }}
  {{- end }}
{{- end -}}
