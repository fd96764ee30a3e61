# shellcheck shell=bash disable=SC2034,SC2154
about='keeps Node.js servers running, for studies/cluster-loop'
kind=npm-program
version=$PM2_VERSION
programs='pm2 pm2-runtime'
