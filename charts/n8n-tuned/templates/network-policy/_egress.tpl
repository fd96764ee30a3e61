{{/* Where n8n, and the pods beside it, may reach: rules of NetworkPolicies. */}}

{{/*
How main reaches a store, as `own` (it is the chart's), `ports` (of one that is not) and `isUnknown` (a Secret or a file says
which). Dict: context, store (database, redis).
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
{{- with $egress.to }}
{{ toYaml . }}
{{- end }}
{{- else }}
# Everything but where clouds give credentials. DNS may have an address of the link.
- to:
    # Some networks take pods for no address of a block.
    - namespaceSelector: {}
    - ipBlock:
        cidr: 0.0.0.0/0
        except: [100.100.100.200/32, 168.63.129.16/32, 169.254.169.254/32, 169.254.170.2/32, 169.254.170.23/32, 192.0.0.192/32]
    - ipBlock: { cidr: '::/0', except: ['fd00:ec2::23/128', 'fd00:ec2::254/128'] }
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
