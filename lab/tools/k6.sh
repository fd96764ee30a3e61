# shellcheck shell=bash disable=SC2034,SC2154
about='makes the load'
kind=go
version=$K6_VERSION
package=go.k6.io/k6
stamps=
lasts='about 4 min'
own_program=k6 own_version_argument=version own_from=1.8.0 own_below=3.0.0
