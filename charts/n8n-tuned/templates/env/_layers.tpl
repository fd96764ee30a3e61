{{/* One layer a concern; each gets (dict context component) and gives a YAML list of env entries. */}}

{{- define "n8n-tuned.env.general" -}}
- name: N8N_USER_FOLDER
  value: /home/node
- name: N8N_PORT
  value: "5678"
- name: GENERIC_TIMEZONE
  value: {{ .context.Values.timezone | quote }}
- name: TZ
  value: {{ .context.Values.timezone | quote }}
{{ include "n8n-tuned.secretEnv" (dict "context" .context "what" "encryptionKey" "variable" "N8N_ENCRYPTION_KEY") }}
- name: N8N_GRACEFUL_SHUTDOWN_TIMEOUT
  value: {{ include "n8n-tuned.shutdownSeconds" . | quote }}
- name: QUEUE_WORKER_TIMEOUT
  value: {{ include "n8n-tuned.shutdownSeconds" . | quote }}
- name: N8N_SKIP_WEBHOOK_DEREGISTRATION_SHUTDOWN
  value: "true"
{{- with .context.Values.callHome }}
- name: N8N_DIAGNOSTICS_ENABLED
  value: {{ .diagnostics | quote }}
- name: N8N_VERSION_NOTIFICATIONS_ENABLED
  value: {{ .versionNotifications | quote }}
- name: N8N_TEMPLATES_ENABLED
  value: {{ .templates | quote }}
{{- end }}
{{- if and .context.Values.license.existingSecret (eq .component.role "main") }}
- name: N8N_LICENSE_ACTIVATION_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .context.Values.license.existingSecret | quote }}
      key: {{ .context.Values.license.existingSecretKey | quote }}
{{- end }}
{{- with .context.Values.sentry }}
{{- if .existingSecret }}
- name: N8N_SENTRY_DSN
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret | quote }}
      key: {{ .existingSecretKey | quote }}
{{- end }}
{{- end }}
{{- with .context.Values.logs }}
{{- if ne (join "," .output) "console" }}
- name: N8N_LOG_OUTPUT
  value: {{ join "," .output | quote }}
{{- end }}
{{- if ne .format "text" }}
- name: N8N_LOG_FORMAT
  value: {{ .format }}
{{- end }}
{{- end }}
{{- with include "n8n-tuned.trustedFile" .context }}
- name: NODE_EXTRA_CA_CERTS
  value: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.env.executions" -}}
{{- $values := .context.Values -}}
- name: EXECUTIONS_MODE
  value: {{ $values.executions.mode }}
- name: EXECUTIONS_PROCESS
  value: {{ $values.executions.process }}
{{- $timeout := int $values.executions.timeoutSeconds }}
{{- if ge $timeout 1 }}
- name: EXECUTIONS_TIMEOUT
  value: {{ $timeout | quote }}
{{- end }}
{{- /* n8n takes the smaller of the two, and this one is an hour by default. */}}
{{- if gt $timeout 3600 }}
- name: EXECUTIONS_TIMEOUT_MAX
  value: {{ $timeout | quote }}
{{- end }}
{{- with $values.executions.pruning }}
- name: EXECUTIONS_DATA_PRUNE
  value: {{ .enabled | quote }}
{{- range $variable, $setting := dict "EXECUTIONS_DATA_MAX_AGE" .maxAgeHours "EXECUTIONS_DATA_PRUNE_MAX_COUNT" .maxCount "EXECUTIONS_DATA_HARD_DELETE_BUFFER" .bufferHours }}
{{- if not (kindIs "invalid" $setting) }}
- name: {{ $variable }}
  value: {{ int64 $setting | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- if and $values.executions.durableSchedules (eq .component.role "main") }}
- name: N8N_SCHEDULER_ENABLED
  value: "true"
- name: N8N_USE_WORKFLOW_PUBLICATION_SERVICE
  value: "true"
{{- end }}
{{- if include "n8n-tuned.isQueue" .context }}
{{- range $variable, $setting := dict "N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL" $values.executions.recovery.intervalMinutes "N8N_EXECUTIONS_QUEUE_RECOVERY_BATCH" $values.executions.recovery.batch }}
{{- if and (eq $.component.role "main") (not (kindIs "invalid" $setting)) }}
- name: {{ $variable }}
  value: {{ int64 $setting | quote }}
{{- end }}
{{- end }}
- name: QUEUE_BULL_PREFIX
  value: {{ $values.redis.prefix | quote }}
