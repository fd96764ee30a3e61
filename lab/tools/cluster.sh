# shellcheck shell=bash disable=SC2034
about='a real Kubernetes of one node'
kind=script
script='cluster/cluster build'
contents='cluster/bin/kube-apiserver cluster/bin/containerd'
