# shellcheck shell=bash disable=SC2034,SC2154
about='checks manifests against the schemas of Kubernetes'
kind=go
version=$KUBECONFORM_VERSION
package=github.com/yannh/kubeconform/cmd/kubeconform
stamps="main.version=$version"
own_program=kubeconform own_version_argument=-v own_from=0.6.7 own_below=1.0.0
