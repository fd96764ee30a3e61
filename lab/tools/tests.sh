# shellcheck shell=bash disable=SC2034
# What the tests need that need no cluster.
kind=group
requires='node24 node18 n8n n8n-legacy k6 helm3 helm4 helm-unittest kubeconform helm-docs versitygw redis postgresql nginx prometheus chromium shellcheck'
