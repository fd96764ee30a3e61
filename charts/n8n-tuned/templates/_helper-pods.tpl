{{/*
The pods beside n8n, each with one container that runs a script of the chart with the Node.js of n8n's image. Those that ask
n8n's stores get into them as main does: by its ServiceAccount, its proxies, volumes and certificates, and by its variables of
these stores. They get nothing else of n8n.
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

{{- define "n8n-tuned.helperLabels" -}}
{{- mergeOverwrite (deepCopy (.Values.pod.podLabels | default dict)) (.Values.helperPods.podLabels | default dict) | toYaml -}}
{{- end -}}

{{/* Not those of n8n's pods: a sidecar that they ask for would keep a job from its end. Dict: context, and maybe stores. */}}
{{- define "n8n-tuned.helperAnnotations" -}}
{{- $helpers := .context.Values.helperPods -}}
{{- mergeOverwrite (deepCopy ($helpers.podAnnotations | default dict)) (ternary ($helpers.storeAnnotations | default dict) dict (not (empty .stores))) | toYaml -}}
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
