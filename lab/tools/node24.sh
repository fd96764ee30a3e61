# shellcheck shell=bash disable=SC2034,SC2154
about='runs n8n 2 and the tests'
kind=node
version=$NODE24_VERSION
