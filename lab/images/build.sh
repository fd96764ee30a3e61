#!/usr/bin/env bash
# Makes the images that the native cluster pulls, each under the name and tag that the chart uses.
# An image is made anew only when something that goes into it changed.
set -euo pipefail
IMAGES_DIR=$(cd "$(dirname "$0")" && pwd)
. "$IMAGES_DIR/../cluster/settings.sh"
. "$IMAGES_DIR/layers.sh"
ALL=(busybox ingress k6 redis postgres postgres-old n8n runners n8n-legacy)
# Made only when named, since few tests need them: building KEDA takes about a quarter of an hour the first time.
RARE=(keda argocd flux k6-operator k6-starter n8n-tuned runners-python)

usage() {
  cat <<Y
usage: build.sh [NAME...]     makes images, by default ${ALL[*]}; made only when named: ${RARE[*]}

n8n, n8n-legacy, runners, k6, postgres and ingress are made from what the lab installed into $CACHE.
Y
}
case ${1-} in -h | --help) usage; exit 0 ;; esac
for name; do [[ " ${ALL[*]} ${RARE[*]} " == *" $name "* ]] || mistake "there is no image '$name': there are ${ALL[*]} ${RARE[*]}"; done
[ -z "${N8N_TUNED_OUTSIDE-}" ] || { outside "$IMAGES_DIR/build.sh" "$@"; exit; }
[ "$(id -u)" = 0 ] || mistake "images are made as root, with the right owners of their files: run this with sudo"

image() { "$CLUSTER_DIR/native/image.sh" "$@" >/dev/null; }
in_cache() { [ -e "$CACHE/$1" ] || mistake "$CACHE/$1 is not there: install the lab first"; }

# Each image has its inputs_NAME, which prints whatever decides its contents, and its make_NAME, which
# gets an empty folder for its layer.

inputs_busybox() { echo "$BUSYBOX_IMAGE_TAG"; }
busybox_layer() {
  need_packages busybox-static
  local applet
  mkdir -p "$1"/{bin,etc,tmp,var,home}
  chmod 1777 "$1/tmp"
  install -m 755 "$(command -v busybox)" "$1/bin/busybox"
  for applet in $(busybox --list); do [ "$applet" = busybox ] || ln -s busybox "$1/bin/$applet"; done
  printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n' >"$1/etc/passwd"
  printf 'root:x:0:\nnobody:x:65534:\n' >"$1/etc/group"
}
make_busybox() {
  busybox_layer "$1"
  image -c '["sh"]' "busybox:$BUSYBOX_IMAGE_TAG" "$1"
}

inputs_k6() { in_cache bin/k6; sha256sum <"$CACHE/bin/k6"; }
make_k6() {
  busybox_layer "$1"
  install -D -m 755 "$CACHE/bin/k6" "$1/usr/bin/k6"
  install -D -m 644 "$BASE/etc/ssl/certs/ca-certificates.crt" "$1/etc/ssl/certs/ca-certificates.crt"
  echo 'k6:x:12345:12345::/home/k6:/bin/sh' >>"$1/etc/passwd"
  install -d -o 12345 -g 12345 "$1/home/k6"
  image -e '["k6"]' -E HOME=/home/k6 -u 12345 -w /home/k6 "grafana/k6:$K6_IMAGE_TAG" "$1"
}

inputs_redis() { echo "$REDIS_IMAGE_TAG"; cat "$IMAGES_DIR/redis-entrypoint.sh"; }
make_redis() {
  add_packages "$1" redis-server
  rm -rf "$1"/etc/{init.d,systemd,default,logrotate.d} "$1/lib/systemd"
  add_user "$1" redis 999 /data
  add_script "$1" redis-entrypoint.sh docker-entrypoint.sh
  image -e '["docker-entrypoint.sh"]' -c '["redis-server"]' -E HOME=/data -u 999:999 -w /data -p 6379 "redis:$REDIS_IMAGE_TAG" "$BASE" "$1"
}

