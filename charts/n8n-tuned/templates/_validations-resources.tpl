{{/* Contradictions of memory, CPU and sizes, with their figures. */}}

{{- define "n8n-tuned.validate.memory" -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $hasRunner := eq "true" (include "n8n-tuned.supports" (dict "context" . "feature" "taskRunnersAlways")) -}}
{{- /* What lives outside V8: code, buffers, sockets. */ -}}
{{- $outsideMiB := ternary 250 100 $hasRunner | int64 -}}
{{- $semiSpaceMiB := include "n8n-tuned.tuning" (dict "context" . "name" "semiSpaceMiB") | int64 -}}
{{- /* Under these a process dies of "heap out of memory" at its start, or only just starts. Measured: studies/heap-floors. */ -}}
{{- $minMiB := dict "oldSpace" (ternary 320 128 $hasRunner) "runnerOldSpace" 64 "runnerPayload" 1 -}}
{{- with regexFind "--max[-_](old|semi)[-_]space[-_]size" (.Values.heap.nodeOptions | default "") -}}
{{- printf "heap.nodeOptions: the chart has a separate value for %s, and if an option is set twice, Node.js silently uses the last one: set %s instead." . (ternary "heap.oldSpace" "tuning.semiSpaceMiB" (contains "old" .)) }}{{ "\n" -}}
{{- end -}}
{{- range $component := .n8nTunedComponents -}}
{{- $at := printf "%s.resources.limits.memory" .at -}}
{{- with include "n8n-tuned.memoryLimit" . -}}
{{- $limitMiB := include "n8n-tuned.mebibytes" (dict "value" . "at" $at) | int64 -}}
{{- /* n8n with an idle task runner, and room for one execution beside what lives outside V8. */ -}}
{{- $floor := ternary (ternary 768 1024 (eq $component.role "webhook")) 512 $hasRunner | int64 -}}
{{- if lt $limitMiB $floor -}}
{{- printf "%s: n8n %s needs at least %d MiB in this role, but %v is %d MiB: raise the limit." $at $version $floor . $limitMiB }}{{ "\n" -}}
{{- /* What follows from that is no further mistake. */ -}}
{{- else -}}
{{- $sumMiB := $outsideMiB -}}
{{- $parts := list -}}
{{- $settings := include "n8n-tuned.heapSettings" (dict "context" $ "component" $component) | fromYaml -}}
{{- $heap := include "n8n-tuned.heap" (dict "context" $ "component" $component) | fromYaml -}}
{{- range $name := list "oldSpace" "runnerOldSpace" "runnerPayload" -}}
{{- if hasKey $heap (printf "%sMiB" $name) -}}
{{- $mebibytes := get $heap (printf "%sMiB" $name) | int64 -}}
{{- $min := get $minMiB $name | int64 -}}
{{- $heapAt := include "n8n-tuned.heapAt" (dict "context" $ "component" $component "name" $name) -}}
{{- if lt $mebibytes $min -}}
{{- printf "%s: %s is %d MiB of the limit of %d MiB, but n8n %s needs at least %d MiB for this part: raise this value, for example to 1/2 or 768Mi." $heapAt (include "n8n-tuned.plain" (get $settings $name)) $mebibytes $limitMiB $version $min }}{{ "\n" -}}
{{- end -}}
{{- $sumMiB = add $sumMiB $mebibytes -}}
{{- $parts = append $parts (printf "%s %d MiB" $heapAt $mebibytes) -}}
{{- end -}}
{{- end -}}
{{- if gt $semiSpaceMiB 0 -}}
{{- /* V8's young generation: two semi-spaces, and as much again for large new objects. */ -}}
{{- $sumMiB = add $sumMiB (mul 3 $semiSpaceMiB) -}}
{{- $parts = append $parts (printf "3 x tuning.semiSpaceMiB %d MiB" $semiSpaceMiB) -}}
{{- end -}}
{{- if gt (int64 $sumMiB) $limitMiB -}}
{{- printf "%s: %d MiB is too small for %s + %d MiB outside V8: raise the limit or lower the heap." $at $limitMiB (join " + " $parts) $outsideMiB }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Every quantity can be read, and no request is above its limit, which Kubernetes refuses. */}}
{{- define "n8n-tuned.validate.quantities" -}}
{{- $values := .Values -}}
{{- $resources := dict
  "initResources" $values.initResources
  "taskRunners.resources" $values.taskRunners.resources
  "database.own.resources" $values.database.own.resources
  "redis.own.resources" $values.redis.own.resources
  "redis.external.sentinel.resources" $values.redis.external.sentinel.resources
  "recovery.resources" $values.recovery.resources -}}
{{- range .n8nTunedComponents -}}
{{- $_ := set $resources (printf "%s.resources" .at) .settings.resources -}}
{{- end -}}
{{- range $at, $given := $resources -}}
{{- $limits := dig "limits" nil ($given | default dict) | default dict -}}
{{- $requests := dig "requests" nil ($given | default dict) | default dict -}}
{{- range $what, $limit := $limits -}}
{{- $_ := include "n8n-tuned.quantity" (dict "value" $limit "at" (printf "%s.limits.%s" $at $what)) -}}
{{- end -}}
{{- range $what, $request := $requests -}}
{{- $requested := include "n8n-tuned.quantity" (dict "value" $request "at" (printf "%s.requests.%s" $at $what)) | float64 -}}
{{- with get $limits $what -}}
{{- if gt $requested (include "n8n-tuned.quantity" (dict "value" . "at" "") | float64) -}}
{{- printf "%s.limits.%s: %s is less than the request (%s), and Kubernetes rejects such a container: raise the limit, or also set %s.requests.%s to %s or less." $at $what (include "n8n-tuned.plain" .) (include "n8n-tuned.plain" $request) $at $what (include "n8n-tuned.plain" .) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $at, $size := dict
  "persistence.size" $values.persistence.size
  "database.own.persistence.size" $values.database.own.persistence.size
  "redis.own.persistence.size" $values.redis.own.persistence.size -}}
{{- $_ := include "n8n-tuned.quantity" (dict "value" $size "at" $at) -}}
{{- end -}}
{{- end -}}
