# shellcheck shell=bash disable=SC2034,SC2154
about='balances over processes'
kind=apt
packages='nginx-light'
programs=nginx
