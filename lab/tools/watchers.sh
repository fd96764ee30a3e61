# shellcheck shell=bash disable=SC2034
about='what Prometheus asks on the cluster, beside n8n'
kind=group
requires='prometheus kube-state-metrics redis_exporter postgres_exporter'
