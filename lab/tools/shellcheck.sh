# shellcheck shell=bash disable=SC2034
about='checks shell scripts'
kind=apt
packages=shellcheck
programs=shellcheck
