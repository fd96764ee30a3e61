{{/* For so long a pass begins retries; then it ends by itself, and the next one goes on. */}}
{{- define "n8n-tuned.recoveryPassSeconds" -}}
{{- max 240 (mul 4 (int .Values.recovery.patienceSeconds)) -}}
{{- end -}}

{{/*
What n8n saves of executions, as main has it, under the names of the variables that recovery reads: what it can bring
back rests on it. Whether keep-stalled is in force, recovery reads from n8n's metrics.
*/}}
{{- define "n8n-tuned.recoverySaves" -}}
{{- $asked := dict "context" . "component" (first .n8nTunedComponents) -}}
{{- $saves := dict -}}
{{- range $setting, $variable := dict
  "saveFailedExecutions" "EXECUTIONS_DATA_SAVE_ON_ERROR"
  "saveSuccessfulExecutions" "EXECUTIONS_DATA_SAVE_ON_SUCCESS"
  "saveProgress" "EXECUTIONS_DATA_SAVE_ON_PROGRESS" -}}
{{- $tuned := include "n8n-tuned.tuning" (dict "context" $ "name" $setting) -}}
{{- $_ := set $saves $variable (include "n8n-tuned.userEnv" (merge (dict "name" $variable "default" $tuned) $asked)) -}}
{{- end -}}
{{- toYaml $saves -}}
{{- end -}}

{{/* What of n8n's settings leaves recovery with little or nothing to do, for NOTES: one line each. */}}
{{- define "n8n-tuned.recoveryWarnings" -}}
{{- if .Values.recovery.enabled -}}
{{- $saves := include "n8n-tuned.recoverySaves" . | fromYaml -}}
{{- if eq "none" $saves.EXECUTIONS_DATA_SAVE_ON_ERROR }}
- recovery.enabled: n8n saves no failed executions, so recovery only retries executions of workflows whose own settings save failed executions: set tuning.saveFailedExecutions=all.
{{- end }}
{{- if and (not (include "n8n-tuned.isQueue" .)) (eq "none" $saves.EXECUTIONS_DATA_SAVE_ON_SUCCESS) }}
- recovery.enabled: n8n saves no successful executions, so it keeps no record of a successful retry in regular mode. Recovery therefore only retries executions of workflows whose own settings save successful executions: set tuning.saveSuccessfulExecutions=all.
{{- end }}
{{- if and (include "n8n-tuned.isQueue" .) (not (has "keep-stalled.cjs" (first .n8nTunedComponents).preloads)) }}
- recovery.enabled: without tuning.keepStalled, n8n overwrites the executions of a dead worker with an empty run, and recovery cannot restore the data: set tuning.keepStalled=true.
{{- else if and (include "n8n-tuned.isQueue" .) (not .Values.monitoring.enabled) }}
- recovery.enabled: without monitoring.enabled, n8n exposes no metrics, so recovery cannot check whether keep-stalled is active, and executions of dead workers may stay lost: set monitoring.enabled=true.
{{- end }}
{{- end -}}
{{- end -}}

{{/* Names of the workers whose metrics recovery reads, one a line. */}}
{{- define "n8n-tuned.recoveryWorkers" -}}
{{- if and (include "n8n-tuned.isQueue" .) .Values.monitoring.enabled -}}
{{- range .n8nTunedComponents }}{{ if eq .role "worker" }}{{ .name }}{{ "\n" }}{{ end }}{{ end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.recovery" -}}
{{- if .Values.recovery.enabled -}}
{{- $kind := include "n8n-tuned.redisKind" . -}}
{{- if not .Values.recovery.apiKey.existingSecret -}}
{{- "recovery.enabled: recovery requires a key for n8n's API: create the key in n8n (scopes workflow:list, execution:list, execution:read, execution:retry), store it in a Secret, and set recovery.apiKey.existingSecret." }}{{ "\n" -}}
{{- end -}}
{{- if has $kind (list "cluster" "sentinel") -}}
{{- printf "recovery.enabled: recovery can only read the queue of a single Redis, but redis.external.%s is set: set redis.external.host instead, or remove recovery.enabled and run n8n-tuned recover yourself." (ternary "clusterNodes" "sentinel.nodes" (eq $kind "cluster")) }}{{ "\n" -}}
{{- end -}}
{{- if and (include "n8n-tuned.isQueue" .) (gt (int .Values.recovery.sinceHours) 168) -}}
{{- "recovery.sinceHours: in queue mode, workers mark finished executions for 168 hours, and recovery could repeat older ones: set recovery.sinceHours to 168 or less." }}{{ "\n" -}}
{{- end -}}
{{- if not (include "n8n-tuned.supports" (dict "context" . "feature" "keepsStalled")) -}}
{{- printf "recovery.enabled: recovery requires n8n 2.41 or newer, but this is n8n %s: use a newer version, or remove recovery.enabled." (include "n8n-tuned.version" .) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
