# shellcheck shell=bash disable=SC2034
kind=group
requires='node24 helm3 helm4 k6 images'
