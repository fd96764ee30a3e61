# shellcheck shell=bash disable=SC2034,SC2154
about='opens reports and n8n in the browser tests'
kind=apt
packages='chromium'
programs=chromium
