{{/* The external task runner beside n8n: Code nodes in a container of their own. Dict: context, component. */}}
{{- define "n8n-tuned.runnerSidecar" -}}
{{- $values := .context.Values -}}
{{- $runners := $values.taskRunners -}}
- name: task-runners
  image: {{ include "n8n-tuned.image" (dict "context" .context "image" $runners.image "tag" (include "n8n-tuned.version" .context)) | quote }}
  imagePullPolicy: {{ $values.image.pullPolicy }}
  env:
    {{- include "n8n-tuned.runnerEnv" . | nindent 4 }}
  ports:
    - name: runner-health
      containerPort: 5680
  livenessProbe:
    httpGet:
      path: /healthz
      port: runner-health
    periodSeconds: 10
    failureThreshold: 6
  resources:
    {{- toYaml $runners.resources | nindent 4 }}
  securityContext:
    {{- toYaml .component.settings.securityContext | nindent 4 }}
  volumeMounts:
    - name: tmp
      mountPath: /tmp
    {{- if include "n8n-tuned.runnerVariables" .context }}
    - name: runner-config
      mountPath: /etc/n8n-tuned/runner
      readOnly: true
    {{- end }}
    {{- if $values.pythonPackages.packages }}
    - name: python-packages
      mountPath: /opt/python-packages
      readOnly: true
    {{- end }}
{{- end -}}

{{/* Names of the variables that the image's launcher would keep from the code, separated by spaces. Context: root. */}}
{{- define "n8n-tuned.runnerVariables" -}}
{{- $names := list -}}
{{- range $name, $value := .Values.taskRunners.env -}}
{{- if not (kindIs "invalid" $value) -}}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- if .Values.pythonPackages.packages -}}
{{- $names = concat $names (list "PYTHONPATH" "N8N_RUNNERS_EXTERNAL_ALLOW") -}}
{{- end -}}
{{- join " " (without $names "N8N_RUNNERS_AUTH_TOKEN" | uniq | sortAlpha) -}}
{{- end -}}

{{/* Writes the launcher's config of the image anew, so that those variables come through. Dict: context, component. */}}
{{- define "n8n-tuned.runnerConfigInit" -}}
{{- $runners := .context.Values.taskRunners -}}
{{- $names := include "n8n-tuned.runnerVariables" .context -}}
{{- if and $names (eq (include "n8n-tuned.runnerModeOf" .) "external") }}
- name: runner-config
  image: {{ include "n8n-tuned.image" (dict "context" .context "image" $runners.image "tag" (include "n8n-tuned.version" .context)) | quote }}
  imagePullPolicy: {{ .context.Values.image.pullPolicy }}
  command: [/usr/local/bin/node]
  args:
    - {{ include "n8n-tuned.scriptFolder" .context }}/runner-config.cjs
    - /etc/n8n-task-runners.json
    - /runner-config/config.json
    {{- splitList " " $names | toYaml | nindent 4 }}
  resources:
    {{- toYaml .context.Values.initResources | nindent 4 }}
  securityContext:
    {{- toYaml .component.settings.securityContext | nindent 4 }}
  volumeMounts:
    - name: runner-config
      mountPath: /runner-config
    {{- include "n8n-tuned.scriptMount" .context | nindent 4 }}
{{- end }}
{{- end -}}

{{/* The runner's environment; taskRunners.env wins by name. Its heap is half of its own limit. */}}
{{- define "n8n-tuned.runnerEnv" -}}
{{- $runners := .context.Values.taskRunners -}}
{{- $token := include "n8n-tuned.secretEnv" (dict "context" .context "what" "runners" "variable" "N8N_RUNNERS_AUTH_TOKEN") | fromYamlArray | first -}}
{{- $entries := dict
  "N8N_RUNNERS_AUTH_TOKEN" $token
  "N8N_RUNNERS_TASK_BROKER_URI" (dict "value" "http://127.0.0.1:5679")
  "N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT" (dict "value" "5680")
  "N8N_RUNNERS_MAX_CONCURRENCY" (dict "value" (include "n8n-tuned.runnerConcurrency" .)) -}}
{{- with dig "limits" "memory" "" ($runners.resources | default dict) -}}
{{- $limitMiB := include "n8n-tuned.mebibytes" (dict "value" . "at" "taskRunners.resources.limits.memory") | int64 -}}
{{- $_ := set $entries "NODE_OPTIONS" (dict "value" (printf "--max-old-space-size=%d" (div $limitMiB 2))) -}}
{{- end -}}
{{- if include "n8n-tuned.runnerVariables" .context -}}
{{- $_ := set $entries "N8N_RUNNERS_CONFIG_PATH" (dict "value" "/etc/n8n-tuned/runner/config.json") -}}
{{- end -}}
{{- if .context.Values.pythonPackages.packages -}}
{{- $_ := set $entries "PYTHONPATH" (dict "value" "/opt/python-packages") -}}
{{- $_ := set $entries "N8N_RUNNERS_EXTERNAL_ALLOW" (dict "value" (join "," .context.Values.pythonPackages.allow)) -}}
{{- end -}}
{{- range $name, $value := $runners.env -}}
{{- if kindIs "invalid" $value -}}{{- $_ := unset $entries $name -}}
{{- else if kindIs "map" $value -}}{{- $_ := set $entries $name $value -}}
{{- else -}}{{- $_ := set $entries $name (dict "value" (include "n8n-tuned.plain" $value)) -}}{{- end -}}
{{- end -}}
{{- $list := list -}}
{{- range $name, $entry := $entries -}}
{{- $list = append $list (merge (dict "name" $name) (omit $entry "name")) -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}
