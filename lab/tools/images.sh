# shellcheck shell=bash disable=SC2034
about='the images that its pods use'
kind=script
requires='n8n n8n-legacy k6 nginx cluster'
script=images/build.sh
contents=cluster/registry
