# shellcheck shell=bash disable=SC2034,SC2154
about='is the S3 server of the tests'
kind=go
version=$VERSITYGW_VERSION
package=github.com/versity/versitygw/cmd/versitygw
stamps="main.Version=$version"
lasts='about 5 min'
own_program=versitygw own_version_argument=--version own_from=1.8.0 own_below=2.0.0
