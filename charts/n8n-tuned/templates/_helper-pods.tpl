{{/*
The pods beside n8n, each with one container that runs a script of the chart with the Node.js of n8n's image. Those that ask
n8n's stores get into them as main does: by its ServiceAccount, its proxies, volumes and certificates, and by its variables of
these stores. They get nothing else of n8n. At the end: where they and n8n may reach, for the NetworkPolicies.
*/}}

{{/* metadata of a pod that ends. Dict: context, component, and maybe stores (those that it asks). */}}
{{- define "n8n-tuned.helperMetadata" -}}
labels:
  {{- include "n8n-tuned.labels" (dict "context" .context "component" .component "labels" (include "n8n-tuned.helperLabels" .context | fromYaml)) | nindent 2 }}
{{- with include "n8n-tuned.helperAnnotations" . | fromYaml }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
Those of n8n's pods, for admission policies and identities, but none that asks for a sidecar, which would keep a job from its
end. Its label declines one instead: a namespace may ask for all of its pods.
*/}}
{{- define "n8n-tuned.helperLabels" -}}
{{- $labels := omit (.Values.pod.podLabels | default dict) "istio.io/rev" "agent.datadoghq.com/sidecar" -}}
{{- range $name, $declined := dict "sidecar.istio.io/inject" "false" "kuma.io/sidecar-injection" "disabled" "linkerd.io/inject" "disabled" -}}
{{- if hasKey $labels $name -}}{{- $_ := set $labels $name $declined -}}{{- end -}}
{{- end -}}
{{- mergeOverwrite $labels (.Values.helperPods.podLabels | default dict) | toYaml -}}
{{- end -}}

{{/* Not those of n8n's pods: a sidecar that they ask for would keep a job from its end. Dict: context, and maybe stores. */}}
{{- define "n8n-tuned.helperAnnotations" -}}
{{- $helpers := .context.Values.helperPods -}}
{{- $ofStores := ternary ($helpers.storeAnnotations | default dict) dict (not (empty .stores)) -}}
{{- mergeOverwrite (deepCopy ($helpers.podAnnotations | default dict)) $ofStores | toYaml -}}
{{- end -}}