# postgres_image DIR TAG BIN...: with what Debian's PostgreSQL of POSTGRES_OLD_IMAGE_TAG brings, its clients at least.
postgres_image() {
  local dir=$1 tag=$2 old=$POSTGRES_OLD_IMAGE_TAG path
  shift 2
  path=$(printf '%s:' "$@")
  # Perl, Python and LLVM are for Debian's wrappers, for languages and for compiling queries: none is used.
  rm -rf "$dir"/usr/{lib,share}/{perl*,python*,llvm*} "$dir"/usr/lib/*/{perl*,libLLVM*} "$dir/usr/lib/postgresql/$old"/lib/{bitcode,llvmjit*} \
    "$dir"/etc/{init.d,cron.d,logrotate.d,perl} "$dir/lib/systemd" "$dir"/usr/bin/{perl*,pg_*,psql,createdb,dropdb,createuser,dropuser}
  add_user "$dir" postgres 999 /var/lib/postgresql
  install -d -o 999 -g 999 -m 700 "$dir/var/lib/postgresql/data"
  install -d -o 999 -g 999 -m 3777 "$dir/run/postgresql"
  install -d "$dir/docker-entrypoint-initdb.d"
  add_script "$dir" postgres-entrypoint.sh docker-entrypoint.sh
  # SIGINT, as in the official image: PostgreSQL ends its connections. With SIGTERM it waits until its clients have.
  image -e '["docker-entrypoint.sh"]' -c '["postgres"]' -s SIGINT -E LANG=C.UTF-8 -E HOME=/var/lib/postgresql -E "PATH=$path/usr/local/bin:/usr/bin:/bin" \
    -u 999:999 -w /var/lib/postgresql -p 5432 "postgres:$tag" "$BASE" "$dir"
}
inputs_postgres() { in_cache "postgresql/$POSTGRES_IMAGE_TAG/bin/postgres"; echo "$POSTGRES_IMAGE_TAG"; inputs_postgres-old; }
make_postgres() {
  local clients=$POSTGRES_OLD_IMAGE_TAG server=/usr/lib/postgresql/${POSTGRES_IMAGE_TAG%%.*}
  add_packages "$1" "postgresql-client-$clients"
  mkdir -p "$1$server"
  cp -a "$CACHE/postgresql/$POSTGRES_IMAGE_TAG"/{bin,lib,share} "$1$server/"
  postgres_image "$1" "$POSTGRES_IMAGE_TAG" "$server/bin" "/usr/lib/postgresql/$clients/bin"
}
inputs_postgres-old() { echo "$POSTGRES_OLD_IMAGE_TAG"; cat "$IMAGES_DIR/postgres-entrypoint.sh"; declare -f postgres_image; }
make_postgres-old() {
  local v=$POSTGRES_OLD_IMAGE_TAG
  add_packages "$1" "postgresql-$v" "postgresql-client-$v"
  postgres_image "$1" "$v" "/usr/lib/postgresql/$v/bin"
}

inputs_ingress() { in_cache "node/$NODE24_VERSION"; echo "$NODE24_VERSION"; cat "$CLUSTER_DIR"/ingress/*.ts; }
make_ingress() {
  add_packages "$1" nginx
  rm -rf "$1"/etc/{init.d,systemd,default,logrotate.d,ufw} "$1/lib/systemd" "$1/var/www"
  install -D -m 755 "$CACHE/node/$NODE24_VERSION/bin/node" "$1/usr/local/bin/node"
  mkdir -p "$1/opt/ingress"
  cp "$CLUSTER_DIR"/ingress/*.ts "$1/opt/ingress/"
  echo '{"type":"module"}' >"$1/opt/ingress/package.json"
  image -e '["tini", "--", "node", "/opt/ingress/main.ts"]' -E NODE_ENV=production -u 33:33 -p 8080 -p 8443 "$INGRESS_IMAGE" "$BASE" "$1"
}

# n8n_image DIR VERSION NODE_VERSION
n8n_image() {
  local modules=$CACHE/n8n/$2/node_modules to=$1/opt/n8n
  mkdir -p "$to" "$1/usr/local/bin"
  # Links, not copies: taking files out leaves the installed n8n as it is.
  cp -al "$modules" "$to/" 2>/dev/null || { rm -rf "$to/node_modules"; cp -a "$modules" "$to/"; }
  find "$to" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -iname 'readme*.md' -o -iname 'changelog*.md' \
    -o -name '*.tsbuildinfo' \) -delete
  install -m 755 "$CACHE/node/$3/bin/node" "$1/usr/local/bin/node"
  ln -s /opt/n8n/node_modules/n8n/bin/n8n "$1/usr/local/bin/n8n"
  add_script "$1" n8n-entrypoint.sh docker-entrypoint.sh
  add_user "$1" node 1000 /home/node
  install -d -o 1000 -g 1000 -m 700 "$1/home/node/.n8n"
  image -e '["tini", "--", "docker-entrypoint.sh"]' -E NODE_ENV=production -E HOME=/home/node -E N8N_RELEASE_TYPE=stable -E SHELL=/bin/sh \
    -u node -w /home/node -p 5678 "n8nio/n8n:$2" "$BASE" "$1"
}
n8n_inputs() { # n8n_inputs VERSION NODE_VERSION
  in_cache "node/$2/bin/node"
  in_cache "n8n/$1/node_modules/n8n/bin/n8n"
  # It is built last: without it the install was interrupted.
  compgen -G "$CACHE/n8n/$1/node_modules/sqlite3/build/Release/*.node" >/dev/null || mistake "n8n $1 in $CACHE is half installed: install the lab again"
  echo "$2"
  sha256sum <"$CACHE/n8n/$1/node_modules/.package-lock.json"
  cat "$IMAGES_DIR/n8n-entrypoint.sh"
  declare -f n8n_image
}
inputs_n8n() { n8n_inputs "$N8N_VERSION" "$NODE24_VERSION"; }
make_n8n() { n8n_image "$1" "$N8N_VERSION" "$NODE24_VERSION"; }
# n8n's own image of task runners cannot be had here: this one starts the real @n8n/task-runner of n8n's package by a
# launcher that stands in for the real one. It has JavaScript alone.
inputs_runners() { inputs_n8n; cat "$IMAGES_DIR"/task-runner-launcher.cjs "$IMAGES_DIR"/task-runners.json; }
make_runners() {
  runners_layer "$1"
  image -e '["tini", "--", "node", "/opt/runners/launcher.cjs"]' -c '["javascript"]' -E NODE_ENV=production -E SHELL=/bin/sh \
    -u 1000 -w /home/runner -p 5680 "n8nio/runners:$N8N_VERSION" "$BASE" "$1"
}
runners_layer() {
  local modules=$CACHE/n8n/$N8N_VERSION/node_modules to=$1/opt/runners
  mkdir -p "$to" "$1/usr/local/bin" "$1/etc"
  cp -al "$modules" "$to/" 2>/dev/null || { rm -rf "$to/node_modules"; cp -a "$modules" "$to/"; }
  # What the runner does not load.
  rm -rf "$to"/node_modules/{n8n,n8n-nodes-base,n8n-editor-ui} "$to"/node_modules/@n8n/{n8n-nodes-langchain,design-system,instance-ai,ai-workflow-builder}
  find "$to" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.tsbuildinfo' \) -delete
  install -m 755 "$CACHE/node/$NODE24_VERSION/bin/node" "$1/usr/local/bin/node"
  install -m 644 "$IMAGES_DIR/task-runner-launcher.cjs" "$to/launcher.cjs"
  install -m 644 "$IMAGES_DIR/task-runners.json" "$1/etc/n8n-task-runners.json"
  add_user "$1" runner 1000 /home/runner
}
# The same as n8n's own image of task runners, except for its base: n8n's launcher, built from its source, and n8n's runner for Python
# beside that for JavaScript. No registry of packages has either, so they come from their repositories.
RUNNER_SOURCES=$WORK/runner-sources
runner_source() { # runner_source FOLDER URL TAG [PATH]: into $RUNNER_SOURCES/FOLDER, unless it is there
  local to=$RUNNER_SOURCES/$1 url=$2 tag=$3 path=${4-.}
  [ -d "$to" ] && return
  rm -rf "$to.new"
  git clone --quiet --depth 1 --filter=blob:none --sparse --branch "$tag" "$url" "$to.new" 2>"$WORK/git.log" &&
    git -C "$to.new" sparse-checkout set --no-cone "/$path/" 2>>"$WORK/git.log" ||
    { rm -rf "$to.new"; mistake "the source of $1 cannot be had from $url: put the folder $path of $tag into $to"; }
  mv "$to.new/$path" "$to"
  rm -rf "$to.new"
}
python_3_13() { # its folder, wherever this machine has it
  local program
  for program in python3.13 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.13.*/bin/python3.13; do
    "$program" -c 'import sys; print(sys.base_prefix)' 2>/dev/null && return
  done
  mistake "n8n's runner for Python needs Python 3.13: install python3.13"
}
inputs_runners-python() { inputs_runners; echo "$RUNNER_LAUNCHER_VERSION $PYTHON_RUNNER_VERSION $PYTHON_RUNNER_WEBSOCKETS_VERSION"; python_3_13; declare -f make_runners; }
make_runners-python() {
  local launcher=launcher-$RUNNER_LAUNCHER_VERSION python=python-$PYTHON_RUNNER_VERSION from to=$1/opt/runners/task-runner-python
  from=$(python_3_13)
  runner_source "$launcher" https://github.com/n8n-io/task-runner-launcher "$RUNNER_LAUNCHER_VERSION"
  runner_source "$python" https://github.com/n8n-io/n8n "n8n@$PYTHON_RUNNER_VERSION" packages/@n8n/task-runner-python
  runners_layer "$1"
  rm "$1/opt/runners/launcher.cjs"
  CGO_ENABLED=0 GOFLAGS='-buildvcs=false -trimpath -mod=readonly' go -C "$RUNNER_SOURCES/$launcher" build -ldflags '-s -w' \
    -o "$1/usr/local/bin/task-runner-launcher" ./cmd/launcher
  mkdir -p "$to"/{bin,lib}
  cp "$from/bin/python3.13" "$to/bin/"
  cp -a "$from"/lib/libpython3*.so* "$to/lib/" 2>/dev/null || true
  cp -a "$from/lib/python3.13" "$to/lib/"
  rm -rf "$to"/lib/python3.13/{test,idlelib,ensurepip,turtledemo,tkinter,config-*} "$to"/lib/python3.13/site-packages/*
  "$from/bin/python3.13" -m pip install --quiet --target "$to/lib/python3.13/site-packages" \
    "websockets==$PYTHON_RUNNER_WEBSOCKETS_VERSION" >"$WORK/pip.log" 2>&1 || fail "websockets could not be installed: see $WORK/pip.log"
  cp -a "$RUNNER_SOURCES/$python/src" "$to/lib/python3.13/site-packages/"
  find "$to" -name __pycache__ -prune -exec rm -rf {} +
  image -e '["tini", "--", "/usr/local/bin/task-runner-launcher"]' -c '["javascript", "python"]' -E NODE_ENV=production -E SHELL=/bin/sh \
    -u 1000 -w /home/runner -p 5680 "n8nio/runners:$N8N_VERSION-python" "$BASE" "$1"
}
# KEDA's operator and its metrics server, built from its Go module under the names of its own images.
KEDA_MODULE=$CLUSTER_DIR/keda
inputs_keda() { echo "$KEDA_VERSION"; cat "$KEDA_MODULE"/go.{mod,sum}; }
make_keda() {
  local k=github.com/kedacore/keda/v2 version=${KEDA_VERSION#v}
  grep -q "$k $KEDA_VERSION" "$KEDA_MODULE/go.mod" ||
    mistake "lab/versions.env wants KEDA $KEDA_VERSION, lab/cluster/keda/go.mod does not: run go get -tool in that folder"
  mkdir -p "$1"/{built,operator,adapter}
  # One package at a time: some clients of clouds among them need gigabytes to compile.
  CGO_ENABLED=0 GOFLAGS='-buildvcs=false -trimpath -mod=readonly -p=1' go -C "$KEDA_MODULE" build \
    -ldflags "-s -w -X $k/version.Version=$version" -o "$1/built/" $k/cmd/operator $k/cmd/adapter
  mv "$1/built/operator" "$1/operator/keda"
  mv "$1/built/adapter" "$1/adapter/keda-adapter"
  image -e '["/keda"]' -u 65532:65532 -p 9666 "$KEDA_IMAGE" "$1/operator"
  image -e '["/keda-adapter"]' -u 65532:65532 -p 6443 "$KEDA_ADAPTER_IMAGE" "$1/adapter"
}
# Argo CD, one program for all its components, built from its Go module under the name of its own image, with the Helm that it
# renders charts by.
ARGOCD_MODULE=$CLUSTER_DIR/argocd
inputs_argocd() { in_cache bin/helm3; sha256sum <"$CACHE/bin/helm3"; echo "$ARGOCD_IMAGE"; cat "$ARGOCD_MODULE"/go.{mod,sum}; }
make_argocd() {
  local k=github.com/argoproj/argo-cd/v3 name
  grep -q "$k $ARGOCD_VERSION" "$ARGOCD_MODULE/go.mod" ||
    mistake "lab/versions.env wants Argo CD $ARGOCD_VERSION, lab/cluster/argocd/go.mod does not: run go get -tool in that folder"
  mkdir -p "$1/usr/local/bin"
  CGO_ENABLED=0 GOFLAGS='-buildvcs=false -trimpath -mod=readonly' go -C "$ARGOCD_MODULE" build -ldflags '-s -w' \
    -o "$1/usr/local/bin/argocd" $k/cmd
  for name in repo-server application-controller; do ln -s argocd "$1/usr/local/bin/argocd-$name"; done
  install -m 755 "$CACHE/bin/helm3" "$1/usr/local/bin/helm"
  image -u 999:999 "$ARGOCD_IMAGE" "$BASE" "$1"
}
# Flux's controllers of sources and of Helm, each built from its Go module under the name of its own image.
FLUX_MODULES=$CLUSTER_DIR/flux
inputs_flux() { echo "$SOURCE_CONTROLLER_IMAGE $HELM_CONTROLLER_IMAGE"; cat "$FLUX_MODULES"/{source,helm}-controller/go.{mod,sum}; }
make_flux() {
  local name version
  for name in source-controller helm-controller; do
    version=${name^^}
    version=${version//-/_}_VERSION
    version=${!version}
    grep -q "github.com/fluxcd/$name $version" "$FLUX_MODULES/$name/go.mod" ||
      mistake "lab/versions.env wants $name $version, lab/cluster/flux/$name/go.mod does not: run go get -tool in that folder"
    mkdir -p "$1/$name"
    CGO_ENABLED=0 GOFLAGS='-buildvcs=false -trimpath -mod=readonly' go -C "$FLUX_MODULES/$name" build -ldflags '-s -w' \
      -o "$1/$name/$name" "github.com/fluxcd/$name"
    install -d -m 1777 "$1/$name/tmp"
    image -e "[\"/$name\"]" -u 65532:65532 "ghcr.io/fluxcd/$name:$version" "$1/$name"
  done
}
# The k6-operator, built from its Go module, and what it starts generators with: sh and curl. Both under the names of its own
# images.
K6_OPERATOR_MODULE=$CLUSTER_DIR/k6-operator
inputs_k6-operator() { echo "$K6_OPERATOR_IMAGE"; cat "$K6_OPERATOR_MODULE"/go.{mod,sum}; }
make_k6-operator() {
  local k=github.com/grafana/k6-operator
  grep -q "$k $K6_OPERATOR_VERSION" "$K6_OPERATOR_MODULE/go.mod" ||
    mistake "lab/versions.env wants k6-operator $K6_OPERATOR_VERSION, lab/cluster/k6-operator/go.mod does not: run go get -tool in that folder"
  CGO_ENABLED=0 GOFLAGS='-buildvcs=false -trimpath -mod=readonly' go -C "$K6_OPERATOR_MODULE" build -ldflags '-s -w' -o "$1/manager" $k/cmd
  image -e '["/manager"]' -u 65532:65532 "$K6_OPERATOR_IMAGE" "$1"
}
inputs_k6-starter() { echo "$K6_STARTER_IMAGE"; }
make_k6-starter() {
  add_packages "$1" curl
  image -c '["sh"]' -u 65532:65532 "$K6_STARTER_IMAGE" "$BASE" "$1"
}
# The command from its package, which is unpacked: the same as cli/Dockerfile makes.
COMMAND_DIR=$IMAGES_DIR/../../cli
command_version() { sed -n 's/^  "version": "\(.*\)",$/\1/p' "$COMMAND_DIR/package.json"; }
inputs_n8n-tuned() {
  local root=$COMMAND_DIR/..
  in_cache "node/$NODE24_VERSION/bin/node"
  in_cache bin/helm3
  [ -e "$root/node_modules/esbuild" ] || mistake "the npm packages are missing: run make setup"
  sha256sum <"$CACHE/bin/k6"
  sha256sum <"$CACHE/bin/helm3"
  cat "$COMMAND_DIR"/{package.json,bundle.ts,pack.ts} "$root/package-lock.json"
  # What the chart carries of the other folders is built when the command is packed.
  local built='/(n8n-load/files/(load-target|loadtests|workflows)/|n8n-tuned/files/recover\.cjs)'
  find "$COMMAND_DIR/src" "$root"/{charts,nodes,workflows,loadtests} -type f -print0 | grep -zvE "$built" | sort -z | xargs -0 sha256sum | cut -d' ' -f1
}
make_n8n-tuned() {
  local node=$CACHE/node/$NODE24_VERSION/bin to=$1/opt/n8n-tuned packed=$1/packed
  mkdir -p "$to" "$1/usr/local/bin"
  PATH=$node:$PATH "$COMMAND_DIR/../node_modules/.bin/tsx" "$COMMAND_DIR/pack.ts" "$packed" >/dev/null
  tar -xzf "$packed"/*.tgz -C "$to" --strip-components=1 --no-same-owner
  rm -rf "$packed"
  install -m 755 "$node/node" "$CACHE/bin/k6" "$1/usr/local/bin/"
  install -m 755 "$CACHE/bin/helm3" "$1/usr/local/bin/helm"
  ln -s /opt/n8n-tuned/dist/cli.js "$1/usr/local/bin/n8n-tuned"
  add_user "$1" node 1000 /home/node
  install -d -o 1000 -g 1000 "$1/data"
  image -e '["n8n-tuned"]' -c '["--help"]' -E NODE_ENV=production -E HOME=/home/node -u 1000 -w /data \
    "n8n-tuned/n8n-tuned:$(command_version)" "$BASE" "$1"
}
inputs_n8n-legacy() { n8n_inputs "$N8N_LEGACY_VERSION" "$NODE18_VERSION"; }
make_n8n-legacy() { n8n_image "$1" "$N8N_LEGACY_VERSION" "$NODE18_VERSION"; }

# fresh NAME SUM: made from these inputs, and still where the cluster pulls it from.
fresh() { [ "$(cat "$WORK/.stamp/$1" 2>/dev/null)" = "$2" ]; }
stamped() { # stamped NAME SUM COMMAND...: runs COMMAND unless it ran for these inputs
  local name=$1 sum=$2 start=$EPOCHREALTIME kind=warm
  shift 2
  fresh "$name" "$sum" && return
  [ -e "$WORK/.stamp/$name" ] || kind=cold
  note "making the image $name"
  rm -f "$WORK/.stamp/$name"
  "$@"
  echo "$sum" >"$WORK/.stamp/$name"
  record "image-$name" "$(seconds_since "$start")" "$kind"
  note "made the image $name in $(seconds_since "$start") s"
}
make() { # make NAME: in a folder that does not outlive it
  rm -rf "$WORK/layer"
  mkdir -p "$WORK/layer"
  chmod 755 "$WORK/layer"
  "make_$1" "$WORK/layer"
  rm -rf "$WORK/layer"
}
hash() { sha256sum | cut -d' ' -f1; }

umask 022
mkdir -p "$WORK/.stamp"
exec 6>"$WORK/build.lock"
flock -n 6 || { note "images are being made already: waiting for it"; flock 6; }
renice -n 10 $$ >/dev/null
base_sum=$({ echo "$DEBIAN $BASE_PACKAGES"; declare -f make_base strip_documents; } | hash)
[ -d "$BASE" ] || rm -f "$WORK/.stamp/base"
stamped base "$base_sum" make_base
[ $# -gt 0 ] || set -- "${ALL[@]}"
for name; do
  inputs=$("inputs_$name")
  stamped "$name" "$({ echo "$base_sum"; echo "$inputs"; declare -f "make_$name" image busybox_layer runners_layer unpack_packages add_user; cat "$CLUSTER_DIR/native/image.sh"; } | hash)" make "$name"
done

# Blobs that no name leads to any more are of images that were made anew.
used=$(find "$REGISTRY/tags" -type f -exec cat {} + | sed 's/sha256://' | sort -u |
  while read -r manifest; do echo "$manifest"; jq -r '.config.digest, .layers[].digest' "$REGISTRY/blobs/sha256/$manifest" | sed 's/sha256://'; done)
find "$REGISTRY/blobs/sha256" -type f -printf '%f\n' | grep -vxFf <(echo "$used") | while read -r blob; do rm "$REGISTRY/blobs/sha256/$blob"; done || true
