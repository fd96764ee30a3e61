# shellcheck shell=bash disable=SC2034,SC2154
about='tells Prometheus about PostgreSQL, for alerts on the cluster'
kind=go
version=$POSTGRES_EXPORTER_VERSION
package=github.com/prometheus-community/postgres_exporter/cmd/postgres_exporter
stamps="github.com/prometheus/common/version.Version=$version"
