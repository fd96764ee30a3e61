{{/* k6 and its scripts, for the load test and for `helm test`. */}}

{{/*
Suffix of the load test's name: what ran cannot be changed or run again, so another load test is another object. Tools that
only render never count the revision up: all that the pods are made of is in the name.
*/}}
{{- define "n8n-tuned.loadTestName" -}}
{{- $labels := include "n8n-tuned.labels" (dict "context" . "component" "load-test") -}}
{{- $hash := list (include "n8n-tuned.loadTestPod" .) $labels .Values.loadTest.parallelism (include "n8n-tuned.k6Files" .) (include "n8n-tuned.version" .) .Release.Revision | toJson | sha256sum | trunc 8 -}}
load-test-{{ $hash }}
{{- end -}}

{{/* The pod of the load test. */}}
{{- define "n8n-tuned.loadTestPod" -}}
{{- include "n8n-tuned.k6Pod" (dict "context" . "profile" .Values.loadTest.profile "scripts" "load-test" "env" .Values.loadTest.env) -}}
{{- end -}}

{{/* data of the ConfigMap, laid out as in the repository: loadtests/ beside workflows/catalogue.json. */}}
{{- define "n8n-tuned.k6Files" -}}
{{- $data := dict "workflows__catalogue.json" (.Files.Get "files/workflows/catalogue.json") -}}
{{- range $path, $bytes := .Files.Glob "files/loadtests/**.ts" -}}
{{- $_ := set $data (trimPrefix "files/" $path | replace "/" "__") (toString $bytes) -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{/* Where the volume puts them: a `__` stands for a slash, which keys cannot hold. */}}
{{- define "n8n-tuned.k6Items" -}}
- key: workflows__catalogue.json
  path: workflows/catalogue.json
{{- range $path, $_ := .Files.Glob "files/loadtests/**.ts" }}
- key: {{ trimPrefix "files/" $path | replace "/" "__" }}
  path: {{ trimPrefix "files/" $path }}
{{- end }}
{{- end -}}

{{/* The container and volumes of a k6 pod. Dict: context, profile, env (a map). */}}
{{- define "n8n-tuned.k6Pod" -}}
{{- $values := .context.Values -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "n8n-tuned.imagePullSecrets" .context }}
{{- . | nindent 0 }}
{{- end }}
{{- range $key := list "nodeSelector" "affinity" "tolerations" }}
{{- with get $values.loadTest $key | default (get $values.pod $key) }}
{{ $key }}: {{ toJson . }}
{{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 12345
  runAsGroup: 12345
  fsGroup: 12345
  seccompProfile:
    type: RuntimeDefault
containers:
  - name: k6
    image: {{ include "n8n-tuned.image" (dict "context" .context "image" $values.loadTest.image "tag" "") | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: [run, --no-usage-report, /k6/loadtests/{{ .profile }}.ts]
    env:
      {{- include "n8n-tuned.k6Env" . | nindent 6 }}
    resources:
      {{- toYaml $values.loadTest.resources | nindent 6 }}
    securityContext:
      {{- toYaml $values.pod.securityContext | nindent 6 }}
    volumeMounts:
      - name: scripts
        mountPath: /k6
        readOnly: true
      - name: tmp
        mountPath: /tmp
volumes:
  - name: tmp
    emptyDir: {}
  - name: scripts
    configMap:
      name: {{ include "n8n-tuned.fullname" .context }}-{{ .scripts }}
      items:
        {{- include "n8n-tuned.k6Items" .context | nindent 8 }}
{{- end -}}

{{/* loadTest.env wins by name. Dict: context, env. */}}
{{- define "n8n-tuned.k6Env" -}}
{{- $values := .context.Values -}}
{{- /* READY: n8n may still be pulling its image and migrating. */ -}}
{{- $entries := dict "HOME" "/tmp" "READY" "600s" "BASE_URL" (default (include "n8n-tuned.webhookBaseUrl" .context) $values.loadTest.target) -}}
{{- if not (hasKey (.env | default dict) "REQUEST") -}}
{{- $_ := set $entries "WORKLOAD" $values.loadTest.workload -}}
{{- if semverCompare "<1.0.0-0" (include "n8n-tuned.version" .context) -}}
{{- $_ := set $entries "VARIANT" "legacy" -}}
{{- end -}}
{{- end -}}
{{- $entries = mergeOverwrite $entries (deepCopy (.env | default dict)) -}}
{{- $list := list -}}
{{- range $name, $value := $entries -}}
{{- $list = append $list (include "n8n-tuned.envEntry" (dict "name" $name "value" $value) | fromYaml) -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}
