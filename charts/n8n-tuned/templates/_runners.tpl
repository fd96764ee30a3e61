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
    {{- if $values.pythonPackages.packages }}
    - name: python-packages
      mountPath: /opt/python-packages
      readOnly: true
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
{{- if .context.Values.pythonPackages.packages -}}
{{- $_ := set $entries "PYTHONPATH" (dict "value" "/opt/runners/task-runner-python:/opt/python-packages") -}}
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
