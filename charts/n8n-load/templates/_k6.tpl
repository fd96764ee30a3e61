{{/* k6 and its scripts, for the load test. */}}

{{/*
Suffix of the load test's name: what ran cannot be changed or run again, so another load test is another object. Tools that
only render never count the revision up: all that the pods are made of is in the name.
*/}}
{{- define "n8n-load.loadTestName" -}}
{{- $hash := list (include "n8n-load.k6Pod" .) (include "n8n-load.podMetadata" .) .Values.loadTest.parallelism (include "n8n-load.k6Files" .) (include "n8n-load.version" .) .Release.Revision | toJson | sha256sum | trunc 8 -}}
load-test-{{ $hash }}
{{- end -}}

{{/* The script of the chosen profile, what all profiles share, and the workloads, as `items`: key, path (under files/). */}}
{{- define "n8n-load.k6Sources" -}}
items:
  - key: {{ .Values.loadTest.profile }}.js
    path: loadtests/{{ .Values.loadTest.profile }}.js
  - key: shared.js
    path: loadtests/lib/shared.js
  - key: catalogue.json
    path: workflows/catalogue.json
{{- end -}}

{{/* data of the ConfigMap. */}}
{{- define "n8n-load.k6Files" -}}
{{- $data := dict -}}
{{- range (include "n8n-load.k6Sources" . | fromYaml).items -}}
{{- $text := $.Files.Get (printf "files/%s" .path) -}}
{{- /* Compact, for nobody reads it here. */ -}}
{{- $_ := set $data .key (hasSuffix ".json" .key | ternary ($text | fromJson | toJson) $text) -}}
{{- end -}}
{{- toYaml $data -}}
{{- end -}}

{{/* The spec of a pod of k6. Context: root. */}}
{{- define "n8n-load.k6Pod" -}}
{{- $test := .Values.loadTest -}}
{{- $trusted := .Values.trustedCertificates -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with include "n8n-load.imagePullSecrets" . }}
{{- . | nindent 0 }}
{{- end }}
{{- range $key := list "nodeSelector" "affinity" "tolerations" }}
{{- with get $test $key }}
{{ $key }}: {{ toJson . }}
{{- end }}
{{- end }}
securityContext:
  {{- toYaml $test.podSecurityContext | nindent 2 }}
containers:
  - name: k6
    image: {{ include "n8n-load.image" (dict "context" . "image" $test.image) | quote }}
    imagePullPolicy: {{ $test.pullPolicy }}
    args: [run, --no-usage-report, /k6/loadtests/{{ $test.profile }}.js]
    env:
      {{- include "n8n-load.k6Env" . | nindent 6 }}
    resources:
      {{- toYaml $test.resources | nindent 6 }}
    securityContext:
      {{- toYaml $test.securityContext | nindent 6 }}
    volumeMounts:
      - name: scripts
        mountPath: /k6
        readOnly: true
      - name: tmp
        mountPath: /tmp
      {{- if include "n8n-load.isTrusting" . }}
      - name: trusted-certificates
        mountPath: /etc/n8n-tuned/trusted
        readOnly: true
      {{- end }}
volumes:
  - name: tmp
    emptyDir: { sizeLimit: 10Gi }
  - name: scripts
    configMap:
      name: {{ include "n8n-load.fullname" . }}-load-test
      {{- include "n8n-load.k6Sources" . | nindent 6 }}
  {{- if $trusted.existingSecret }}
  - name: trusted-certificates
    secret: { secretName: {{ $trusted.existingSecret | quote }} }
  {{- else if $trusted.existingConfigMap }}
  - name: trusted-certificates
    configMap: { name: {{ $trusted.existingConfigMap | quote }} }
  {{- end }}
{{- end -}}

{{- define "n8n-load.isTrusting" -}}
{{- with .Values.trustedCertificates -}}{{- if or .existingSecret .existingConfigMap -}}true{{- end -}}{{- end -}}
{{- end -}}

{{/* loadTest.env wins by name. */}}
{{- define "n8n-load.k6Env" -}}
{{- $test := .Values.loadTest -}}
{{- /* READY: n8n may still be pulling its image and migrating. */ -}}
{{- $entries := dict "HOME" "/tmp" "READY" "600s" "BASE_URL" (tpl .Values.target .) -}}
{{- if not (hasKey $test.env "REQUEST") -}}
{{- $_ := set $entries "WORKLOAD" $test.workload -}}
{{- if semverCompare "<1.0.0-0" (include "n8n-load.version" .) -}}{{- $_ := set $entries "VARIANT" "legacy" -}}{{- end -}}
{{- end -}}
{{- /* Go reads them beside those of the image. */ -}}
{{- if include "n8n-load.isTrusting" . -}}{{- $_ := set $entries "SSL_CERT_DIR" "/etc/n8n-tuned/trusted" -}}{{- end -}}
{{- $entries = mergeOverwrite $entries (deepCopy $test.env) -}}
{{- /* k6 shares virtual users out, and knows no requests. */ -}}
{{- with int $test.parallelism -}}{{- if gt . 1 -}}{{- $_ := set $entries "SEGMENTS" . -}}{{- end -}}{{- end -}}
{{- $list := list -}}
{{- range $name, $value := $entries -}}
{{- if kindIs "map" $value -}}
{{- $list = append $list (merge (dict "name" $name) $value) -}}
{{- else -}}
{{- $text := toString $value -}}
{{- if kindIs "float64" $value -}}{{- if eq $value (floor $value) -}}{{- $text = toString (int64 $value) -}}{{- end -}}{{- end -}}
{{- $list = append $list (dict "name" $name "value" $text) -}}
{{- end -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}

{{/*
Variables as the operator's initializer takes them: it puts each value between double quotes into a line for sh, and an empty
one where there is valueFrom. Context: env.
*/}}
{{- define "n8n-load.initializerEnv" -}}
{{- $list := list -}}
{{- range . -}}
{{- if hasKey . "value" -}}
{{- $list = append $list (dict "name" .name "value" (regexReplaceAll "([\\\\\"$`])" .value "\\${1}")) -}}
{{- end -}}
{{- end -}}
{{- toYaml $list -}}
{{- end -}}
