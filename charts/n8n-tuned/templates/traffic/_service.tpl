{{/* A Service of main or the webhook processors. Dict: context, component (a name), suffix, settings (what is the Service's own), affinity (bool). */}}
{{- define "n8n-tuned.service" -}}
{{- $service := .context.Values.service -}}
{{- $own := .settings -}}
apiVersion: v1
kind: Service
metadata:
  {{- $annotations := mergeOverwrite (include "n8n-tuned.serviceAnnotations" . | fromYaml) (deepCopy ($own.annotations | default dict)) }}
  {{- include "n8n-tuned.metadata" (dict "context" .context "component" .component "name" .suffix "annotations" $annotations) | nindent 2 }}
spec:
  type: {{ $own.type }}
  {{- with $own.loadBalancerClass }}
  loadBalancerClass: {{ . | quote }}
  {{- end }}
  {{- with $own.loadBalancerSourceRanges }}
  loadBalancerSourceRanges:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $own.externalTrafficPolicy }}
  externalTrafficPolicy: {{ . }}
  {{- end }}
  {{- with include "n8n-tuned.ipFamilies" .context }}
  {{- . | nindent 2 }}
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

{{/* The IP families of every Service of the chart; empty where the cluster chooses. */}}
{{- define "n8n-tuned.ipFamilies" -}}
{{- with .Values.service.ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .Values.service.ipFamilies }}
ipFamilies:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What some controllers read from the Service and not from the Ingress. Dict: context, affinity. */}}
{{- define "n8n-tuned.serviceAnnotations" -}}
{{- $controllers := include "n8n-tuned.ingressControllers" .context -}}
{{- $annotations := dict -}}
{{- if contains "gce" $controllers -}}
{{- $_ := set $annotations "cloud.google.com/neg" "{\"ingress\":true}" -}}
{{- $_ := set $annotations "cloud.google.com/backend-config" (dict "default" (include "n8n-tuned.fullname" .context) | toJson) -}}
{{- end -}}
{{- if and .affinity (contains "traefik" $controllers) -}}
{{- $_ := set $annotations "traefik.ingress.kubernetes.io/service.sticky.cookie" "true" -}}
{{- end -}}
{{- toYaml $annotations -}}
{{- end -}}
