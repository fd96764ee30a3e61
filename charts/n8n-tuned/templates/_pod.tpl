{{/* The one pod template of main, workers and webhook processors. Dict: context, component. */}}
{{- define "n8n-tuned.pod" -}}
{{- $context := .context -}}
{{- $values := .context.Values -}}
{{- $settings := .component.settings -}}
metadata:
  # No chart version here: a new chart alone must not restart pods.
  labels:
    {{- include "n8n-tuned.podLabels" (dict "context" $context "component" .component.name "labels" $settings.podLabels) | nindent 4 }}
  annotations:
    {{- mergeOverwrite (dict "kubectl.kubernetes.io/default-container" "n8n") (deepCopy ($settings.podAnnotations | default dict)) (include "n8n-tuned.checksums" . | fromYaml) | toYaml | nindent 4 }}
spec:
  serviceAccountName: {{ include "n8n-tuned.serviceAccountName" $context | quote }}
  automountServiceAccountToken: {{ $values.serviceAccount.automountToken }}
  # A Service called n8n would otherwise put N8N_PORT=tcp://... into the environment.
  enableServiceLinks: false
  {{- with include "n8n-tuned.imagePullSecrets" $context }}
  {{- . | nindent 2 }}
  {{- end }}
  terminationGracePeriodSeconds: {{ include "n8n-tuned.graceSeconds" . }}
  securityContext:
    {{- toYaml $settings.podSecurityContext | nindent 4 }}
  {{- with include "n8n-tuned.scheduling" . | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- with include "n8n-tuned.initContainers" . | trim }}
  initContainers:
    {{- . | nindent 4 }}
  {{- end }}
  containers:
    - name: n8n
      image: {{ include "n8n-tuned.n8nImage" $context | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args:
        {{- include "n8n-tuned.args" . | nindent 8 }}
      env:
        {{- include "n8n-tuned.env" . | nindent 8 }}
      {{- with include "n8n-tuned.envFrom" . }}
      envFrom:
        {{- . | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: 5678
          protocol: TCP
      {{- with include "n8n-tuned.probes" . | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- with include "n8n-tuned.lifecycle" . }}
      lifecycle:
        {{- . | nindent 8 }}
      {{- end }}
      resources:
        {{- toYaml $settings.resources | nindent 8 }}
      securityContext:
        {{- toYaml $settings.securityContext | nindent 8 }}
      volumeMounts:
        {{- include "n8n-tuned.volumeMounts" . | nindent 8 }}
    {{- with $settings.sidecars }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "n8n-tuned.volumes" . | nindent 4 }}
{{- end -}}

{{- define "n8n-tuned.args" -}}
{{- if .component.settings.args -}}
{{- toYaml .component.settings.args -}}
{{- else if eq .component.role "worker" -}}
- worker
- --concurrency={{ include "n8n-tuned.workerConcurrency" . }}
{{- else if eq .component.role "webhook" -}}
- webhook
{{- else -}}
- start
{{- end -}}
{{- end -}}

{{/* Each config has a checksum of its own, so that only what uses it restarts. */}}
{{- define "n8n-tuned.checksums" -}}
checksum/secrets: {{ include "n8n-tuned.givenSecrets" .context | sha256sum }}
{{- if (include "n8n-tuned.preloads" . | fromYaml).items }}
checksum/preload: {{ include "n8n-tuned.preloadChecksum" . }}
{{- end }}
{{- with (include "n8n-tuned.scriptsOf" . | fromYaml).items }}
checksum/scripts: {{ include "n8n-tuned.scriptFiles" (dict "context" $.context "names" .) | sha256sum }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.serviceAccountName" -}}
{{- default (ternary (include "n8n-tuned.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{/* Where a pod may run, and how it looks up names. Dict: context, component. */}}
{{- define "n8n-tuned.scheduling" -}}
{{- $settings := .component.settings -}}
{{- range $key := list "priorityClassName" "runtimeClassName" "schedulerName" "nodeSelector" "affinity" "tolerations" "hostAliases" "dnsPolicy" "dnsConfig" }}
{{- with get $settings $key }}
{{ $key }}:{{ if kindIs "string" . }} {{ quote . }}{{ else }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}
{{- end }}
{{- if $settings.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml $settings.topologySpreadConstraints | nindent 2 }}
{{- else if $settings.spread }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "n8n-tuned.selector" (dict "context" $.context "component" $.component.name) | nindent 8 }}
  {{- end }}
{{- end }}
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
# Where file nodes of n8n 2.x may write: a folder of its own, because n8n's is closed to them.
- name: data
  mountPath: /home/node/.n8n-files
  subPath: {{ list $values.persistence.subPath "n8n-files" | compact | join "/" | quote }}
{{- end }}
{{- if (include "n8n-tuned.preloads" . | fromYaml).items }}
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
    claimName: {{ include "n8n-tuned.claimName" .context | quote }}
{{- end }}
{{- if (include "n8n-tuned.preloads" . | fromYaml).items }}
- name: preload
  configMap:
    name: {{ include "n8n-tuned.fullname" .context }}-preload
{{- end }}
{{- if and $values.communityPackages.packages $values.communityPackages.npmrc.existingSecret }}
- name: npmrc
  secret:
    secretName: {{ $values.communityPackages.npmrc.existingSecret | quote }}
{{- end }}
{{- if (include "n8n-tuned.scriptsOf" . | fromYaml).items }}
- name: scripts
  configMap:
    name: {{ include "n8n-tuned.fullname" .context }}-scripts
{{- end }}
{{- with include "n8n-tuned.certificateVolumes" .context | trim }}
{{ . }}
{{- end }}
{{- range $name, $one := .component.settings.beforeStart }}
{{- with ($one | default dict).configMap }}
- name: before-start-{{ $name }}
  configMap:
    name: {{ . | quote }}
{{- end }}
{{- end }}
{{- include "n8n-tuned.runnerVolumes" . }}
{{- with .component.settings.volumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
