# shellcheck shell=bash disable=SC2034,SC2154
about='tells Prometheus the state of pods, for alerts on the cluster'
kind=go
version=$KUBE_STATE_METRICS_VERSION
package=k8s.io/kube-state-metrics/v2
stamps="github.com/prometheus/common/version.Version=$version"
lasts='about 3 min'