- name: OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS
  value: "true"
{{- if eq .component.role "worker" }}
- name: QUEUE_HEALTH_CHECK_ACTIVE
  value: "true"
- name: QUEUE_HEALTH_CHECK_PORT
  value: "5678"
{{- if .component.settings.dedicatedQueue }}
- name: N8N_WORKER_POOLS_ENABLED
  value: "true"
- name: N8N_WORKER_POOL_NAME
  value: {{ .component.pool | quote }}
{{- end }}
{{- else }}
{{- /* A caller's answer is lost when its finished job is deleted before Bull listens: keep what finishes in 5 s, with room. */}}
{{- $keep := max 1000 (mul 7 (int $values.executions.peakRatePerSecond)) }}
- name: N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED
  value: {{ $keep | quote }}
- name: N8N_EXECUTIONS_QUEUE_KEEP_LAST_FAILED
  value: {{ $keep | quote }}
{{- if $values.worker.pools | default list | toJson | contains "\"dedicatedQueue\":true" }}
- name: N8N_WORKER_POOLS_ENABLED
  value: "true"
{{- end }}
{{- end }}
{{- if and (eq .component.role "main") $values.multiMain.enabled }}
- name: N8N_MULTI_MAIN_SETUP_ENABLED
  value: "true"
{{- end }}
{{- if and (eq .component.role "main") (include "n8n-tuned.hasWebhookProcessors" .context) $values.webhook.exclusive }}
- name: N8N_DISABLE_PRODUCTION_MAIN_PROCESS
  value: "true"
{{- end }}
{{- else if .component.settings.concurrency }}
- name: N8N_CONCURRENCY_PRODUCTION_LIMIT
  value: {{ .component.settings.concurrency | int | quote }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.env.tuning" -}}
{{- $context := .context -}}
- name: EXECUTIONS_DATA_SAVE_ON_SUCCESS
  value: {{ include "n8n-tuned.tuning" (dict "context" $context "name" "saveSuccessfulExecutions") }}
- name: EXECUTIONS_DATA_SAVE_ON_ERROR
  value: {{ include "n8n-tuned.tuning" (dict "context" $context "name" "saveFailedExecutions") }}
- name: EXECUTIONS_DATA_SAVE_ON_PROGRESS
  value: {{ include "n8n-tuned.tuning" (dict "context" $context "name" "saveProgress") | quote }}
- name: N8N_LOG_LEVEL
  value: {{ include "n8n-tuned.tuning" (dict "context" $context "name" "logLevel") }}
- name: N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE
  value: {{ include "n8n-tuned.tuning" (dict "context" $context "name" "lazyExpressions") | quote }}
- name: N8N_EXPRESSION_ENGINE_COMPILE_CACHE
  value: {{ include "n8n-tuned.tuning" (dict "context" $context "name" "compileCache") | quote }}
- name: N8N_EXPRESSION_ENGINE_POOL_SIZE
  value: {{ include "n8n-tuned.tuning" (dict "context" $context "name" "readySandboxes") | quote }}
{{- if and (ne .component.role "main") (eq "true" (include "n8n-tuned.tuning" (dict "context" $context "name" "headlessWorkers"))) }}
- name: N8N_DISABLE_UI
  value: "true"
{{- end }}
{{- end -}}

{{- define "n8n-tuned.env.memory" -}}
{{- $heap := include "n8n-tuned.heap" . | fromYaml -}}
{{- $options := include "n8n-tuned.nodeOptions" . -}}
{{- $entries := list -}}
{{- if $options -}}
{{- $entries = append $entries (dict "name" "NODE_OPTIONS" "value" $options) -}}
{{- end -}}
{{- with include "n8n-tuned.keepAliveSeconds" . -}}
{{- $entries = append $entries (dict "name" "N8N_TUNED_KEEP_ALIVE_SECONDS" "value" .) -}}
{{- end -}}
{{- with include "n8n-tuned.guardSeconds" . -}}
{{- $entries = append $entries (dict "name" "N8N_TUNED_GUARD_SECONDS" "value" .) -}}
{{- end -}}
{{- with $heap.runnerOldSpaceMiB -}}
{{- $entries = append $entries (dict "name" "N8N_RUNNERS_MAX_OLD_SPACE_SIZE" "value" (. | int64 | toString)) -}}
{{- end -}}
{{- with $heap.runnerPayloadMiB -}}
{{- $entries = append $entries (dict "name" "N8N_RUNNERS_MAX_PAYLOAD" "value" (mul (int64 .) 1048576 | toString)) -}}
{{- end -}}
{{- toYaml $entries -}}
{{- end -}}

{{- define "n8n-tuned.env.runners" -}}
{{- $mode := include "n8n-tuned.runnerModeOf" . -}}
{{- if eq $mode "off" -}}
[]
{{- else -}}
- name: N8N_RUNNERS_ENABLED
  value: "true"
- name: N8N_RUNNERS_MODE
  value: {{ $mode | quote }}
- name: N8N_RUNNERS_MAX_CONCURRENCY
  value: {{ include "n8n-tuned.runnerConcurrency" . | quote }}
{{- if eq $mode "external" }}
- name: N8N_RUNNERS_BROKER_LISTEN_ADDRESS
  value: 127.0.0.1
{{ include "n8n-tuned.secretEnv" (dict "context" .context "what" "runners" "variable" "N8N_RUNNERS_AUTH_TOKEN") }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* database needs 2.0; below, files where there is one process, else memory. */}}
{{- define "n8n-tuned.binaryDataMode" -}}
{{- if .Values.binaryData.mode -}}{{ .Values.binaryData.mode }}
{{- else if not (include "n8n-tuned.isQueue" .) -}}filesystem
{{- else if include "n8n-tuned.supports" (dict "context" . "feature" "binaryDataDatabase") -}}database
{{- else -}}default
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.env.binaryData" -}}
{{- $mode := include "n8n-tuned.binaryDataMode" .context -}}
- name: N8N_DEFAULT_BINARY_DATA_MODE
  value: {{ $mode | quote }}
{{- if eq $mode "s3" }}
{{- with .context.Values.binaryData.s3 }}
- name: N8N_AVAILABLE_BINARY_DATA_MODES
  value: filesystem,s3
