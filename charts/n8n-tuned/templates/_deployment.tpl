{{/* The one Deployment of every component, and what stands beside it. Each takes dict: context, component. */}}

{{- define "n8n-tuned.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "n8n-tuned.metadata" (dict "context" .context "component" .component.name "name" .component.name "annotations" .component.settings.annotations) | nindent 2 }}
spec:
  {{- with include "n8n-tuned.replicas" . }}
  replicas: {{ . }}
  {{- end }}
  revisionHistoryLimit: {{ int .context.Values.revisionHistoryLimit }}
  strategy:
    {{- include "n8n-tuned.strategy" . | nindent 4 }}
  selector:
    matchLabels:
      {{- include "n8n-tuned.selector" (dict "context" .context "component" .component.name) | nindent 6 }}
  template:
    {{- include "n8n-tuned.pod" . | nindent 4 }}
{{- end -}}

{{/*
Replicas of a Deployment. An autoscaler owns them; but a number that was there and is left out sets the Deployment to 1, so
an upgrade repeats the number that runs. What only renders cannot see it and leaves it out. Dict: context, component.
*/}}
{{- define "n8n-tuned.replicas" -}}
{{- if not (include "n8n-tuned.autoscaler" .component) -}}
{{- int .component.settings.replicas -}}
{{- else -}}
{{- $name := printf "%s-%s" (include "n8n-tuned.fullname" .context) .component.name -}}
{{- with lookup "apps/v1" "Deployment" (include "n8n-tuned.namespace" .context) $name -}}
{{- dig "spec" "replicas" 1 . | int -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.hpa" -}}
{{- $scaling := .component.settings.autoscaling -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "n8n-tuned.metadata" (dict "context" .context "component" .component.name "name" .component.name) | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "n8n-tuned.fullname" .context }}-{{ .component.name }}
  minReplicas: {{ include "n8n-tuned.minReplicas" .component }}
  maxReplicas: {{ int $scaling.maxReplicas }}
  metrics:
    {{- range $resource, $percent := dict "cpu" $scaling.cpuPercent "memory" $scaling.memoryPercent }}
    {{- if $percent }}
    - type: Resource
      resource:
        name: {{ $resource }}
        target:
          type: Utilization
          averageUtilization: {{ int $percent }}
    {{- end }}
    {{- end }}
    {{- with $scaling.metrics }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $scaling.behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* maxUnavailable, because a minAvailable over one pod blocks every drain; nothing where one pod is all there can be. */}}
{{- define "n8n-tuned.pdb" -}}
{{- if and .component.settings.podDisruptionBudget.enabled (gt (include "n8n-tuned.maxReplicas" .component | int) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "n8n-tuned.metadata" (dict "context" .context "component" .component.name "name" .component.name) | nindent 2 }}
spec:
  maxUnavailable: {{ .component.settings.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "n8n-tuned.selector" (dict "context" .context "component" .component.name) | nindent 6 }}
{{- end -}}
{{- end -}}

{{/* Dict: context, component (a name), suffix, settings (what is the Service's own), affinity (bool). */}}
{{- define "n8n-tuned.service" -}}
{{- $service := .context.Values.service -}}
{{- $own := .settings -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "n8n-tuned.metadata" (dict "context" .context "component" .component "name" .suffix "annotations" $own.annotations) | nindent 2 }}
spec:
  type: {{ $own.type }}
  {{- with $own.loadBalancerClass }}
  loadBalancerClass: {{ . }}
  {{- end }}
  {{- with $own.loadBalancerSourceRanges }}
  loadBalancerSourceRanges:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.externalTrafficPolicy }}
  externalTrafficPolicy: {{ . }}
  {{- end }}
  {{- with $service.ipFamilyPolicy }}
  ipFamilyPolicy: {{ . }}
  {{- end }}
  {{- with $service.ipFamilies }}
  ipFamilies:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .affinity }}
  sessionAffinity: ClientIP
  {{- end }}
  ports:
    - name: http
      port: {{ int $service.port }}
      targetPort: http
      {{- with $own.nodePort }}
      nodePort: {{ int . }}
      {{- end }}
      protocol: TCP
      appProtocol: http
  selector:
    {{- include "n8n-tuned.selector" (dict "context" .context "component" .component) | nindent 4 }}
{{- end -}}
