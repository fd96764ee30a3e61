{{/*
Memory of a role from its container's limit. The rule and its measurement: docs/chart/memory.md. What V8 does by
itself (half the limit for n8n and again half for the runner inside the same container) exceeds the limit.
*/}}

{{/* MiB under which a role does not start or has no room left to work. Dict: context, role. */}}
{{- define "n8n-tuned.memoryFloorMiB" -}}
{{- if include "n8n-tuned.supports" (dict "context" .context "feature" "taskRunnersAlways") -}}
{{- /* n8n with an idle task runner, and room for one execution beside what lives outside V8. */ -}}
{{- ternary 768 1024 (eq .role "webhook") -}}
{{- else -}}
{{- 512 -}}
{{- end -}}
{{- end -}}

{{/* MiB that live outside V8: code, buffers, sockets. */}}
{{- define "n8n-tuned.outsideHeapMiB" -}}
{{- ternary 250 100 (eq "true" (include "n8n-tuned.supports" (dict "context" . "feature" "taskRunnersAlways"))) -}}
{{- end -}}

{{- define "n8n-tuned.memoryLimit" -}}
{{- dig "limits" "memory" "" (.settings.resources | default dict) -}}
{{- end -}}

{{/*
The heap of a component as YAML: limitMiB, oldSpaceMiB, and where it has a task runner runnerOldSpaceMiB and
runnerPayloadMiB; empty where the heap is left alone or no limit is given. Dict: context, component.
*/}}
{{- define "n8n-tuned.heap" -}}
{{- $limit := include "n8n-tuned.memoryLimit" .component -}}
{{- $heap := mergeOverwrite (deepCopy .context.Values.heap) (deepCopy (.component.settings.heap | default dict)) -}}
{{- if and $limit $heap.enabled -}}
{{- $at := printf "%s.resources.limits.memory" .component.at -}}
{{- $limitMiB := include "n8n-tuned.mebibytes" (dict "value" $limit "at" $at) | int64 -}}
limitMiB: {{ $limitMiB }}
oldSpaceMiB: {{ include "n8n-tuned.share" (dict "value" $heap.oldSpace "limitMiB" $limitMiB "at" "heap.oldSpace") }}
{{- $runnerMode := include "n8n-tuned.runnerModeOf" . -}}
{{- if ne $runnerMode "off" }}
runnerPayloadMiB: {{ include "n8n-tuned.share" (dict "value" $heap.runnerPayload "limitMiB" $limitMiB "at" "heap.runnerPayload") }}
{{- if eq $runnerMode "internal" }}
runnerOldSpaceMiB: {{ include "n8n-tuned.share" (dict "value" $heap.runnerOldSpace "limitMiB" $limitMiB "at" "heap.runnerOldSpace") }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* NODE_OPTIONS of a component, maybe empty. Dict: context, component. */}}
{{- define "n8n-tuned.nodeOptions" -}}
{{- $heap := include "n8n-tuned.heap" . | fromYaml -}}
{{- $options := list -}}
{{- with $heap.oldSpaceMiB -}}
{{- $options = append $options (printf "--max-old-space-size=%d" (int64 .)) -}}
{{- end -}}
{{- $semiSpaceMiB := include "n8n-tuned.tuning" (dict "context" .context "name" "semiSpaceMiB") | int -}}
{{- if gt $semiSpaceMiB 0 -}}
{{- $options = append $options (printf "--max-semi-space-size=%d" $semiSpaceMiB) -}}
{{- end -}}
{{- with .context.Values.heap.nodeOptions -}}
{{- $options = append $options . -}}
{{- end -}}
{{- join " " $options -}}
{{- end -}}