- name: N8N_EXTERNAL_STORAGE_S3_HOST
  value: {{ .host | quote }}
- name: N8N_EXTERNAL_STORAGE_S3_BUCKET_NAME
  value: {{ .bucket | quote }}
- name: N8N_EXTERNAL_STORAGE_S3_BUCKET_REGION
  value: {{ .region | quote }}
{{- if .existingSecret }}
- name: N8N_EXTERNAL_STORAGE_S3_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret | quote }}
      key: {{ .accessKeyKey | quote }}
- name: N8N_EXTERNAL_STORAGE_S3_ACCESS_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ .existingSecret | quote }}
      key: {{ .secretKeyKey | quote }}
{{- else }}
- name: N8N_EXTERNAL_STORAGE_S3_AUTH_AUTO_DETECT
  value: "true"
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "n8n-tuned.env.metrics" -}}
{{- if .context.Values.monitoring.enabled -}}
- name: N8N_METRICS
  value: "true"
- name: N8N_METRICS_INCLUDE_WEBHOOK_METRICS
  value: "true"
- name: N8N_METRICS_INCLUDE_DB_POOL_METRICS
  value: "true"
- name: N8N_METRICS_INCLUDE_MESSAGE_EVENT_BUS_METRICS
  value: "true"
{{- if .context.Values.monitoring.sources.workflowIdLabel }}
- name: N8N_METRICS_INCLUDE_WORKFLOW_ID_LABEL
  value: "true"
{{- end }}
{{- if and (eq .component.role "main") (include "n8n-tuned.isQueue" .context) }}
- name: N8N_METRICS_INCLUDE_QUEUE_METRICS
  value: "true"
{{- end }}
{{- else -}}
[]
{{- end -}}
{{- end -}}
