# shellcheck shell=bash disable=SC2034,SC2154
about='builds native modules'
kind=apt
packages='g++ make python3'
commands='g++ make python3'
