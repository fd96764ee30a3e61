# shellcheck shell=bash disable=SC2034,SC2154
about='runs n8n below 1.0'
kind=node
version=$NODE18_VERSION
