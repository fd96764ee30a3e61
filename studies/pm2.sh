#!/bin/sh
# A server under PM2, from `lab/install.sh pm2`:
#   pm2.sh server.cjs          fork mode, one process
#   pm2.sh server.cjs -i 2     cluster mode, two processes
# PM2 keeps its own files in PM2_HOME_OF_STUDY, by which it can also be asked from outside, or else in TMPDIR, which is
# removed with the server. It asks nobody for its latest version.
cache=${N8N_TUNED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/n8n-tuned}
pm2=$cache/bin/pm2-runtime
[ -x "$pm2" ] || { echo "PM2 is not installed: run lab/install.sh pm2" >&2; exit 1; }
PM2_HOME=${PM2_HOME_OF_STUDY:-${TMPDIR:-/tmp}/pm2} PM2_DISABLE_VERSION_CHECK=true exec "$pm2" start "$@"
