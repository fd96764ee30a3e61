{{/*
The external task runner beside n8n: Code nodes in a container of their own. It is a native sidecar: it starts before n8n
and is told to end only when n8n, which drains with its help, has ended. Dict: context, component.
*/}}
{{- define "n8n-tuned.runnerSidecar" -}}
{{- if eq .component.named.runnerMode "external" }}
{{- $values := .context.Values }}
{{- $runners := $values.taskRunners }}
- name: task-runners
  image: {{ include "n8n-tuned.runnerImage" .context | quote }}
  imagePullPolicy: {{ $values.image.pullPolicy }}
  restartPolicy: Always
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
    # Not n8n's: the code that runs here is not to reach what n8n keeps there.
    - name: runner-tmp
      mountPath: /tmp
    - name: runner-config
      mountPath: /etc/n8n-tuned/runner
      readOnly: true
    {{- if $values.pythonPackages.packages }}
    - name: python-packages
      mountPath: /opt/python-packages
      readOnly: true
    {{- end }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.runnerImage" -}}
{{- include "n8n-tuned.image" (dict "context" . "image" .Values.taskRunners.image "tag" (include "n8n-tuned.version" .)) -}}
{{- end -}}

{{/*
Writes the config of the image's launcher anew: it passes on only the variables that it names and overrides some. All of
the runner's get through but those that are the launcher's own. Dict: context, component.
*/}}
{{- define "n8n-tuned.runnerConfigInit" -}}
{{- if eq .component.named.runnerMode "external" }}
- name: runner-config
  image: {{ include "n8n-tuned.runnerImage" .context | quote }}
  imagePullPolicy: {{ .context.Values.image.pullPolicy }}
  command: [/usr/local/bin/node]
  args:
    - {{ include "n8n-tuned.scriptFolder" .context }}/runner-config.cjs
    - /etc/n8n-task-runners.json
    - /runner-config/config.json
    {{- range include "n8n-tuned.runnerEnv" . | fromYamlArray }}
    {{- if not (regexMatch "^N8N_RUNNERS_(LAUNCHER_.*|AUTH_TOKEN|TASK_BROKER_URI|CONFIG_PATH)$" .name) }}
    - {{ .name }}
    {{- end }}
    {{- end }}
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

{{/*
The runner's environment: what n8n would hand down to a runner of its own, with the user's `env` in it, then what only an
external one has; taskRunners.env wins by name. Dict: context, component.
*/}}
{{- define "n8n-tuned.runnerEnv" -}}
{{- $runners := .context.Values.taskRunners -}}
{{- $table := .context.n8nTunedEnvironment.runners -}}
{{- $entries := dict -}}
{{- range include "n8n-tuned.rowEntries" (merge (dict "rows" $table.variables) .) | fromYamlArray -}}{{- $_ := set $entries .name . -}}{{- end -}}
{{- range include "n8n-tuned.env" . | fromYamlArray -}}
{{- if has .name $table.handedDown -}}{{- $_ := set $entries .name . -}}{{- end -}}
{{- end -}}
{{- $token := include "n8n-tuned.secretEnv" (dict "context" .context "what" "runners" "variable" "N8N_RUNNERS_AUTH_TOKEN") | fromYamlArray | first -}}
{{- $_ := set $entries "N8N_RUNNERS_AUTH_TOKEN" $token -}}
{{- $_ := set $entries "N8N_RUNNERS_TASK_BROKER_URI" (dict "value" "http://127.0.0.1:5679") -}}
{{- $_ := set $entries "N8N_RUNNERS_LAUNCHER_HEALTH_CHECK_PORT" (dict "value" "5680") -}}
{{- $_ := set $entries "N8N_RUNNERS_CONFIG_PATH" (dict "value" "/etc/n8n-tuned/runner/config.json") -}}
{{- /* The runner gets the time in which n8n drains. */ -}}
{{- $_ := set $entries "N8N_RUNNERS_GRACEFUL_SHUTDOWN_TIMEOUT" (dict "value" (include "n8n-tuned.shutdownSeconds" . | toString)) -}}
{{- with dig "limits" "memory" "" ($runners.resources | default dict) -}}
{{- $limitMiB := include "n8n-tuned.mebibytes" (dict "value" . "at" "taskRunners.resources.limits.memory") | int64 -}}
{{- $heapMiB := include "n8n-tuned.share" (dict "value" $table.oldSpace "limitMiB" $limitMiB "at" "files/environment.yaml") -}}
{{- $_ := set $entries "NODE_OPTIONS" (dict "value" (printf "--max-old-space-size=%s" $heapMiB)) -}}
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
