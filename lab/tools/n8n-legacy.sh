# shellcheck shell=bash disable=SC2034,SC2154
about='the last n8n that knows EXECUTIONS_PROCESS'
kind=n8n
version=$N8N_LEGACY_VERSION
node=node18
