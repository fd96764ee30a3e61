{{/*
The alerts of files/monitoring/rules.yaml with the release's names and the user's thresholds. They are Prometheus' own rules with
`needs` and `n8n` beside each (what an installation must have, or the alert is left out) and with tokens such as <<n8n>>.
*/}}

{{/* What this installation has, of what an alert can need: monitoring/conditions.ts says each in words. Context: root. */}}
{{- define "n8n-tuned.monitoringConditions" -}}
{{- $monitoring := .Values.monitoring -}}
{{- $isQueue := include "n8n-tuned.isQueue" . -}}
{{- $minWorkers := 0 -}}
{{- range .n8nTunedComponents -}}
{{- if eq .role "worker" -}}
{{- $scaler := include "n8n-tuned.autoscaler" . -}}
{{- $minWorkers = add $minWorkers (ternary (include "n8n-tuned.minReplicas" .) (toString .settings.replicas) (ne "" $scaler) | int) -}}
{{- end -}}
{{- end -}}
{{- $ownRedis := eq "own" (include "n8n-tuned.redisKind" .) -}}
{{- $ownDatabase := include "n8n-tuned.ownDatabase" . -}}
queue: {{ eq "true" $isQueue }}
severalMains: {{ .Values.multiMain.enabled }}
workersAlways: {{ gt (int $minWorkers) 0 }}
workersScraped: {{ not $monitoring.serviceMonitor.enabled }}
kubernetes: {{ $monitoring.sources.kubernetes }}
ownStores: {{ or $ownRedis (ne "" $ownDatabase) }}
redisExporter: {{ $monitoring.sources.redisExporter.enabled }}
postgresExporter: {{ $monitoring.sources.postgresExporter.enabled }}
exporter: {{ $monitoring.exporter.enabled }}
recovery: {{ and (eq "true" $isQueue) .Values.recovery.enabled (not .Values.recovery.dryRun) }}
workflowIdLabel: {{ $monitoring.sources.workflowIdLabel }}
recordedCapacity: {{ gt (float64 $monitoring.capacity.executionsPerSecond) 0.0 }}
{{- end -}}

{{/* The text for each token. Context: root. */}}
{{- define "n8n-tuned.monitoringTokens" -}}
{{- $monitoring := .Values.monitoring -}}
{{- $full := include "n8n-tuned.fullname" . -}}
{{- $namespace := printf "namespace=%q" (include "n8n-tuned.namespace" .) -}}
{{- $components := list -}}
{{- range .n8nTunedComponents -}}{{- $components = append $components .name -}}{{- end -}}
{{- $tokens := dict
  "n8n" (printf "%s,release=%q" $namespace .Release.Name)
  "pods" (printf "%s,pod=~\"%s-(%s)-.+\"" $namespace $full (join "|" $components))
  "claims" (printf "%s,persistentvolumeclaim=~\"(.+-)?%s(-.+)?\"" $namespace $full)
  "stores" (printf "%s,statefulset=~\"%s-(redis|postgresql)\"" $namespace $full)
  "redis" (default $namespace $monitoring.sources.redisExporter.selector)
  "postgresql" (default $namespace $monitoring.sources.postgresExporter.selector)
  "capacity" (include "n8n-tuned.plain" $monitoring.capacity.executionsPerSecond)
  "runbooks" (trimSuffix "/" $monitoring.prometheusRule.runbooks) -}}
{{- range $name, $value := $monitoring.prometheusRule.thresholds -}}
{{- $_ := set $tokens $name (include "n8n-tuned.plain" $value) -}}
{{- end -}}
{{- toYaml $tokens -}}
{{- end -}}

{{/* A text with every token filled. Dict: text, tokens. */}}
{{- define "n8n-tuned.filled" -}}
{{- $text := .text -}}
{{- range $name, $value := .tokens -}}
{{- $text = replace (printf "<<%s>>" $name) $value $text -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{/* The chart's alerts that fit this installation, and then the user's groups, as `items`. Context: root. */}}
{{- define "n8n-tuned.ruleGroups" -}}
{{- $rule := .Values.monitoring.prometheusRule -}}
{{- $groups := list -}}
{{- if $rule.bundled -}}
{{- $conditions := include "n8n-tuned.monitoringConditions" . | fromYaml -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $tokens := include "n8n-tuned.monitoringTokens" . | fromYaml -}}
{{- $whose := dict "namespace" (include "n8n-tuned.namespace" .) "release" .Release.Name -}}
{{- range (.Files.Get "files/monitoring/rules.yaml" | fromYaml).groups -}}
{{- $rules := list -}}
{{- range .rules -}}
{{- $isWanted := not (has .alert $rule.disabled) -}}
{{- range .needs -}}{{- $isWanted = and $isWanted (get $conditions .) -}}{{- end -}}
{{- if .n8n -}}{{- $isWanted = and $isWanted (semverCompare (printf ">=%s-0" .n8n) $version) -}}{{- end -}}
{{- if $isWanted -}}
{{- $annotations := dict -}}
{{- range $name, $text := .annotations -}}
{{- $_ := set $annotations $name (include "n8n-tuned.filled" (dict "text" $text "tokens" $tokens)) -}}
{{- end -}}
{{- $severity := default .labels.severity (get $rule.severities .alert) -}}
{{- $labels := merge (dict "severity" $severity) $whose -}}
{{- $expr := include "n8n-tuned.filled" (dict "text" .expr "tokens" $tokens) -}}
{{- $rules = append $rules (merge (dict "expr" $expr "labels" $labels "annotations" $annotations) (omit . "needs" "n8n")) -}}
{{- end -}}
{{- end -}}
{{- if $rules -}}{{- $groups = append $groups (dict "name" .name "rules" $rules) -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "items" (concat $groups ($rule.groups | default list)) | toYaml -}}
{{- end -}}

{{/* The names of all alerts of the chart, as `items`. Context: root. */}}
{{- define "n8n-tuned.bundledAlerts" -}}
{{- $names := list -}}
{{- range (.Files.Get "files/monitoring/rules.yaml" | fromYaml).groups -}}{{- range .rules -}}{{- $names = append $names .alert -}}{{- end -}}{{- end -}}
{{- dict "items" $names | toYaml -}}
{{- end -}}

{{/* The alerts for whose metrics this n8n is too old, in one line. Context: root. */}}
{{- define "n8n-tuned.alertsOfNewerN8n" -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $names := list -}}
{{- range (.Files.Get "files/monitoring/rules.yaml" | fromYaml).groups -}}{{- range .rules -}}
{{- if and .n8n (semverCompare (printf "<%s-0" .n8n) $version) -}}{{- $names = append $names (printf "%s (%s)" .alert .n8n) -}}{{- end -}}
{{- end -}}{{- end -}}
{{- join ", " $names -}}
{{- end -}}
