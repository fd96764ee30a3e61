{{/* Scripts that Node.js loads before n8n (--require in NODE_OPTIONS); each says in its own words what it is for. */}}

{{/* Their file names as `items`, maybe none. Dict: context, component. */}}
{{- define "n8n-tuned.preloads" -}}
{{- $items := list -}}
{{- if and (eq .context.Values.database.type "sqlite") (eq "false" (include "n8n-tuned.tuning" (dict "context" .context "name" "traceSqlite"))) -}}
{{- $items = append $items "untraced-sqlite.cjs" -}}
{{- end -}}
{{- if include "n8n-tuned.supports" (dict "context" .context "feature" "patches") -}}
{{- range $value, $file := dict "lazyCharacterMap" "lazy-character-map.cjs" "warmExpressions" "warm-expressions.cjs" "zoneOnce" "zone-once.cjs" -}}
{{- if eq "true" (include "n8n-tuned.tuning" (dict "context" $.context "name" $value)) -}}
{{- $items = append $items $file -}}
{{- end -}}
{{- end -}}
{{- $schema := include "n8n-tuned.userEnv" (merge (dict "name" "DB_POSTGRESDB_SCHEMA" "default" .context.Values.database.external.schema) .) -}}
{{- $usesPublicSchema := and (eq .context.Values.database.type "postgresql") (has $schema (list "" "public")) -}}
{{- if and $usesPublicSchema (eq "true" (include "n8n-tuned.tuning" (dict "context" .context "name" "sessionOnce"))) -}}
{{- $items = append $items "session-once.cjs" -}}
{{- end -}}
{{- if eq "true" (include "n8n-tuned.tuning" (dict "context" .context "name" "readOnce")) -}}
{{- $items = append $items "read-once.cjs" -}}
{{- end -}}
{{- if and (eq .context.Values.executions.mode "queue") (eq "true" (include "n8n-tuned.tuning" (dict "context" .context "name" "keepStalled"))) -}}
{{- $items = append $items "keep-stalled.cjs" -}}
{{- end -}}
{{- $queues := and (eq .context.Values.executions.mode "queue") (ne .component.role "worker") -}}
{{- if and $queues (eq "true" (include "n8n-tuned.tuning" (dict "context" .context "name" "requeueLost"))) -}}
{{- $items = append $items "requeue-lost.cjs" -}}
{{- end -}}
{{- end -}}
{{- if include "n8n-tuned.keepAliveSeconds" . -}}
{{- $items = append $items "keep-alive.cjs" -}}
{{- end -}}
{{- if include "n8n-tuned.closesConnections" . -}}
{{- $items = append $items "last-answers.cjs" -}}
{{- end -}}
{{- if include "n8n-tuned.guardSeconds" . -}}
{{- $items = append $items "worker-guard.cjs" -}}
{{- end -}}
{{- if and (eq .component.role "worker") (eq "true" (include "n8n-tuned.tuning" (dict "context" .context "name" "finishJobs"))) -}}
{{- $items = append $items "finish-jobs.cjs" -}}
{{- end -}}
{{- if .context.Values.monitoring.enabled -}}
{{- $items = append $items "limit-metrics.cjs" -}}
{{- end -}}
{{- if and .context.Values.monitoring.enabled (not .context.Values.monitoring.public) (ne .component.role "worker") -}}
{{- $items = append $items "private-metrics.cjs" -}}
{{- end -}}
{{- dict "items" $items | toYaml -}}
{{- end -}}

{{/* Of the scripts that a component loads: one for another role restarts no pod of this one. Dict: context, component. */}}
{{- define "n8n-tuned.preloadChecksum" -}}
{{- $texts := list -}}
{{- range (include "n8n-tuned.preloads" . | fromYaml).items -}}
{{- $texts = append $texts ($.context.Files.Get (printf "files/preload/%s" .)) -}}
{{- end -}}
{{- join "" $texts | sha256sum -}}
{{- end -}}

{{- define "n8n-tuned.preloadFolder" -}}/etc/n8n-tuned/preload{{- end -}}

{{/* data of the ConfigMap: what any role loads. Context: root. */}}
{{- define "n8n-tuned.preloadFiles" -}}
{{- $data := dict -}}
{{- range .n8nTunedComponents -}}
{{- range (include "n8n-tuned.preloads" (dict "context" $ "component" .) | fromYaml).items -}}
{{- $_ := set $data . ($.Files.Get (printf "files/preload/%s" .)) -}}
{{- end -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}
