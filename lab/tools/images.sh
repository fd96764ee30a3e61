# shellcheck shell=bash disable=SC2034
about='the images that its pods use'
kind=script
requires='n8n n8n-legacy k6 nginx postgresql17 cluster'
script=images/build.sh
contents=cluster/registry
