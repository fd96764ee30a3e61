#!/usr/bin/env bash
# Writes images that build.sh made as archives, which podman and docker load: $CACHE/images/NAME-TAG.tar.
set -euo pipefail
IMAGES_DIR=$(cd "$(dirname "$0")" && pwd)
. "$IMAGES_DIR/../cluster/settings.sh"

usage() {
  cat <<Y
usage: archive.sh NAME:TAG...     such as n8nio/n8n:$N8N_VERSION library/redis:$REDIS_IMAGE_TAG; prints the path of each archive
Y
}
case ${1-} in -h | --help | '') usage; exit 0 ;; esac

media=application/vnd.oci.image.manifest.v1+json
for image; do
  tag=$REGISTRY/tags/${image%:*}/${image##*:}
  [ -e "$tag" ] || mistake "there is no image $image: lab/images/build.sh makes images"
  archive=$CACHE/images/$(basename "${image%:*}")-${image##*:}.tar
  if [ ! "$archive" -nt "$tag" ]; then
    digest=$(<"$tag") work=$(mktemp -d "$CACHE/images/.new.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    manifest=$REGISTRY/blobs/sha256/${digest#sha256:}
    mkdir -p "$work/blobs/sha256"
    { echo "$digest"; jq -r '.config.digest, .layers[].digest' "$manifest"; } | sed 's/sha256://' |
      while read -r blob; do ln -f "$REGISTRY/blobs/sha256/$blob" "$work/blobs/sha256/" 2>/dev/null || cp "$REGISTRY/blobs/sha256/$blob" "$work/blobs/sha256/"; done
    jq -nc --arg t "$media" --arg d "$digest" --argjson s "$(stat -c %s "$manifest")" --arg n "docker.io/$image" \
      '{schemaVersion: 2, manifests: [{mediaType: $t, digest: $d, size: $s, platform: {architecture: "amd64", os: "linux"},
        annotations: {"io.containerd.image.name": $n, "org.opencontainers.image.ref.name": $n}}]}' >"$work/index.json"
    echo '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
    tar -C "$work" -cf "$archive.new" oci-layout index.json blobs
    mv "$archive.new" "$archive"
    rm -rf "$work"
  fi
  echo "$archive"
done
