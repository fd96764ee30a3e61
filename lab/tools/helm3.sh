# shellcheck shell=bash disable=SC2034,SC2154
about='installs the chart; the line that most clusters are run with'
kind=go
version=$HELM3_VERSION
package=helm.sh/helm/v3/cmd/helm
# Without them Helm renders for Kubernetes 1.20.
stamps="helm.sh/helm/v3/internal/version.version=$version
  helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=$(kubernetes_minor)
  helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor=1 helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor=$(kubernetes_minor)"
lasts='about 4 min'
own_program=helm own_version_argument='version --short' own_from=3.18.0 own_below=4.0.0
