# shellcheck shell=bash disable=SC2034,SC2154
about='carries the queue'
kind=apt
packages='redis-server'
programs=redis-server
