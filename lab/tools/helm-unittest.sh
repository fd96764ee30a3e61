# shellcheck shell=bash disable=SC2034,SC2154
about='tests what the chart renders'
kind=go
version=$HELM_UNITTEST_VERSION
package=github.com/helm-unittest/helm-unittest/cmd/helm-unittest
# The second and third: without them Helm, within it, renders for Kubernetes 1.20.
stamps="github.com/helm-unittest/helm-unittest/internal/build.version=${version#v}
  helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1 helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=$(kubernetes_minor)"
lasts='about 2 min'
