{{/*
What the chart's alerts and dashboards select by: the release, and the role of a process, which is `worker` in every pool
and `webhook` in the processor for MCP. Context: root.
*/}}
{{- define "n8n-tuned.monitorRelabelings" -}}
- sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
  targetLabel: component
- sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
  regex: (main|worker|webhook)(-.+)?
  replacement: $1
  targetLabel: role
- sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_component]
  regex: mcp
  replacement: webhook
  targetLabel: role
- sourceLabels: [__meta_kubernetes_pod_label_app_kubernetes_io_instance]
  targetLabel: release
{{- end -}}
