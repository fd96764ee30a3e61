{{/*
Memory of a role from its container's limit. The rule and its measurement: docs/chart/tuning.md#memory. What V8 does by
itself (half the limit for n8n and again half for the runner inside the same container) exceeds the limit.
*/}}

{{- define "n8n-tuned.memoryLimit" -}}
{{- with dig "limits" "memory" "" (.settings.resources | default dict) -}}
{{- include "n8n-tuned.plain" . -}}
{{- end -}}
{{- end -}}

{{/* The heap settings of a component: `heap`, under what `pod`, the role and the pool say. Dict: context, component. */}}
{{- define "n8n-tuned.heapSettings" -}}
{{- mergeOverwrite (deepCopy .context.Values.heap) (deepCopy (.component.settings.heap | default dict)) | toYaml -}}
{{- end -}}

{{/* The place of one of them in the values. Dict: context, component, name. */}}
{{- define "n8n-tuned.heapAt" -}}
{{- $at := "heap" -}}
{{- if hasKey (.context.Values.pod.heap | default dict) .name -}}{{- $at = "pod.heap" -}}{{- end -}}
{{- if hasKey ((get .context.Values .component.role).heap | default dict) .name -}}{{- $at = printf "%s.heap" .component.role -}}{{- end -}}
{{- range .context.Values.worker.pools -}}
{{- if and (eq .name ($.component.pool | default "")) (hasKey (.heap | default dict) $.name) -}}{{- $at = printf "%s.heap" $.component.at -}}{{- end -}}
{{- end -}}
{{- printf "%s.%s" $at .name -}}
{{- end -}}

{{/*
The heap of a component as YAML: limitMiB, oldSpaceMiB, and where it has a task runner runnerOldSpaceMiB and
runnerPayloadMiB; empty where the heap is left alone or no limit is given. Dict: context, component.
*/}}
{{- define "n8n-tuned.heap" -}}
{{- $limit := include "n8n-tuned.memoryLimit" .component -}}
{{- $heap := include "n8n-tuned.heapSettings" . | fromYaml -}}
{{- if and $limit $heap.enabled -}}
{{- $limitMiB := include "n8n-tuned.mebibytes" (dict "value" $limit "at" (printf "%s.resources.limits.memory" .component.at)) | int64 -}}
{{- $runnerMode := .component.named.runnerMode -}}
limitMiB: {{ $limitMiB }}
{{- range $name, $isUsed := dict "oldSpace" true "runnerPayload" (ne $runnerMode "off") "runnerOldSpace" (eq $runnerMode "internal") }}
{{- if $isUsed }}
{{- $at := include "n8n-tuned.heapAt" (dict "context" $.context "component" $.component "name" $name) }}
{{ $name }}MiB: {{ include "n8n-tuned.share" (dict "value" (get $heap $name) "limitMiB" $limitMiB "at" $at) }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* NODE_OPTIONS of a component, maybe empty. Dict: context, component. */}}
{{- define "n8n-tuned.nodeOptions" -}}
{{- $options := list -}}
{{- range include "n8n-tuned.rowEntries" (dict "context" .context "component" .component "rows" .context.n8nTunedEnvironment.options) | fromYamlArray -}}
{{- $options = append $options (printf "--%s=%s" .name .value) -}}
{{- end -}}
{{- range .component.preloads -}}
{{- $options = append $options (printf "--require=%s/%s" (include "n8n-tuned.preloadFolder" $.context) .) -}}
{{- end -}}
{{- with .context.Values.heap.nodeOptions -}}
{{- $options = append $options . -}}
{{- end -}}
{{- join " " $options -}}
{{- end -}}
