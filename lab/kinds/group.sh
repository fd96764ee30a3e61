# shellcheck shell=bash disable=SC2034
# Nothing of its own: the tools that it requires.
