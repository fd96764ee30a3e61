#!/bin/sh
# PROCESSES bare servers behind PORT, by what spreads the requests over them:
#   serve.sh one                                  a single process, and nothing before it
#   serve.sh cluster rr|none                      Node.js's cluster module: its master deals out connections, or the kernel
#   serve.sh nginx round_robin|least_conn         nginx before servers with ports of their own: by request
#   serve.sh iptables nth|random                  iptables before the same servers: by connection
# iptables is changed only in a network of its own, which measure.ts makes; rules of an earlier call go first.
# From lab/install.sh nginx iptables.
set -eu
by=$1
how=${2-}
here=$(dirname "$0")
cache=${N8N_TUNED_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/n8n-tuned}
PATH=$PATH:/usr/sbin:/sbin

fail() { echo "$*" >&2; exit 1; }
[ "$(readlink /proc/self/ns/net)" != "$(readlink /proc/1/ns/net || :)" ] ||
  fail 'this is the network of the machine: run it by n8n-tuned study balancing'
iptables -t nat -F OUTPUT

# port N: of the Nth server, from 1 on.
port() { echo $((PORT + $1)); }
ports() { for n in $(seq "$PROCESSES"); do port "$n"; done; }
serve() { PORT=$1 LISTENS_FILE=$TMPDIR/listens-$1 exec node "$here/server.cjs"; }
wait_for_all() { for one in $(ports); do until [ -e "$TMPDIR/listens-$one" ]; do sleep 0.05; done; done; }

# Each rule takes its share of what the rules before it have left.
spread_connections() {
  left=$PROCESSES
  for one in $(ports); do
    share=
    if [ "$left" -gt 1 ]; then
      case $how in
        nth) share="-m statistic --mode nth --every $left --packet 0" ;;
        random) share="-m statistic --mode random --probability $(awk "BEGIN { printf \"%.6f\", 1 / $left }")" ;;
        *) fail "iptables spreads by nth or random, not by '$how'" ;;
      esac
    fi
    # shellcheck disable=SC2086
    iptables -t nat -A OUTPUT -p tcp -d 127.0.0.1 --dport "$PORT" $share -j REDIRECT --to-ports "$one"
    left=$((left - 1))
  done
}

nginx_config() {
  cat <<END
daemon off;
# Root's nginx would hand its workers to a user that may not read this folder.
$([ "$(id -u)" != 0 ] || echo 'user root;')
worker_processes 1;
pid $TMPDIR/nginx.pid;
error_log stderr warn;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path $TMPDIR/body;
  proxy_temp_path $TMPDIR/proxy;
  fastcgi_temp_path $TMPDIR/fastcgi;
  uwsgi_temp_path $TMPDIR/uwsgi;
  scgi_temp_path $TMPDIR/scgi;
  # All requests of a client that keeps its connection.
  keepalive_requests 1000000;
  upstream servers {
    $([ "$how" != least_conn ] || echo 'least_conn;')
$(for one in $(ports); do echo "    server 127.0.0.1:$one;"; done)
    keepalive 256;
  }
  server {
    listen 127.0.0.1:$PORT backlog=4096;
    location / {
      proxy_http_version 1.1;
      proxy_set_header Connection '';
      proxy_pass http://servers;
    }
  }
}
END
}

case $by in
  one) exec node "$here/server.cjs" ;;
  cluster) NODE_CLUSTER_SCHED_POLICY=$how WORKERS=$PROCESSES exec node "$here/server.cjs" ;;
  nginx)
    for one in $(ports); do (serve "$one") & done
    wait_for_all
    nginx_config >"$TMPDIR/nginx.conf"
    exec "$cache/bin/nginx" -p "$TMPDIR" -c "$TMPDIR/nginx.conf" -e stderr
    ;;
  iptables)
    # The first server takes the place of this shell; what waits for all of them is nobody's child.
    (wait_for_all && spread_connections &)
    for n in $(seq 2 "$PROCESSES"); do (serve "$(port "$n")") & done
    serve "$(port 1)"
    ;;
  *) fail "nothing is called '$by' here: choose one of one, cluster, nginx, iptables" ;;
esac
