{{/*
Every contradiction is said here in one sentence: what, where, and what to do; all those of one rendering come together.
Each check prints a line for each that it finds. What a schema can say (types, unknown keys, one of a list) is in
values.schema.json, which comes before. What cannot be read at all, a quantity or a version, fails alone, where it is read.
*/}}
{{- define "n8n-tuned.validate" -}}
{{- $found := "" -}}
{{- range $check := list
  "version" "process" "mode" "stores" "secrets" "roles" "memory" "quantities" "storage" "traffic" "runners" "packages"
  "monitoring" "recovery" "ports" "names" "knownSettings" -}}
{{- $found = printf "%s%s" $found (include (printf "n8n-tuned.validate.%s" $check) $) -}}
{{- end -}}
{{- $sentences := splitList "\n" $found | compact | uniq -}}
{{- if gt (len $sentences) 1 -}}
{{- fail (printf "%d contradictions:\n- %s" (len $sentences) (join "\n- " $sentences)) -}}
{{- end -}}
{{- range $sentences -}}{{- fail . -}}{{- end -}}
{{- end -}}

{{/* The names in a dict whose value is set, for a message. */}}
{{- define "n8n-tuned.given" -}}
{{- $names := list -}}
{{- range $name, $isGiven := . -}}
{{- if $isGiven -}}{{- $names = append $names $name -}}{{- end -}}
{{- end -}}
{{- join ", " $names -}}
{{- end -}}

{{- define "n8n-tuned.validate.version" -}}
{{- $facts := .n8nTunedVersions.supported -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- if semverCompare (printf "<%s" $facts.from) $version -}}
{{- printf "image.tag: n8n %s is older than %s, the first version that this chart supports: use a newer version." $version $facts.from }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.image.digest (not .Values.image.tag) (not .Values.image.version) -}}
{{- "image.digest: a digest does not contain the n8n version, which determines what the chart renders: set image.version as well." }}{{ "\n" -}}
{{- end -}}
{{- /* An image of the user's own may count its tags in another way. */ -}}
{{- $tagged := include "n8n-tuned.versionIn" .Values.image.tag -}}
{{- if and .Values.image.version $tagged (ne $tagged $version) (hasSuffix "n8nio/n8n" .Values.image.repository) -}}
{{- printf "image.version: this value is %s, but image.tag is %s, so the chart would render for the wrong n8n version: leave image.version empty." $version $tagged }}{{ "\n" -}}
{{- end -}}
{{- $isKnown := has $tagged (splitList " " .n8nTunedVersions.releases) -}}
{{- if and (not .Values.image.version) $tagged (not $isKnown) (not (hasSuffix "n8nio/n8n" .Values.image.repository)) -}}
{{- printf "image.version: image.repository is %s, and its tag %s is not an n8n release that this chart knows: set image.version to the n8n version in the image." .Values.image.repository .Values.image.tag }}{{ "\n" -}}
{{- end -}}
{{- end -}}

