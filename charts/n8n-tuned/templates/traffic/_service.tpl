{{/* A Service of main or the webhook processors. Dict: context, component (a name), suffix, settings (what is the Service's own), affinity (bool). */}}
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
  loadBalancerClass: {{ . | quote }}
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
