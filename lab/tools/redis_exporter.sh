# shellcheck shell=bash disable=SC2034,SC2154
about='tells Prometheus about Redis, for alerts on the cluster'
kind=go
version=$REDIS_EXPORTER_VERSION
package=github.com/oliver006/redis_exporter
stamps="main.BuildVersion=$version"
