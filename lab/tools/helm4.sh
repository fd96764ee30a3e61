# shellcheck shell=bash disable=SC2034,SC2154
about='installs the chart by server-side apply'
kind=go
version=$HELM4_VERSION
package=helm.sh/helm/v4/cmd/helm
stamps="helm.sh/helm/v4/internal/version.version=$version"
lasts='about 2 min'
own_program=helm own_version_argument='version --short' own_from=4.0.0 own_below=5.0.0