{{- /* A value that the user gives is never dropped. */ -}}
{{- define "n8n-tuned.validate.knownSettings" -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- range concat .n8nTunedEnvironment.patches .n8nTunedEnvironment.variables -}}
{{- if and .setting .n8n -}}
{{- $at := $.Values -}}
{{- range splitList "." .setting -}}{{- $at = ternary (get (ternary $at dict (kindIs "map" $at)) .) "" (kindIs "map" $at) -}}{{- end -}}
{{- $name := trimPrefix "tuning." .setting -}}
{{- $default := ternary .default (dig $name "default" "" $.n8nTunedEnvironment.tuning) (eq $name .setting) -}}
{{- if and $at (ne (toString $at) (toString $default)) (not (semverCompare .n8n $version)) -}}
{{- printf "%s: this setting has no effect in n8n %s (%s: n8n %s): remove the setting, or use another n8n version." .setting $version .name (.n8n | replace "-0" "") }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $places := dict "env" (.Values.env | default dict) -}}
{{- range .n8nTunedComponents -}}{{- $_ := set $places (printf "%s.env" .at) (.settings.env | default dict) -}}{{- end -}}
{{- range $name, $removed := .n8nTunedVersions.removed -}}
{{- range $at, $given := $places -}}
{{- if and (not (kindIs "invalid" (get $given $name))) (hasKey $given $name) (semverCompare $removed.n8n $version) -}}
{{- printf "%s.%s: n8n %s no longer reads it: %s." $at $name $version (ternary (printf "use %s" $removed.instead) "remove it" (hasKey $removed "instead")) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.names" -}}
{{- with .Values.namespaceOverride -}}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$" .) -}}
{{- printf "namespaceOverride: %q is not a namespace name: use at most 63 lower-case letters, digits and hyphens, with a letter or a digit at both ends." . }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- range $key, $expression := .n8nTunedForeign -}}
{{- include "n8n-tuned.foreignSentence" (dict "at" $key "expression" $expression) }}{{ "\n" -}}
{{- end -}}
{{- range $index, $manifest := .Values.extraManifests -}}
{{- $text := kindIs "string" $manifest | ternary $manifest (toYaml $manifest) -}}
{{- $foreign := include "n8n-tuned.foreignExpression" $text -}}
{{- if $foreign -}}{{- include "n8n-tuned.foreignSentence" (dict "at" (printf "extraManifests[%d]" $index) "expression" $foreign) }}{{ "\n" -}}{{- end -}}
{{- /* A text may hold several objects, or none where its own conditions leave them out. */ -}}
{{- if and (kindIs "string" $manifest) (not $foreign) -}}{{- $text = tpl $text $ -}}{{- end -}}
{{- range empty $foreign | ternary (regexSplit "(?m)^---" $text -1) list -}}
{{- if regexReplaceAll "(?m)^\\s*(#.*)?$" . "" | trim -}}
{{- $object := fromYaml . -}}
{{- $why := regexFind "yaml: .*" ($object.Error | default "") -}}
{{- if $why -}}
{{- printf "extraManifests[%d]: the entry cannot be parsed (%s): correct its YAML." $index $why }}{{ "\n" -}}
{{- else if not (and $object.apiVersion $object.kind (dig "metadata" "name" "" $object)) -}}
{{- printf "extraManifests[%d]: the entry is not a Kubernetes object: add apiVersion, kind and metadata.name." $index }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.process" -}}
{{- if and (eq .Values.executions.process "own") (not (include "n8n-tuned.supports" (dict "context" . "feature" "executionsProcess"))) -}}
{{- printf "executions.process: n8n %s has no `own` process (removed in 1.0), and would not start with this value: set executions.process=main, or executions.mode=queue to run executions outside main." (include "n8n-tuned.version" .) }}{{ "\n" -}}
{{- end -}}
{{- if and .Values.executions.durableSchedules (not (include "n8n-tuned.supports" (dict "context" . "feature" "durableSchedules"))) -}}
{{- printf "executions.durableSchedules: the chart supports this only from n8n 2.39 on, and this is n8n %s: use a newer version, or set this value to false." (include "n8n-tuned.version" .) }}{{ "\n" -}}
{{- end -}}
{{- if and (eq .Values.executions.process "own") (include "n8n-tuned.isQueue" .) -}}
{{- "executions.process: in queue mode, a worker cannot start a process for each execution: set executions.process=main." }}{{ "\n" -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.mode" -}}
{{- $values := .Values -}}
{{- if include "n8n-tuned.isQueue" . -}}
{{- if eq $values.database.type "sqlite" -}}
{{- "database.type: queue mode runs several processes, but SQLite supports only one: set database.type=postgresql (with database.external.host for your own server)." }}{{ "\n" -}}
{{- end -}}
{{- if not (include "n8n-tuned.redisKind" .) -}}
{{- "redis.enabled: queue mode needs Redis for the queue: set redis.enabled=true to deploy the built-in Redis, or set redis.external.host." }}{{ "\n" -}}
{{- end -}}
{{- $external := $values.redis.external -}}
{{- $given := include "n8n-tuned.given" (dict "host" $external.host "clusterNodes" $external.clusterNodes "sentinel.nodes" $external.sentinel.nodes) -}}
{{- if contains ", " $given -}}
{{- printf "redis.external (%s): each of these settings selects a different Redis: keep only one of them." $given }}{{ "\n" -}}
{{- end -}}
{{- if and (eq (include "n8n-tuned.redisKind" .) "host") (eq (int $external.port) 26379) -}}
{{- "redis.external.port: 26379 is the port of a Sentinel, but n8n does not support Sentinels: list the Sentinels in redis.external.sentinel.nodes, or set the port of the master." }}{{ "\n" -}}
{{- end -}}
{{- if and (eq (include "n8n-tuned.redisKind" .) "sentinel") (semverCompare "<1.29.0-0" .Capabilities.KubeVersion.Version) -}}
{{- printf "redis.external.sentinel: the proxy for Sentinels is a sidecar that must outlive n8n. Such a sidecar requires Kubernetes 1.29, but the cluster runs %s: set redis.external.host to a Service that follows the master." .Capabilities.KubeVersion.Version }}{{ "\n" -}}
{{- end -}}
{{- $families := $values.service.ipFamilies | default list -}}
{{- $hasOneFamily := has $values.service.ipFamilyPolicy (list "" "SingleStack") -}}
{{- $since := .n8nTunedVersions.variables.QUEUE_BULL_REDIS_DUALSTACK -}}
{{- if and (include "n8n-tuned.ownRedis" .) (eq "IPv6" (join "," $families)) $hasOneFamily (not (semverCompare $since (include "n8n-tuned.version" .))) -}}
{{- printf "service.ipFamilies: n8n %s looks up only IPv4 addresses for Redis, but the built-in Redis then has only an IPv6 address: use n8n %s or newer, or add IPv4 with service.ipFamilyPolicy=PreferDualStack." (include "n8n-tuned.version" .) ($since | trimPrefix ">=" | trimSuffix "-0") }}{{ "\n" -}}
{{- end -}}
{{- $sized := list -}}
{{- range $values.worker.pools -}}
{{- if not (kindIs "invalid" .replicas) -}}{{- $sized = append $sized .name -}}{{- end -}}
{{- end -}}
{{- $workers := 0 -}}
{{- range (get .n8nTunedByRole "worker") -}}
{{- $max := include "n8n-tuned.maxReplicas" . | int -}}
{{- if and .pool (eq $max 0) (not (has .pool $sized)) -}}
{{- printf "%s.replicas: this pool uses worker.replicas, which is 0, so the pool would have no pods: set replicas for this pool." .at }}{{ "\n" -}}
{{- end -}}
{{- $workers = add $workers $max -}}
{{- end -}}
{{- if eq (int $workers) 0 -}}
{{- "worker.replicas: without a worker, queue mode does not run any execution: set worker.replicas, or the replicas of a pool, to 1 or more." }}{{ "\n" -}}
{{- end -}}
{{- else -}}
{{- if $values.webhook.enabled -}}
{{- "webhook.enabled: webhook processors require queue mode: set executions.mode=queue, or webhook.enabled=false." }}{{ "\n" -}}
{{- end -}}
{{- /* 2 is the default: a values file that repeats it asks for no workers. */ -}}
{{- $ofWorkers := include "n8n-tuned.given" (dict
  "replicas" (not (has (int $values.worker.replicas) (list 0 2)))
  "concurrency" $values.worker.concurrency
  "pools" $values.worker.pools
  "dedicatedQueue" $values.worker.dedicatedQueue
  "autoscaling.enabled" (dig "autoscaling" "enabled" false $values.worker)
  "keda.enabled" $values.worker.keda.enabled) -}}
{{- with $ofWorkers -}}
{{- printf "worker: workers (%s) require queue mode: set executions.mode=queue, or remove these settings." . }}{{ "\n" -}}
{{- end -}}
{{- if $values.multiMain.enabled -}}
{{- "multiMain.enabled: several mains require queue mode: set executions.mode=queue." }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and $values.multiMain.enabled (not (include "n8n-tuned.supports" (dict "context" . "feature" "multiMain"))) -}}
{{- printf "multiMain.enabled: n8n %s cannot run several mains: use a newer version, or set multiMain.enabled=false." (include "n8n-tuned.version" .) }}{{ "\n" -}}
{{- end -}}
{{- $main := first (get .n8nTunedByRole "main") -}}
{{- if and (gt (include "n8n-tuned.maxReplicas" $main | int) 1) (not $values.multiMain.enabled) -}}
{{- printf "main.replicas: %s mains would each start every schedule and trigger%s: set main.replicas=1 without autoscaling, or multiMain.enabled=true in queue mode with PostgreSQL." (include "n8n-tuned.maxReplicas" $main) (ternary ", and SQLite supports only one" "" (eq $values.database.type "sqlite")) }}{{ "\n" -}}
{{- end -}}
{{- $ofProcessors := include "n8n-tuned.given" (dict
  "exclusive" $values.webhook.exclusive
  "autoscaling.enabled" (dig "autoscaling" "enabled" false $values.webhook)) -}}
{{- if and $ofProcessors (not $values.webhook.enabled) -}}
{{- printf "webhook (%s): there are no webhook processors: set webhook.enabled=true in queue mode, or remove these settings." $ofProcessors }}{{ "\n" -}}
{{- end -}}
{{- range (get .n8nTunedByRole "webhook") -}}
{{- if eq (include "n8n-tuned.maxReplicas" . | int) 0 -}}
{{- "webhook.replicas: production webhooks go to the webhook processors, so with 0 replicas, nothing responds to them: set 1 or more replicas, or webhook.enabled=false." }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- $route := or $values.ingress.enabled $values.ingress.webhook.enabled $values.httpRoute.enabled $values.httpRoute.webhook.enabled -}}
{{- $isReached := or $route $values.publicUrl $values.webhookUrl -}}
{{- if and $values.webhook.exclusive (include "n8n-tuned.hasWebhookProcessors" .) (not $isReached) -}}
{{- "webhook.exclusive: nothing routes webhooks to the webhook processors, and main does not handle webhooks: enable ingress or httpRoute, or set publicUrl if your own proxy routes the webhooks." }}{{ "\n" -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.roles" -}}
{{- $names := dict -}}
{{- range .n8nTunedComponents -}}
{{- $settings := .settings -}}
{{- $at := .at -}}
{{- range $name, $one := $settings.beforeStart -}}
{{- if and $one (not $one.command) -}}
{{- printf "%s.beforeStart.%s: this entry has no command, so nothing would run: add a command, such as [n8n, import:workflow, --separate, --input=/before-start/%s]." $at $name $name }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if hasKey $names .name -}}
{{- printf "worker.pools: two pools have the name %q: use a different name for each pool." (.pool | default "") }}{{ "\n" -}}
{{- end -}}
{{- $_ := set $names .name true -}}
{{- if and $settings.autoscaling.enabled (dig "keda" "enabled" false $settings) -}}
{{- printf "%s: autoscaling (HPA) and keda are both enabled and would conflict: keep only one of them." .at }}{{ "\n" -}}
{{- end -}}
{{- if and $settings.autoscaling.enabled (gt (int ($settings.autoscaling.minReplicas | default 0)) (int $settings.autoscaling.maxReplicas)) -}}
{{- printf "%s.autoscaling: minReplicas %d is above maxReplicas %d: lower minReplicas or raise maxReplicas." .at (int $settings.autoscaling.minReplicas) (int $settings.autoscaling.maxReplicas) }}{{ "\n" -}}
{{- end -}}
{{- if and (dig "keda" "enabled" false $settings) (gt (dig "keda" "minReplicas" 0 $settings | default 0 | int) (dig "keda" "maxReplicas" 1 $settings | int)) -}}
{{- printf "%s.keda: minReplicas %d is above maxReplicas %d: lower minReplicas or raise maxReplicas." .at (int $settings.keda.minReplicas) (int $settings.keda.maxReplicas) }}{{ "\n" -}}
{{- end -}}
{{- if and $settings.autoscaling.enabled (not (dig "requests" "cpu" "" ($settings.resources | default dict))) (gt (int $settings.autoscaling.cpuPercent) 0) -}}
{{- printf "%s.resources.requests.cpu: the autoscaler compares CPU usage with this request, which is not set: set the request, or autoscaling.cpuPercent=0." .at }}{{ "\n" -}}
{{- end -}}
{{- if and (eq .role "webhook") $settings.keda.enabled -}}
{{- if and (eq (int $settings.keda.cpuPercent) 0) (not $settings.keda.triggers) -}}
{{- printf "%s.keda: KEDA has no metric to scale on: set cpuPercent or triggers." .at }}{{ "\n" -}}
{{- end -}}
{{- if and (gt (int $settings.keda.cpuPercent) 0) (not (dig "requests" "cpu" "" ($settings.resources | default dict))) -}}
{{- printf "%s.resources.requests.cpu: KEDA compares CPU usage with this request, which is not set: set the request, or keda.cpuPercent=0." .at }}{{ "\n" -}}
{{- end -}}
{{- if and (not $settings.keda.triggers) (eq (include "n8n-tuned.minReplicas" .) "0") (eq "keda" (include "n8n-tuned.autoscaler" .)) -}}
{{- printf "%s.keda.minReplicas: without a pod, there is no CPU usage to measure, so KEDA would never start a pod: set this value to 1 or more, or add triggers." .at }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- $scaling := $settings.autoscaling -}}
{{- if and $scaling.enabled (not (or (int $scaling.cpuPercent) (int $scaling.memoryPercent) $scaling.metrics)) -}}
{{- printf "%s.autoscaling: the autoscaler has no metric to scale on: set cpuPercent, memoryPercent or metrics." .at }}{{ "\n" -}}
{{- end -}}
{{- if $settings.terminationGracePeriodSeconds -}}
{{- $asked := dict "context" $ "component" . -}}
{{- $shutdown := include "n8n-tuned.shutdownSeconds" $asked | int -}}
{{- $preStop := include "n8n-tuned.preStopSeconds" $asked | int -}}
{{- $min := add $shutdown $preStop 10 -}}
{{- if le (int $settings.terminationGracePeriodSeconds) (int $min) -}}
{{- printf "%s.terminationGracePeriodSeconds: after %d s, Kubernetes would kill n8n, which may still be finishing its executions: use more than %d (shutdown.timeoutSeconds %d + preStopSeconds %d + 10), or null for a computed value." .at (int $settings.terminationGracePeriodSeconds) $min $shutdown $preStop }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and $settings.dedicatedQueue (not .pool) -}}
{{- "worker.dedicatedQueue: only a worker pool can have its own queue: set dedicatedQueue in an entry of worker.pools." }}{{ "\n" -}}
{{- end -}}
{{- if and $settings.dedicatedQueue (not (include "n8n-tuned.supports" (dict "context" $ "feature" "workerPools"))) -}}
{{- printf "%s.dedicatedQueue: n8n %s does not support queues per pool: set this value to false." .at (include "n8n-tuned.version" $) }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.runners" -}}
{{- $mode := .Values.taskRunners.mode -}}
{{- if and (eq $mode "off") (include "n8n-tuned.supports" (dict "context" . "feature" "taskRunnersAlways")) -}}
{{- printf "taskRunners.mode: n8n %s always runs Code nodes in a task runner: use internal or external." (include "n8n-tuned.version" .) }}{{ "\n" -}}
{{- end -}}
{{- if and (eq $mode "external") (not (include "n8n-tuned.supports" (dict "context" . "feature" "taskRunners"))) -}}
{{- printf "taskRunners.mode: n8n %s has no task runners: use internal, which has no effect in this version." (include "n8n-tuned.version" .) }}{{ "\n" -}}
{{- end -}}
{{- if eq (include "n8n-tuned.runnerMode" .) "external" -}}
{{- if semverCompare "<1.29.0-0" .Capabilities.KubeVersion.Version -}}
{{- printf "taskRunners.mode: the external runner is a sidecar that must outlive n8n, so that the last Code nodes of a stopping pod can run. Such a sidecar requires Kubernetes 1.29, but the cluster runs %s: use internal." .Capabilities.KubeVersion.Version }}{{ "\n" -}}
{{- end -}}
{{- with dig "limits" "memory" "" (.Values.taskRunners.resources | default dict) -}}
{{- $limitMiB := include "n8n-tuned.mebibytes" (dict "value" . "at" "taskRunners.resources.limits.memory") | int64 -}}
{{- /* An idle JavaScript runner, the launcher and Python. Not measured. */ -}}
{{- if lt $limitMiB 256 -}}
{{- printf "taskRunners.resources.limits.memory: the external runner needs at least 256 MiB, but %s is %d MiB: raise the limit." (include "n8n-tuned.plain" .) $limitMiB }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and .Values.pythonPackages.packages (ne (include "n8n-tuned.runnerMode" .) "external") -}}
{{- "pythonPackages.packages: Python runs only in the external task runner: set taskRunners.mode=external." }}{{ "\n" -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.monitoring" -}}
{{- $monitoring := .Values.monitoring -}}
{{- range $name := list "serviceMonitor" "podMonitor" "prometheusRule" "dashboard" "exporter" -}}
{{- if and (get $monitoring $name).enabled (not $monitoring.enabled) -}}
{{- printf "monitoring.%s.enabled: n8n does not serve metrics: also set monitoring.enabled=true." $name }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and $monitoring.prometheusRule.enabled (not (include "n8n-tuned.ruleGroups" . | fromYaml).items) -}}
{{- "monitoring.prometheusRule.enabled: the PrometheusRule would contain no rules: set monitoring.prometheusRule.bundled=true for the chart's alerts, or define your own rules in monitoring.prometheusRule.groups." }}{{ "\n" -}}
{{- end -}}
{{- range $name := concat $monitoring.prometheusRule.disabled (keys $monitoring.prometheusRule.severities | sortAlpha) -}}
{{- if not (has $name (include "n8n-tuned.bundledAlerts" $ | fromYaml).items) -}}
{{- printf "monitoring.prometheusRule: the chart has no alert %q: use one of the names in docs/runbooks." $name }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- if and $monitoring.dashboard.enabled (not (.Files.Glob "files/monitoring/dashboards/*.json")) -}}
{{- "monitoring.dashboard.enabled: this copy of the chart has no files/monitoring/dashboards, so there is nothing to render: use the complete chart, or set this value to false." }}{{ "\n" -}}
{{- end -}}
{{- if and $monitoring.exporter.enabled (eq .Values.database.type "sqlite") -}}
{{- "monitoring.exporter.enabled: the exporter reads PostgreSQL, but this release uses SQLite, which a second pod cannot open: set database.type=postgresql, or set this value to false." }}{{ "\n" -}}
{{- end -}}
{{- if and $monitoring.exporter.enabled (eq "sentinel" (include "n8n-tuned.redisKind" .)) -}}
{{- "monitoring.exporter.enabled: the exporter does not support Redis Sentinels: set this value to false." }}{{ "\n" -}}
{{- end -}}
{{- if and $monitoring.serviceMonitor.enabled $monitoring.podMonitor.enabled -}}
{{- "monitoring: serviceMonitor and podMonitor would scrape main twice: keep only one of them (the PodMonitor also sees workers)." }}{{ "\n" -}}
{{- end -}}
{{- end -}}

{{/* Another version, or none, would be installed at another start of a pod. */}}
{{- define "n8n-tuned.validate.packages" -}}
{{- if and .Values.communityPackages.npmrc.existingSecret (not .Values.communityPackages.packages) -}}
{{- "communityPackages.npmrc.existingSecret: communityPackages.packages is empty, so these credentials have no effect: list packages, or remove this value." }}{{ "\n" -}}
{{- end -}}
{{- range .Values.communityPackages.packages -}}
{{- if not (regexMatch "^\\S*([^@]@v?[0-9]+\\.[0-9]+\\.[0-9]+[0-9A-Za-z.+-]*|://\\S+|\\.t(ar\\.)?gz)$" .) -}}
{{- printf "communityPackages.packages: %q has no version, so each start might install a different one: use n8n-nodes-x@1.2.3, @scope/n8n-nodes-x@1.2.3, or the address of an archive." . }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- range .Values.pythonPackages.packages -}}
{{- if not (regexMatch "^([A-Za-z0-9._-]+(\\[[^\\]]*\\])? *===? *[0-9][^ *,;]*( *;.*)?|.*://\\S+|\\S+\\.(whl|t(ar\\.)?gz))$" .) -}}
{{- printf "pythonPackages.packages: %q has no version, so each start might install a different one: use name==1.2.3, or the address of a wheel." . }}{{ "\n" -}}
{{- end -}}
{{- end -}}
{{- end -}}
