{{/* The label of the StatefulSet that tells which major version of PostgreSQL made its data. */}}
{{- define "n8n-tuned.postgresqlMajorLabel" -}}n8n-tuned/postgresql-major{{- end -}}

{{/*
What the chart's own Redis and PostgreSQL share: a StatefulSet of one pod with a claim, and its Service.
Dict: context, component (redis or postgresql), settings, container (YAML of what differs in the container), mountPath, and
maybe labels of the StatefulSet, volumes and mounts (YAML).
*/}}
{{- define "n8n-tuned.store" -}}
{{- $full := include "n8n-tuned.fullname" .context -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  {{- include "n8n-tuned.metadata" (dict "context" .context "component" .component "name" .component "labels" .labels) | nindent 2 }}
spec:
  replicas: 1
  serviceName: {{ $full }}-{{ .component }}
  # Outlives an uninstall: jobs and data are in it.
  persistentVolumeClaimRetentionPolicy:
    whenDeleted: Retain
    whenScaled: Retain
  selector:
    matchLabels:
      {{- include "n8n-tuned.selector" (dict "context" .context "component" .component) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "n8n-tuned.podLabels" (dict "context" .context "component" .component) | nindent 8 }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with include "n8n-tuned.imagePullSecrets" .context }}
      {{- . | nindent 6 }}
      {{- end }}
      terminationGracePeriodSeconds: 60
      securityContext:
        {{- toYaml .settings.podSecurityContext | nindent 8 }}
      {{- range $key := list "nodeSelector" "affinity" "tolerations" "priorityClassName" }}
      {{- with get $.settings $key }}
      {{ $key }}: {{ toJson . }}
      {{- end }}
      {{- end }}
      containers:
        - name: {{ .component }}
          image: {{ include "n8n-tuned.image" (dict "context" .context "image" .settings.image "tag" "") | quote }}
          imagePullPolicy: {{ .context.Values.image.pullPolicy }}
          {{- .container | nindent 10 }}
          resources:
            {{- toYaml .settings.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          volumeMounts:
            - name: data
              mountPath: {{ .mountPath }}
            - name: run
              mountPath: /run/{{ .component }}
            - name: tmp
              mountPath: /tmp
            {{- with .mounts }}
            {{- . | nindent 12 }}
            {{- end }}
      volumes:
        - name: run
          emptyDir: { sizeLimit: 64Mi }
        - name: tmp
          emptyDir: { sizeLimit: 1Gi }
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
        {{- if not .settings.persistence.enabled }}
        - name: data
          emptyDir: {}
        {{- end }}
  {{- if .settings.persistence.enabled }}
  volumeClaimTemplates:
    # kind and apiVersion spelt out: the API server adds them, and a GitOps tool would show a difference.
    - apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with include "n8n-tuned.storageClass" (dict "context" .context "class" .settings.persistence.storageClass) }}
        {{- . | nindent 8 }}
        {{- end }}
        resources:
          requests:
            storage: {{ .settings.persistence.size | quote }}
  {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "n8n-tuned.metadata" (dict "context" .context "component" .component "name" .component) | nindent 2 }}
spec:
  {{- with .context.Values.service.ipFamilyPolicy }}
  ipFamilyPolicy: {{ . }}
  {{- end }}
  ports:
    - name: {{ .component }}
      port: {{ .port }}
      targetPort: {{ .component }}
  selector:
    {{- include "n8n-tuned.selector" (dict "context" .context "component" .component) | nindent 4 }}
{{- end -}}
