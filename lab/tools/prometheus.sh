# shellcheck shell=bash disable=SC2034,SC2154
about='checks alerts, and runs the queries of dashboards'
kind=apt
packages='prometheus'
programs='promtool prometheus'
