# shellcheck shell=bash disable=SC2034,SC2154
about='spreads connections over ports, in a network of its own'
kind=apt
packages='iptables iproute2 util-linux'
commands='iptables ip unshare'
only_linux_x64=yes
