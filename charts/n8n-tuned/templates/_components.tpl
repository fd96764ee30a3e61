{{/*
A map of these templates. Each file that renders something begins with `n8n-tuned.prepare`, which fills the values once:
  _prepare, _presets     the user's values, under them the presets, under them files/defaults.yaml
  _components            main, pools of workers, webhook processors, each with its settings: pod, then the role, then the pool
  roles/deployment.yaml  one Deployment per component, from its top to its end; the longer parts of its pod are in
                         _initContainers, _runners (sidecar), env/ (variables), _lifecycle (probes, end), _pod (volumes),
                         preload/ (patches)
  env/_assemble.tpl      the variables: the rows of files/environment.yaml (env/_table.tpl reads them), over them the user's
  _secrets.tpl           where each secret is from; secrets/make.yaml makes those that nobody gave
  _helper-pods.tpl       pods beside n8n: make-secrets, recovery, exporter, smoke-test; where they and n8n may reach
  postgresql/, redis/    the chart's own stores, a StatefulSet each; postgresql/backup.yaml their dumps
  traffic/, network-policy/   Services, Ingress, HTTPRoute; who may reach whom
  _validations*, _warnings      what is refused, and what NOTES says
To see one object: helm template n8n . --show-only templates/roles/deployment.yaml (or recovery/cronjob.yaml, ...). To see why a
variable has its value: look for its name in files/environment.yaml.
*/}}

{{/*
What is deployed: main, the worker pools and the webhook processors, each with its settings complete. The
settings of a role are `pod` (all roles), then the role, then the pool; the later one wins.
*/}}

{{- define "n8n-tuned.isQueue" -}}
{{- if eq .Values.executions.mode "queue" -}}true{{- end -}}
{{- end -}}

{{/* Which Redis queue mode speaks to: own, host, cluster or sentinel; empty where there is none. */}}
{{- define "n8n-tuned.redisKind" -}}
{{- $external := .Values.redis.external -}}
{{- if not (include "n8n-tuned.isQueue" .) -}}
{{- else if $external.host -}}host
{{- else if $external.clusterNodes -}}cluster
{{- else if $external.sentinel.nodes -}}sentinel
{{- else if .Values.redis.enabled -}}own
{{- end -}}
{{- end -}}

{{/* Whether a session of MCP has to stay in one process. */}}
{{- define "n8n-tuned.hasOneForMcp" -}}
{{- if or .Values.webhook.mcp.sse (not (include "n8n-tuned.supports" (dict "context" . "feature" "mcpOnEveryProcess"))) -}}true{{- end -}}
{{- end -}}

{{/* A webhook processor of its own for MCP: where main takes no production requests. */}}
{{- define "n8n-tuned.hasMcpProcessor" -}}
{{- if and (include "n8n-tuned.hasWebhookProcessors" .) .Values.webhook.exclusive (include "n8n-tuned.hasOneForMcp" .) -}}true{{- end -}}
{{- end -}}

{{- define "n8n-tuned.hasWebhookProcessors" -}}
{{- if and (include "n8n-tuned.isQueue" .) .Values.webhook.enabled -}}true{{- end -}}
{{- end -}}

{{/*
Settings with those of a later layer over them, key by key. What excludes each other never mixes: a variable, a hook, the
strategy and a probe's question come whole from the later layer that has them. Dict: under, over.
*/}}
{{- define "n8n-tuned.layered" -}}
{{- $over := deepCopy .over -}}
{{- $under := deepCopy .under -}}
{{- /* null means "not set": it never wins over a layer beneath. Maps of the user's own, env among them, keep theirs. */ -}}
{{- range $layer := list $under $over -}}
{{- range $block := list $layer $layer.shutdown $layer.keda $layer.autoscaling $layer.podDisruptionBudget -}}
{{- range $name, $value := $block -}}
{{- if kindIs "invalid" $value -}}{{- $_ := unset $block $name -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $merged := mergeOverwrite $under (deepCopy $over) -}}
{{- range $key := list "env" "lifecycle" -}}
{{- range $name, $value := get $over $key | default dict -}}{{- $_ := set (get $merged $key) $name $value -}}{{- end -}}
{{- end -}}
{{- range $name, $value := $over.beforeStart -}}
{{- if kindIs "invalid" $value -}}{{- $_ := unset $merged.beforeStart $name -}}{{- end -}}
{{- end -}}
{{- with $over.strategy -}}{{- $_ := set $merged "strategy" . -}}{{- end -}}
{{- range $name, $probe := $over.probes -}}
{{- with pick ($probe | default dict) "httpGet" "tcpSocket" "exec" "grpc" -}}
{{- $_ := set $merged.probes $name (merge (omit (get $merged.probes $name) "httpGet" "tcpSocket" "exec" "grpc") .) -}}
{{- end -}}
{{- end -}}
{{- toYaml $merged -}}
{{- end -}}

{{/* Dict: context, role. Settings of a role without its pools. */}}
{{- define "n8n-tuned.roleSettings" -}}
{{- include "n8n-tuned.layered" (dict "under" .context.Values.pod "over" (get .context.Values .role)) -}}
{{- end -}}

