#!/usr/bin/env bash
# Makes an OCI image out of folders, one layer a folder, and puts it where the cluster's node pulls
# from (every registry's name leads there), or with -o into an archive. Owners and modes are taken
# as they are; times are not, so that equal contents make an equal image.
set -euo pipefail
. "$(dirname "$0")/../settings.sh"
usage='image.sh [-e ENTRYPOINT_JSON] [-c COMMAND_JSON] [-E KEY=VALUE]... [-u USER] [-w WORKDIR] [-p PORT]... [-s STOP_SIGNAL] [-o ARCHIVE] NAME[:TAG] DIR...'
entrypoint=null command=null user='' workdir=/ archive='' stop='' ports='{}'
env='["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]'
while getopts e:c:E:u:w:p:s:o: option; do
  case $option in
    e) entrypoint=$OPTARG ;;
    c) command=$OPTARG ;;
    u) user=$OPTARG ;;
    w) workdir=$OPTARG ;;
    s) stop=$OPTARG ;;
    o) archive=$OPTARG ;;
    E) env=$(jq -c --arg v "$OPTARG" '. + [$v]' <<<"$env") ;;
    p) ports=$(jq -c --arg v "$OPTARG/tcp" '.[$v] = {}' <<<"$ports") ;;
    *) mistake "usage: $usage" ;;
  esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || mistake "usage: $usage"

# The name in full, as the container runtime writes it: HOST/REPOSITORY:TAG.
name=$1
shift
case ${name##*/} in *:*) ;; *) name=$name:latest ;; esac
case $name in
  */*) case ${name%%/*} in *.* | *:* | localhost) ;; *) name=docker.io/$name ;; esac ;;
  *) name=docker.io/library/$name ;;
esac
repository=${name#*/} tag=${name##*:}
repository=${repository%:*}

mkdir -p "$REGISTRY/blobs/sha256"
work=$(mktemp -d "$REGISTRY/.new.XXXXXX")
trap 'rm -rf "$work"' EXIT
blobs=$REGISTRY/blobs/sha256
[ -z "$archive" ] || { blobs=$work/blobs/sha256; mkdir -p "$blobs"; }

# put FILE MEDIA_TYPE: moves it among the blobs and prints its descriptor.
put() {
  local hash size
  hash=$(sha256sum "$1" | cut -d' ' -f1)
  size=$(stat -c %s "$1")
  mv "$1" "$blobs/$hash"
  jq -nc --arg t "$2" --arg d "sha256:$hash" --argjson s "$size" '{mediaType: $t, digest: $d, size: $s}'
}
oci=application/vnd.oci.image
layers='[]'
for dir; do
  tar --sort=name --mtime=@0 --numeric-owner -C "$dir" -cf "$work/layer" .
  layers=$(jq -c --argjson l "$(put "$work/layer" $oci.layer.v1.tar)" '. + [$l]' <<<"$layers")
done
jq -nc --argjson e "$entrypoint" --argjson c "$command" --argjson env "$env" --argjson p "$ports" --arg u "$user" \
  --arg w "$workdir" --arg s "$stop" --argjson l "$layers" \
  '{architecture: "amd64", os: "linux", rootfs: {type: "layers", diff_ids: [$l[].digest]},
    config: ({Env: $env, Entrypoint: $e, Cmd: $c, User: $u, WorkingDir: $w, ExposedPorts: $p}
      + if $s == "" then {} else {StopSignal: $s} end)}' >"$work/config"
jq -nc --argjson c "$(put "$work/config" $oci.config.v1+json)" --argjson l "$layers" --arg t $oci.manifest.v1+json \
  '{schemaVersion: 2, mediaType: $t, config: $c, layers: $l}' >"$work/manifest"
manifest=$(put "$work/manifest" $oci.manifest.v1+json)

if [ -n "$archive" ]; then
  jq -nc --argjson m "$manifest" --arg n "$name" --arg g "$tag" --arg t $oci.index.v1+json \
    '{schemaVersion: 2, mediaType: $t, manifests: [$m + {platform: {architecture: "amd64", os: "linux"},
      annotations: {"io.containerd.image.name": $n, "org.opencontainers.image.ref.name": $g}}]}' >"$work/index.json"
  echo '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
  tar -C "$work" -cf "$archive" oci-layout index.json blobs
else
  mkdir -p "$REGISTRY/tags/$repository"
  jq -r .digest <<<"$manifest" >"$work/tag"
  mv "$work/tag" "$REGISTRY/tags/$repository/$tag"
  # A node that has pulled this name before pulls it again.
  if find_init; then "$BIN/ctr" -a "$CONTAINERD_SOCKET" -n k8s.io images rm "$name" >/dev/null 2>&1 || true; fi
  echo "$name"
fi
