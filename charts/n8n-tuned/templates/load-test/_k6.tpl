{{/* k6 and its scripts, for the load test. */}}

{{/*
Suffix of the load test's name: what ran cannot be changed or run again, so another load test is another object. Tools that
only render never count the revision up: all that the pods are made of is in the name.
*/}}
{{- define "n8n-tuned.loadTestName" -}}
{{- $labels := include "n8n-tuned.helperMetadata" (dict "context" . "component" "load-test") -}}
{{- $hash := list (include "n8n-tuned.loadTestPod" .) $labels .Values.loadTest.parallelism (include "n8n-tuned.k6Files" .) (include "n8n-tuned.version" .) .Release.Revision | toJson | sha256sum | trunc 8 -}}
load-test-{{ $hash }}
{{- end -}}

{{/* The pod of the load test. */}}
{{- define "n8n-tuned.loadTestPod" -}}
{{- include "n8n-tuned.k6Pod" . -}}
{{- end -}}

{{/* The script of the chosen profile, what all profiles share, and the workloads, as `items`: key, path (under files/). */}}
{{- define "n8n-tuned.k6Sources" -}}
items:
  - key: {{ .Values.loadTest.profile }}.js
    path: loadtests/{{ .Values.loadTest.profile }}.js
  - key: shared.js
    path: loadtests/lib/shared.js
  - key: catalogue.json
    path: workflows/catalogue.json
{{- end -}}

{{/* data of the ConfigMap. */}}
{{- define "n8n-tuned.k6Files" -}}
{{- $data := dict -}}
{{- range (include "n8n-tuned.k6Sources" . | fromYaml).items -}}
{{- $text := $.Files.Get (printf "files/%s" .path) -}}
{{- /* Compact, for nobody reads it here. */ -}}
{{- $_ := set $data .key (hasSuffix ".json" .key | ternary ($text | fromJson | toJson) $text) -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{/* The container and volumes of a k6 pod. Context: root. */}}
{{- define "n8n-tuned.k6Pod" -}}
{{- $values := .Values -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "n8n-tuned.imagePullSecrets" . }}
{{- . | nindent 0 }}
{{- end }}
{{- range $key := list "nodeSelector" "affinity" "tolerations" }}
{{- with get $values.loadTest $key | default (get $values.pod $key) }}
{{ $key }}: {{ toJson . }}
{{- end }}
{{- end }}
securityContext:
  {{- toYaml $values.loadTest.podSecurityContext | nindent 2 }}
containers:
  - name: k6
    image: {{ include "n8n-tuned.image" (dict "context" . "image" $values.loadTest.image "tag" "") | quote }}
    imagePullPolicy: {{ $values.image.pullPolicy }}
    args: [run, --no-usage-report, /k6/loadtests/{{ $values.loadTest.profile }}.js]
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
      {{- with include "n8n-tuned.trustedMount" . }}
      {{- . | nindent 6 }}
      {{- end }}
volumes:
  - name: tmp
    emptyDir: {}
  - name: scripts
    configMap:
      name: {{ include "n8n-tuned.fullname" . }}-load-test
      {{- include "n8n-tuned.k6Sources" . | nindent 6 }}
  {{- with include "n8n-tuned.trustedVolume" . }}
  {{- . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* loadTest.env wins by name. */}}
{{- define "n8n-tuned.k6Env" -}}
{{- $values := .Values -}}
{{- /* READY: n8n may still be pulling its image and migrating. */ -}}
{{- $entries := dict "HOME" "/tmp" "READY" "600s" "BASE_URL" (default (include "n8n-tuned.webhookBaseUrl" .) $values.loadTest.target) -}}
{{- if not (hasKey ($values.loadTest.env | default dict) "REQUEST") -}}
{{- $_ := set $entries "WORKLOAD" $values.loadTest.workload -}}
{{- if semverCompare "<1.0.0-0" (include "n8n-tuned.version" .) -}}
{{- $_ := set $entries "VARIANT" "legacy" -}}
{{- end -}}
{{- end -}}
{{- /* Go reads them beside those of the image. */ -}}
{{- if include "n8n-tuned.trustedFile" . -}}{{- $_ := set $entries "SSL_CERT_DIR" "/etc/n8n-tuned/trusted" -}}{{- end -}}
{{- $entries = mergeOverwrite $entries (deepCopy ($values.loadTest.env | default dict)) -}}
{{- with int $values.loadTest.parallelism -}}
{{- /* k6 shares virtual users out, and knows no requests. */ -}}
{{- if gt . 1 -}}{{- $_ := set $entries "SEGMENTS" . -}}{{- end -}}
{{- end -}}
{{- $list := list -}}
{{- range $name, $value := $entries -}}
{{- $list = append $list (include "n8n-tuned.envEntry" (dict "name" $name "value" $value) | fromYaml) -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}

{{/*
Variables as the operator's initializer takes them: it puts each value between double quotes into a line for sh, and an empty
one where there is valueFrom. Context: env.
*/}}
{{- define "n8n-tuned.initializerEnv" -}}
{{- $list := list -}}
{{- range . -}}
{{- if hasKey . "value" -}}
{{- $list = append $list (dict "name" .name "value" (regexReplaceAll "([\\\\\"$`])" .value "\\${1}")) -}}
{{- end -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}
