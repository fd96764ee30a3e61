{{/*
Every contradiction fails here, before anything renders, with one sentence: what, where, and what to do. What a
schema can say (types, unknown keys, one of a list) is in values.schema.json.
*/}}
{{- define "n8n-tuned.validate" -}}
{{- range $check := list "version" "process" "mode" "secrets" "roles" "memory" "storage" "traffic" "runners" "monitoring" "loadTest" "ports" -}}
{{- include (printf "n8n-tuned.validate.%s" $check) $ -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.version" -}}
{{- $facts := (include "n8n-tuned.versionFacts" . | fromYaml).supported -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- if semverCompare (printf "<%s" $facts.from) $version -}}
{{- fail (printf "image.tag: n8n %s is older than %s, the first version this chart can run: use a newer one." $version $facts.from) -}}
{{- end -}}
{{- if and .Values.image.digest (not .Values.image.tag) (not .Values.image.version) -}}
{{- fail "image.digest: a digest does not tell the n8n version, and what is rendered depends on it: set image.version as well." -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.process" -}}
{{- if and (eq .Values.executions.process "own") (not (include "n8n-tuned.supports" (dict "context" . "feature" "executionsProcess"))) -}}
{{- fail (printf "executions.process: n8n %s knows no `own` process, which was removed with 1.0 and stops n8n from starting: set executions.process=main, and executions.mode=queue with workers for work apart from main." (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- if and (eq .Values.executions.process "own") (include "n8n-tuned.isQueue" .) -}}
{{- fail "executions.process: workers in queue mode run executions in their own process only: set executions.process=main." -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.mode" -}}
{{- $values := .Values -}}
{{- $workerPools := $values.worker.pools | default list -}}
{{- if include "n8n-tuned.isQueue" . -}}
{{- if eq $values.database.type "sqlite" -}}
{{- fail "database.type: queue mode runs several processes, and SQLite serves only one: set database.type=postgresql (with database.external.host for your own server)." -}}
{{- end -}}
{{- if not (include "n8n-tuned.redisKind" .) -}}
{{- fail "redis.enabled: queue mode needs Redis to carry the jobs: set redis.enabled=true for one of our own, or redis.external.host." -}}
{{- end -}}
{{- $external := $values.redis.external -}}
{{- $given := list -}}
{{- if $external.host }}{{ $given = append $given "host" }}{{ end -}}
{{- if $external.clusterNodes }}{{ $given = append $given "clusterNodes" }}{{ end -}}
{{- if $external.sentinel.nodes }}{{ $given = append $given "sentinel.nodes" }}{{ end -}}
{{- if gt (len $given) 1 -}}
{{- fail (printf "redis.external: %s are set, and each names another Redis: keep one." (join " and " $given)) -}}
{{- end -}}
{{- if and (eq (include "n8n-tuned.redisKind" .) "host") (eq (int $external.port) 26379) -}}
{{- fail "redis.external.port: 26379 is the port of a Sentinel, which n8n does not speak to: give the Sentinels as redis.external.sentinel.nodes, or the port of the master." -}}
{{- end -}}
{{- if and (eq (include "n8n-tuned.redisKind" .) "sentinel") (semverCompare "<1.29.0-0" .Capabilities.KubeVersion.Version) -}}
{{- fail (printf "redis.external.sentinel: its proxy is a sidecar that must outlive n8n, which Kubernetes %s cannot do and 1.29 can: name a Service that follows the master as redis.external.host." .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- $workers := 0 -}}
{{- range (include "n8n-tuned.componentsOf" (dict "context" . "role" "worker") | fromYaml).items -}}
{{- $workers = add $workers (include "n8n-tuned.maxReplicas" . | int) -}}
{{- end -}}
{{- if eq (int $workers) 0 -}}
{{- fail "worker.replicas: queue mode without a worker runs nothing: set worker.replicas to 1 or more, or give worker.pools." -}}
{{- end -}}
{{- else -}}
{{- if $values.webhook.enabled -}}
{{- fail "webhook.enabled: webhook processors need queue mode: set executions.mode=queue, or webhook.enabled=false." -}}
{{- end -}}
{{- if or $workerPools (dig "autoscaling" "enabled" false $values.worker) $values.worker.keda.enabled -}}
{{- fail "worker: workers (pools, autoscaling or keda) need queue mode: set executions.mode=queue." -}}
{{- end -}}
{{- if $values.multiMain.enabled -}}
{{- fail "multiMain.enabled: several mains need queue mode: set executions.mode=queue." -}}
{{- end -}}
{{- end -}}
{{- if and $values.multiMain.enabled (not (include "n8n-tuned.supports" (dict "context" . "feature" "multiMain"))) -}}
{{- fail (printf "multiMain.enabled: n8n %s cannot run several mains: use a newer version or set multiMain.enabled=false." (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- $main := first (include "n8n-tuned.componentsOf" (dict "context" . "role" "main") | fromYaml).items -}}
{{- if and (gt (include "n8n-tuned.maxReplicas" $main | int) 1) (not $values.multiMain.enabled) -}}
{{- fail (printf "main.replicas: %s mains would each start every schedule and trigger%s: set main.replicas=1 without autoscaling, or multiMain.enabled=true in queue mode with PostgreSQL." (include "n8n-tuned.maxReplicas" $main) (ternary ", and SQLite serves only one" "" (eq $values.database.type "sqlite"))) -}}
{{- end -}}
{{- if and $values.webhook.exclusive (include "n8n-tuned.hasWebhookProcessors" .) (not $values.ingress.enabled) (not $values.httpRoute.enabled) (not $values.publicUrl) -}}
{{- fail "webhook.exclusive: nothing routes webhooks to the processors while main refuses them: enable ingress or httpRoute, or set publicUrl when a proxy of yours routes them." -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.secrets" -}}
{{- $key := .Values.encryptionKey -}}
{{- if and $key.existingSecret $key.value -}}
{{- fail "encryptionKey: both existingSecret and value are set: keep one." -}}
{{- end -}}
{{- if and (not $key.existingSecret) (not $key.value) -}}
{{- if not $key.generate -}}
{{- fail "encryptionKey: n8n needs a key that never changes: set encryptionKey.existingSecret, or encryptionKey.generate=true to have one made in the cluster." -}}
{{- end -}}
{{- if and (eq .Values.database.type "postgresql") .Values.database.external.host -}}
{{- fail "encryptionKey: an external database outlives this cluster, and a key made here would not, leaving its credentials unreadable: make a Secret and set encryptionKey.existingSecret." -}}
{{- end -}}
{{- end -}}
{{- range $at, $own := dict "database.external" .Values.database.external "redis.external" .Values.redis.external -}}
{{- if and $own.existingSecret $own.password -}}
{{- fail (printf "%s: both existingSecret and password are set: keep one." $at) -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.database.type "postgresql") .Values.database.external.host (not .Values.database.external.existingSecret) (not .Values.database.external.password) -}}
{{- fail "database.external: a password is missing: set database.external.existingSecret." -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.roles" -}}
{{- $names := dict -}}
{{- range (include "n8n-tuned.components" . | fromYaml).items -}}
{{- $settings := .settings -}}
{{- if hasKey $names .name -}}
{{- fail (printf "worker.pools: two pools have the name %q: give each its own." (.pool | default "")) -}}
{{- end -}}
{{- $_ := set $names .name true -}}
{{- if and (eq .role "worker") $settings.autoscaling.enabled $settings.keda.enabled -}}
{{- fail (printf "%s: autoscaling (HPA) and keda are both enabled and would fight over the number of pods: keep one." .at) -}}
{{- end -}}
{{- if and $settings.autoscaling.enabled (gt (int $settings.autoscaling.minReplicas) (int $settings.autoscaling.maxReplicas)) -}}
{{- fail (printf "%s.autoscaling: minReplicas %d is above maxReplicas %d." .at (int $settings.autoscaling.minReplicas) (int $settings.autoscaling.maxReplicas)) -}}
{{- end -}}
{{- if and $settings.autoscaling.enabled (not (dig "requests" "cpu" "" ($settings.resources | default dict))) (gt (int $settings.autoscaling.cpuPercent) 0) -}}
{{- fail (printf "%s.resources.requests.cpu: the autoscaler measures CPU against this request, and there is none: set it, or autoscaling.cpuPercent=0." .at) -}}
{{- end -}}
{{- if and $settings.autoscaling.enabled (eq (int $settings.autoscaling.cpuPercent) 0) (eq (int $settings.autoscaling.memoryPercent) 0) (not $settings.autoscaling.metrics) -}}
{{- fail (printf "%s.autoscaling: there is nothing to scale on: set cpuPercent, memoryPercent or metrics." .at) -}}
{{- end -}}
{{- if $settings.terminationGracePeriodSeconds -}}
{{- $shutdown := include "n8n-tuned.shutdownSeconds" (dict "context" $ "component" .) | int -}}
{{- $least := add $shutdown (int $settings.shutdown.preStopSeconds) 10 -}}
{{- if le (int $settings.terminationGracePeriodSeconds) (int $least) -}}
{{- fail (printf "%s.terminationGracePeriodSeconds: %d s would kill n8n while it finishes its executions: use more than %d (shutdown.timeoutSeconds %d + preStopSeconds %d + 10), or 0 to have it computed." .at (int $settings.terminationGracePeriodSeconds) $least $shutdown (int $settings.shutdown.preStopSeconds)) -}}
{{- end -}}
{{- end -}}
{{- if and $settings.dedicatedQueue (not .pool) -}}
{{- fail "worker.dedicatedQueue: only a pool has a name for its queue: set dedicatedQueue in an entry of worker.pools." -}}
{{- end -}}
{{- if and $settings.dedicatedQueue (not (include "n8n-tuned.supports" (dict "context" $ "feature" "workerPools"))) -}}
{{- fail (printf "%s.dedicatedQueue: n8n %s knows no queues per pool: leave it false." .at (include "n8n-tuned.version" $)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.memory" -}}
{{- $outside := include "n8n-tuned.outsideHeapMiB" . | int64 -}}
{{- range (include "n8n-tuned.components" . | fromYaml).items -}}
{{- $at := printf "%s.resources.limits.memory" .at -}}
{{- $limit := include "n8n-tuned.memoryLimit" . -}}
{{- with dig "requests" "memory" "" (.settings.resources | default dict) -}}
{{- $_ := include "n8n-tuned.bytes" (dict "value" . "at" (replace "limits" "requests" $at)) -}}
{{- end -}}
{{- if $limit -}}
{{- $limitMiB := include "n8n-tuned.mebibytes" (dict "value" $limit "at" $at) | int64 -}}
{{- $floor := include "n8n-tuned.memoryFloorMiB" (dict "context" $ "role" .role) | int64 -}}
{{- if lt $limitMiB $floor -}}
{{- fail (printf "%s: n8n %s needs at least %d MiB in this role, and %v is %d MiB: raise it." $at (include "n8n-tuned.version" $) $floor $limit $limitMiB) -}}
{{- end -}}
{{- $heap := include "n8n-tuned.heap" (dict "context" $ "component" .) | fromYaml -}}
{{- if $heap -}}
{{- $old := $heap.oldSpaceMiB | int64 -}}
{{- $runner := $heap.runnerOldSpaceMiB | default 0 | int64 -}}
{{- if gt (add $old $runner $outside) $limitMiB -}}
{{- fail (printf "%s: %d MiB cannot hold heap.oldSpace %d MiB + heap.runnerOldSpace %d MiB + %d MiB that live outside V8: raise the limit or lower the heap." $at $limitMiB $old $runner $outside) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.storage" -}}
{{- $mode := include "n8n-tuned.binaryDataMode" . -}}
{{- $version := include "n8n-tuned.version" . -}}
{{- $always := include "n8n-tuned.supports" (dict "context" . "feature" "binaryDataDatabase") -}}
{{- if and (eq $mode "database") (not $always) -}}
{{- fail (printf "binaryData.mode: n8n %s cannot keep files in the database (2.0 can): use filesystem, s3 or default." $version) -}}
{{- end -}}
{{- if and (eq $mode "default") $always -}}
{{- fail (printf "binaryData.mode: n8n %s no longer keeps files in memory: use filesystem, database or s3." $version) -}}
{{- end -}}
{{- if and (eq $mode "filesystem") (include "n8n-tuned.isQueue" .) (not (and .Values.persistence.enabled (include "n8n-tuned.isSharedClaim" .))) -}}
{{- fail "binaryData.mode: in queue mode all roles must see the same files: use database or s3, or persistence.enabled with persistence.accessModes=[ReadWriteMany]." -}}
{{- end -}}
{{- if and (eq $mode "s3") (or (not .Values.binaryData.s3.host) (not .Values.binaryData.s3.bucket)) -}}
{{- fail "binaryData.s3: host and bucket are needed with binaryData.mode=s3." -}}
{{- end -}}
{{- if .Values.persistence.size -}}
{{- $_ := include "n8n-tuned.bytes" (dict "value" .Values.persistence.size "at" "persistence.size") -}}
{{- end -}}
{{- if and .Values.trustedCertificates.existingSecret .Values.trustedCertificates.existingConfigMap -}}
{{- fail "trustedCertificates: both existingSecret and existingConfigMap are set: keep one." -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.traffic" -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.hosts: an Ingress needs a host: set ingress.hosts=[n8n.example.com]." -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.parentRefs: an HTTPRoute needs the Gateway it belongs to: set httpRoute.parentRefs=[{name: my-gateway}]." -}}
{{- end -}}
{{- with .Values.publicUrl -}}
{{- if not (regexMatch "^https?://[^/ ]+(/.*)?$" .) -}}
{{- fail (printf "publicUrl: %q is no address: write it as https://n8n.example.com." .) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.runners" -}}
{{- $mode := .Values.taskRunners.mode -}}
{{- if and (eq $mode "off") (include "n8n-tuned.supports" (dict "context" . "feature" "taskRunnersAlways")) -}}
{{- fail (printf "taskRunners.mode: n8n %s always runs Code nodes in a task runner: use internal or external." (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- if and (eq $mode "external") (not (include "n8n-tuned.supports" (dict "context" . "feature" "taskRunners"))) -}}
{{- fail (printf "taskRunners.mode: n8n %s has no task runners: leave it internal, which does nothing there." (include "n8n-tuned.version" .)) -}}
{{- end -}}
{{- if and .Values.pythonPackages.packages (ne (include "n8n-tuned.runnerMode" .) "external") -}}
{{- fail "pythonPackages.packages: Python runs in the external task runner only: set taskRunners.mode=external." -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.monitoring" -}}
{{- $monitoring := .Values.monitoring -}}
{{- range $name := list "serviceMonitor" "podMonitor" "prometheusRule" "dashboard" -}}
{{- if and (get $monitoring $name).enabled (not $monitoring.enabled) -}}
{{- fail (printf "monitoring.%s.enabled: n8n serves no metrics to look at: set monitoring.enabled=true as well." $name) -}}
{{- end -}}
{{- end -}}
{{- if and $monitoring.serviceMonitor.enabled $monitoring.podMonitor.enabled -}}
{{- fail "monitoring: serviceMonitor and podMonitor would scrape main twice: keep one (the PodMonitor also sees workers)." -}}
{{- end -}}
{{- end -}}

{{- define "n8n-tuned.validate.loadTest" -}}
{{- $test := .Values.loadTest -}}
{{- if and $test.enabled (not $test.target) (not .Values.loadTargets.enabled) -}}
{{- fail "loadTest.enabled: the workload's workflow is not in this n8n: set loadTargets.enabled=true, or loadTest.target to an n8n that has it." -}}
{{- end -}}
{{- if $test.enabled -}}
{{- $known := list -}}
{{- range (.Files.Get "files/workflows/catalogue.json" | fromJson).workloads -}}{{- $known = append $known .name -}}{{- end -}}
{{- if not (has $test.workload $known) -}}
{{- fail (printf "loadTest.workload: there is no workload %q: it is one of %s." $test.workload (join ", " $known)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
