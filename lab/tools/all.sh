# shellcheck shell=bash disable=SC2034
kind=group
requires=$(own_tools)
