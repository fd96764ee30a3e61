# shellcheck shell=bash disable=SC2034,SC2154
about='the n8n that is loaded'
kind=n8n
version=$N8N_VERSION
node=node24
