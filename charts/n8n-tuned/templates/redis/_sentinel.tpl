{{/*
The proxy that follows the master of a Redis behind Sentinels: a sidecar of every n8n, first among the init containers, so
that it starts before them and ends after n8n. Dict: context, component.
*/}}
{{- define "n8n-tuned.sentinelProxy" -}}
{{- if eq (include "n8n-tuned.redisKind" .context) "sentinel" }}
{{- $external := .context.Values.redis.external }}
{{- $sentinel := $external.sentinel }}
- name: redis-master
  image: {{ include "n8n-tuned.n8nImage" .context | quote }}
  imagePullPolicy: {{ .context.Values.image.pullPolicy }}
  restartPolicy: Always
  # The image's entrypoint starts n8n; here its Node.js runs the script.
  command: [node]
  args: [{{ include "n8n-tuned.scriptFolder" .context }}/redis-master.cjs]
  env:
    - name: LISTEN_PORT
      value: {{ include "n8n-tuned.sentinelProxyPort" .context | quote }}
    - name: SENTINELS
      value: {{ join "," $sentinel.nodes | quote }}
    - name: MASTER
      value: {{ $sentinel.master | quote }}
    {{- with $sentinel.existingSecret }}
    - name: SENTINEL_PASSWORD
      valueFrom:
        secretKeyRef:
          name: {{ . | quote }}
          key: {{ $sentinel.existingSecretKey | quote }}
    {{- end }}
    {{- if $external.tls.enabled }}
    - name: TLS
      value: "true"
    - name: TLS_SERVER_NAME
      value: {{ $external.tls.serverName | quote }}
    {{- with include "n8n-tuned.trustedFile" .context }}
    - name: NODE_EXTRA_CA_CERTS
      value: {{ . | quote }}
    {{- end }}
    {{- end }}
  resources:
    {{- toYaml $sentinel.resources | nindent 4 }}
  securityContext:
    {{- toYaml .component.settings.securityContext | nindent 4 }}
  volumeMounts:
    - name: tmp
      mountPath: /tmp
    {{- include "n8n-tuned.scriptMount" .context | nindent 4 }}
    {{- with include "n8n-tuned.certificateMounts" .context | trim }}
    {{- . | nindent 4 }}
    {{- end }}
{{- end }}
{{- end -}}
