# shellcheck shell=bash disable=SC2034,SC2154
about="writes the chart's README from its values"
kind=go
version=$HELM_DOCS_VERSION
package=github.com/norwoodj/helm-docs/cmd/helm-docs
stamps="main.version=${version#v}"
# What it writes is committed, so only this very version will do.
own_program=helm-docs own_version_argument=--version own_from=${version#v} own_below=${version#v}.1
