# shellcheck shell=bash disable=SC2034,SC2154
about="n8n's database in queue mode"
kind=apt
packages='postgresql'
programs='postgres initdb pg_ctl'