{{/*
Writes into the root n8nTunedComponents, a list of role, name (suffix of its objects), at (its place in the values),
settings, ownEnv (the user's variables by name), named (the `names` of files/environment.yaml), preloads (its patches) and
scripts (others of this chart that run in its pod), and n8nTunedByRole, the same by role. Prepare calls it once per rendering;
nothing may write into what it leaves.
*/}}
{{- define "n8n-tuned.prepareComponents" -}}
{{- $main := include "n8n-tuned.roleSettings" (dict "context" . "role" "main") | fromYaml -}}
{{- $items := list (dict "role" "main" "name" "main" "at" "main" "settings" $main) -}}
{{- if include "n8n-tuned.isQueue" . -}}
{{- $worker := omit (include "n8n-tuned.roleSettings" (dict "context" . "role" "worker") | fromYaml) "pools" -}}
{{- $items = append $items (dict "role" "worker" "name" "worker" "at" "worker" "settings" $worker) -}}
{{- range .Values.worker.pools -}}
{{- $settings := include "n8n-tuned.layered" (dict "under" $worker "over" (omit . "name")) | fromYaml -}}
{{- $items = append $items (dict "role" "worker" "pool" .name "name" (printf "worker-%s" .name) "at" (printf "worker.pools[%s]" .name) "settings" $settings) -}}
{{- end -}}
{{- if .Values.webhook.enabled -}}
{{- $webhook := omit (include "n8n-tuned.roleSettings" (dict "context" . "role" "webhook") | fromYaml) "enabled" "service" "mcp" -}}
{{- $items = append $items (dict "role" "webhook" "name" "webhook" "at" "webhook" "settings" $webhook) -}}
{{- if include "n8n-tuned.hasMcpProcessor" . -}}
{{- $one := merge (dict "replicas" 1 "autoscaling" (dict "enabled" false) "keda" (dict "enabled" false)) (deepCopy $webhook) -}}
{{- $items = append $items (dict "role" "webhook" "name" "mcp" "at" "webhook" "settings" $one) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $byRole := dict "main" list "worker" list "webhook" list -}}
{{- $_ := set $ "n8nTunedComponents" $items -}}
{{- $_ := set $ "n8nTunedByRole" $byRole -}}
{{- range $items -}}
{{- $_ := set $byRole .role (append (get $byRole .role) .) -}}
{{- $own := deepCopy ($.Values.env | default dict) -}}
{{- range $name, $value := .settings.env -}}{{- $_ := set $own $name $value -}}{{- end -}}
{{- /* Written and read, as the settings are: numbers are then of one type, wherever they come from. */ -}}
{{- $_ := set . "ownEnv" ($own | toYaml | fromYaml) -}}
{{- $_ := set . "named" dict -}}
{{- $component := . -}}
{{- range $.n8nTunedEnvironment.names -}}
{{- $_ := set $component.named .name (include "n8n-tuned.evaluate" (dict "context" $ "component" $component "of" .value) | fromJson).is -}}
{{- end -}}
{{- $_ := set $component.named "mayLoseSession" (not (empty (include "n8n-tuned.possiblePooler" (dict "context" $ "component" .)))) -}}
{{- $preloads := (include "n8n-tuned.rows" (dict "context" $ "component" . "rows" $.n8nTunedEnvironment.patches) | fromJson).items -}}
{{- $_ := set . "preloads" list -}}
{{- range $preloads -}}{{- $_ := set $component "preloads" (append $component.preloads .name) -}}{{- end -}}
{{- $sentinel := ternary "redis-master.cjs" "" (eq (include "n8n-tuned.redisKind" $) "sentinel") -}}
{{- $runner := ternary "runner-config.cjs" "" (eq .named.runnerMode "external") -}}
{{- $_ := set . "scripts" (compact (list $sentinel $runner)) -}}
{{- end -}}
{{- end -}}

{{/* Who decides on the number of pods: hpa, keda or empty. */}}
{{- define "n8n-tuned.autoscaler" -}}
{{- if .settings.autoscaling.enabled -}}hpa
{{- else if dig "keda" "enabled" false .settings -}}keda
{{- end -}}
{{- end -}}

{{/* The fewest pods that an autoscaler leaves: where it is not set, those that ran without it. */}}
{{- define "n8n-tuned.minReplicas" -}}
{{- $scaler := get .settings (ternary "keda" "autoscaling" (eq "keda" (include "n8n-tuned.autoscaler" .))) -}}
{{- if kindIs "invalid" $scaler.minReplicas -}}
{{- min (int $scaler.maxReplicas) (max 1 (int .settings.replicas)) -}}
{{- else -}}{{ int $scaler.minReplicas }}
{{- end -}}
{{- end -}}

{{/* The most pods a component can have. */}}
{{- define "n8n-tuned.maxReplicas" -}}
{{- $autoscaler := include "n8n-tuned.autoscaler" . -}}
{{- if eq $autoscaler "hpa" -}}{{ int .settings.autoscaling.maxReplicas }}
{{- else if eq $autoscaler "keda" -}}{{ int .settings.keda.maxReplicas }}
{{- else -}}{{ int .settings.replicas }}
{{- end -}}
{{- end -}}

{{/* A setting under `tuning`, as text: the user's value, else the profile's, else the default profile's. Dict: context, name. */}}
{{- define "n8n-tuned.tuning" -}}
{{- include "n8n-tuned.asText" (dict "context" .context "component" (first .context.n8nTunedComponents) "of" (printf "tuning.%s" .name)) -}}
{{- end -}}

{{/* internal, external or off: where Code nodes run. */}}
{{- define "n8n-tuned.runnerMode" -}}
{{- if include "n8n-tuned.supports" (dict "context" . "feature" "taskRunners") -}}
{{- .Values.taskRunners.mode -}}
{{- else -}}off{{- end -}}
{{- end -}}

{{/* The name of a pool of workers, empty for the others. Dict: context, component. */}}
{{- define "n8n-tuned.pool" -}}{{- .component.pool -}}{{- end -}}

{{/* Whether a pool of workers has a queue of its own. */}}
{{- define "n8n-tuned.usesDedicatedQueues" -}}
{{- if .Values.worker.pools | default list | toJson | contains "\"dedicatedQueue\":true" -}}true{{- end -}}
{{- end -}}