{{/*
The spec. Dict: context, name (of the container), script, resources, and maybe
  stores (a list of those of n8n that it asks: database, redis), trusts (whether it asks n8n, whose certificate may be of an
  authority of the user's), env (a list), more (YAML of the container: ports, probes), nodeArgs (a list), restartPolicy,
  graceSeconds, serviceAccountName and token (of an account of its own).
*/}}
{{- define "n8n-tuned.helperPod" -}}
{{- $values := .context.Values -}}
{{- $main := first .context.n8nTunedComponents -}}
{{- $settings := ternary $main.settings $values.pod (not (empty .stores)) -}}
{{- $of := dict "context" .context "component" $main -}}
{{- $own := dict -}}
{{- if .stores -}}{{- $own = include "n8n-tuned.ownVolumes" (dict "context" .context "stores" .stores) | fromYaml -}}{{- end -}}
{{- with .restartPolicy }}
restartPolicy: {{ . }}
{{- end }}
{{- if .stores }}
serviceAccountName: {{ include "n8n-tuned.serviceAccountName" .context | quote }}
{{- else if .serviceAccountName }}
serviceAccountName: {{ .serviceAccountName | quote }}
{{- end }}
automountServiceAccountToken: {{ eq true .token }}
enableServiceLinks: false
{{- with include "n8n-tuned.imagePullSecrets" .context }}
{{- . | nindent 0 }}
{{- end }}
{{- with .graceSeconds }}
terminationGracePeriodSeconds: {{ . }}
{{- end }}
securityContext:
  {{- toYaml $settings.podSecurityContext | nindent 2 }}
{{- range $key := list "nodeSelector" "affinity" "tolerations" "priorityClassName" }}
{{- with get $settings $key }}
{{ $key }}: {{ toJson . }}
{{- end }}
{{- end }}
{{- if .stores }}
{{- with (include "n8n-tuned.ownInitContainers" $of | fromYaml).sidecars }}
initContainers:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
containers:
  - name: {{ .name }}
    image: {{ include "n8n-tuned.n8nImage" .context | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    # The image's entrypoint starts n8n; here its Node.js runs the script, with n8n's own libraries for the stores.
    command: [node]
    args: {{ concat (.nodeArgs | default list) (list (printf "%s/%s" (include "n8n-tuned.scriptFolder" .context) .script)) | toJson }}
    {{- with .env }}
    env:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- if .stores }}
    {{- with include "n8n-tuned.envFrom" $of }}
    envFrom:
      {{- . | nindent 6 }}
    {{- end }}
    {{- end }}
    {{- with .more }}
    {{- . | nindent 4 }}
    {{- end }}
    resources:
      {{- toYaml .resources | nindent 6 }}
    securityContext:
      {{- toYaml $settings.securityContext | nindent 6 }}
    volumeMounts:
      {{- include "n8n-tuned.scriptMount" .context | nindent 6 }}
      {{- if or .stores .trusts }}
      {{- with include "n8n-tuned.trustedMount" .context | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- end }}
      {{- if has "database" (.stores | default list) }}
      {{- with include "n8n-tuned.databaseTlsMounts" .context | trim }}
      {{- . | nindent 6 }}
      {{- end }}
      {{- end }}
      {{- with $own.mounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - name: scripts
    configMap:
      name: {{ include "n8n-tuned.fullname" .context }}-{{ .name }}
  {{- if or .stores .trusts }}
  {{- with include "n8n-tuned.trustedVolume" .context | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- end }}
  {{- if has "database" (.stores | default list) }}
  {{- with include "n8n-tuned.databaseTlsVolumes" .context | trim }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- end }}
  {{- with $own.volumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/*
The user's volumes with their mounts; a mount of a volume of the chart's own is n8n's alone. What holds the file of another
secret of n8n (NAME_FILE), and none of these stores, stays out, but for a sidecar that mounts it. Dict: context, stores.
*/}}
{{- define "n8n-tuned.ownVolumes" -}}
{{- $main := first .context.n8nTunedComponents -}}
{{- $pattern := include "n8n-tuned.storesPattern" . -}}
{{- $needed := list -}}
{{- $foreign := list -}}
{{- range $name, $value := $main.ownEnv -}}
{{- if and (hasSuffix "_FILE" $name) (kindIs "string" $value) -}}
{{- if regexMatch $pattern $name -}}{{- $needed = append $needed $value -}}{{- else -}}{{- $foreign = append $foreign $value -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $names := list -}}
{{- range $main.settings.volumes -}}{{- $names = append $names .name -}}{{- end -}}
{{- $mounts := list -}}
{{- $left := list -}}
{{- range $mount := $main.settings.volumeMounts -}}
{{- if has .name $names -}}
{{- $holds := dict "needed" false "foreign" false -}}
{{- $path := printf "%s/" (trimSuffix "/" .mountPath) -}}
{{- range $needed -}}{{- if hasPrefix $path (printf "%s/" .) -}}{{- $_ := set $holds "needed" true -}}{{- end -}}{{- end -}}
{{- range $foreign -}}{{- if hasPrefix $path (printf "%s/" .) -}}{{- $_ := set $holds "foreign" true -}}{{- end -}}{{- end -}}
{{- if and $holds.foreign (not $holds.needed) -}}{{- $left = append $left .name -}}{{- else -}}{{- $mounts = append $mounts . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $used := list -}}
{{- range $mounts -}}{{- $used = append $used .name -}}{{- end -}}
{{- range (include "n8n-tuned.ownInitContainers" (dict "context" .context "component" $main) | fromYaml).sidecars -}}
{{- range .volumeMounts -}}{{- $used = append $used .name -}}{{- end -}}
{{- end -}}
{{- $volumes := list -}}
{{- range $main.settings.volumes -}}
{{- if or (has .name $used) (not (has .name $left)) -}}{{- $volumes = append $volumes . -}}{{- end -}}
{{- end -}}
{{- dict "volumes" $volumes "mounts" $mounts | toYaml -}}
{{- end -}}

{{/* A pattern of main's variables of some stores. Dict: stores. */}}
{{- define "n8n-tuned.storesPattern" -}}
{{- $prefixes := dict "database" "DB_" "redis" "QUEUE_BULL_" -}}
{{- $patterns := list "NODE_EXTRA_CA_CERTS$" -}}
{{- range .stores -}}{{- $patterns = append $patterns (get $prefixes .) -}}{{- end -}}
{{- printf "^(%s)" (join "|" $patterns) -}}
{{- end -}}

{{/* The variables that are secrets of n8n, as a list. Context. */}}
{{- define "n8n-tuned.secretVariables" -}}
{{- $secrets := list "N8N_USER_MANAGEMENT_JWT_SECRET" "N8N_SMTP_PASS" -}}
{{- range .n8nTunedEnvironment.variables -}}{{- if .secret -}}{{- $secrets = append $secrets .name -}}{{- end -}}{{- end -}}
{{- uniq $secrets | toYaml -}}
{{- end -}}

{{/*
Env entries without the secrets of n8n, but those whose names fit a pattern, and an empty one in place of each that `envFrom`
would bring along. Dict: context, component, entries (a list), and maybe pattern.
*/}}
{{- define "n8n-tuned.withoutSecrets" -}}
{{- $secrets := list -}}
{{- range include "n8n-tuned.secretVariables" .context | fromYamlArray -}}
{{- if not (and $.pattern (regexMatch $.pattern .)) -}}{{- $secrets = append $secrets . -}}{{- end -}}
{{- end -}}
{{- $list := list -}}
{{- range .entries -}}
{{- if not (has (trimSuffix "_FILE" .name) $secrets) -}}{{- $list = append $list . -}}{{- end -}}
{{- end -}}
{{- if include "n8n-tuned.envFrom" . -}}
{{- range $secrets -}}{{- $list = append $list (dict "name" . "value" "") -}}{{- end -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}

{{/* What main is told of some stores, as a list of env entries. Dict: context, stores. */}}
{{- define "n8n-tuned.storesEnv" -}}
{{- $of := dict "context" .context "component" (first .context.n8nTunedComponents) -}}
{{- $pattern := include "n8n-tuned.storesPattern" . -}}
{{- $list := list -}}
{{- range include "n8n-tuned.env" $of | fromYamlArray -}}
{{- if regexMatch $pattern .name -}}{{- $list = append $list . -}}{{- end -}}
{{- end -}}
{{- include "n8n-tuned.withoutSecrets" (merge (dict "entries" $list "pattern" $pattern) $of) -}}
{{- end -}}

{{/*
How main reaches a store, as `own` (it is the chart's), `ports` (of one that is not) and `isUnknown` (a Secret or a file says
which): where n8n, and the pods beside it, may reach. Dict: context, store (database, redis).
*/}}
{{- define "n8n-tuned.storePorts" -}}
{{- $main := first .context.n8nTunedComponents -}}
{{- $external := get .context.Values .store | dig "external" dict -}}
{{- $isRedis := eq .store "redis" -}}
{{- $prefix := ternary "QUEUE_BULL_REDIS" "DB_POSTGRESDB" $isRedis -}}
{{- $kind := include "n8n-tuned.redisKind" .context -}}
{{- $isOwn := not (empty (include (ternary "n8n-tuned.ownRedis" "n8n-tuned.ownDatabase" $isRedis) .context)) -}}
{{- $isThere := ternary (not (empty $kind)) (eq .context.Values.database.type "postgresql") $isRedis -}}
{{- $isUnknown := false -}}
{{- range $name := list "HOST" "PORT" "CLUSTER_NODES" -}}
{{- $variable := printf "%s_%s" $prefix $name -}}
{{- if or (kindIs "map" (get $main.ownEnv $variable)) (get $main.ownEnv (printf "%s_FILE" $variable)) -}}{{- $isUnknown = true -}}{{- end -}}
{{- if get $main.ownEnv $variable -}}{{- $isOwn = false -}}{{- end -}}
{{- end -}}
{{- $of := dict "context" .context "component" $main -}}
{{- $ports := list -}}
{{- if and $isRedis (eq $kind "cluster") -}}
{{- range splitList "," (include "n8n-tuned.userEnv" (merge (dict "name" "QUEUE_BULL_REDIS_CLUSTER_NODES" "default" (join "," $external.clusterNodes)) $of)) -}}
{{- $ports = append $ports (splitList ":" . | last | int) -}}
{{- end -}}
{{- else -}}
{{- if and $isRedis (eq $kind "sentinel") -}}
{{- /* Its proxy in n8n's pods finds the master, which has the port of the values. */ -}}
{{- range $external.sentinel.nodes -}}{{- $ports = append $ports (splitList ":" . | last | int) -}}{{- end -}}
{{- $ports = append $ports (int $external.port) -}}
{{- else -}}
{{- $default := ternary (ternary 6379 5432 $isRedis) $external.port (empty $external.host) -}}
{{- $ports = append $ports (include "n8n-tuned.userEnv" (merge (dict "name" (printf "%s_PORT" $prefix) "default" $default) $of) | int) -}}
{{- end -}}
{{- end -}}
{{- dict "isThere" $isThere "isOwn" $isOwn "isUnknown" (and $isThere $isUnknown) "ports" (uniq $ports) | toYaml -}}
{{- end -}}

{{/* DNS, over UDP and TCP. */}}
{{- define "n8n-tuned.dnsRule" -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
{{- end -}}

{{/* A rule for a store, whether it is the chart's or not. Dict: context, store. */}}
{{- define "n8n-tuned.storeRule" -}}
{{- $store := include "n8n-tuned.storePorts" . | fromYaml -}}
{{- if $store.isThere -}}
- ports:
    {{- range $store.ports }}
    - port: {{ . }}
      protocol: TCP
    {{- end }}
  {{- if $store.isOwn }}
  to:
    - podSelector:
        matchLabels:
          {{- include "n8n-tuned.selector" (dict "context" .context "component" (ternary "redis" "postgresql" (eq .store "redis"))) | nindent 10 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* Rules of main, workers and webhook processors, as a list; empty where they may reach everything. */}}
{{- define "n8n-tuned.mainEgress" -}}
{{- $egress := .Values.networkPolicy.egress -}}
{{- if or $egress.enabled (not $egress.metadata) -}}
{{- include "n8n-tuned.dnsRule" . }}
{{- if $egress.enabled }}
- to:
    - podSelector:
        matchLabels:
          app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- range $name := list "database" "redis" }}
{{- $of := dict "context" $ "store" $name }}
{{- if not (include "n8n-tuned.storePorts" $of | fromYaml).isOwn }}
{{- with include "n8n-tuned.storeRule" $of }}
{{ . }}
{{- end }}
{{- end }}
{{- end }}
{{- else }}
# Everything but where clouds give credentials. DNS may have an address of the link.
- to:
    # Some networks take pods for no address of a block.
    - namespaceSelector: {}
    - ipBlock: { cidr: 0.0.0.0/0, except: [100.100.100.200/32, 168.63.129.16/32, 169.254.0.0/16, 192.0.0.192/32] }
    - ipBlock:
        cidr: '::/0'
        except: ['fd00:42::42/128', 'fd00:100::100:200/128', 'fd00:a9fe:a9fe::1/128', 'fd00:c1::a9fe:a9fe/128',
          'fd00:ec2::/32', 'fd20:ce::254/128']
{{- end }}
{{- with $egress.to }}
{{ toYaml . }}
{{- end }}
{{- end -}}
{{- end -}}

{{/*
policyTypes and egress of a pod beside n8n. It reaches the stores that it asks, as main does, and `more`; but all that main
reaches where nobody can tell from the values how main gets there: by a proxy in its pod, or at a port that a Secret or a file
has. Dict: context, stores, and maybe more (a list of rules).
*/}}
{{- define "n8n-tuned.helperEgress" -}}
{{- $main := dict "context" .context "component" (first .context.n8nTunedComponents) -}}
{{- $rules := include "n8n-tuned.dnsRule" . | fromYamlArray -}}
{{- $isAsMain := and .stores (include "n8n-tuned.ownInitContainers" $main | fromYaml).sidecars | empty | not -}}
{{- range .stores -}}
{{- $of := dict "context" $.context "store" . -}}
{{- if (include "n8n-tuned.storePorts" $of | fromYaml).isUnknown -}}{{- $isAsMain = true -}}{{- end -}}
{{- $rules = concat $rules (include "n8n-tuned.storeRule" $of | fromYamlArray) -}}
{{- end -}}
{{- if $isAsMain -}}{{- $rules = include "n8n-tuned.mainEgress" .context | fromYamlArray -}}{{- end -}}
{{- if $rules -}}
policyTypes: [Ingress, Egress]
egress:
  {{- toYaml (concat $rules (.more | default list)) | nindent 2 }}
{{- else -}}
policyTypes: [Ingress]
{{- end -}}
{{- end -}}
