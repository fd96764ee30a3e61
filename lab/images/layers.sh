# shellcheck shell=bash disable=SC2034
# What layers of images are made of: Debian's packages, taken from where this machine's apt takes them.
WORK=$CACHE/images
BASE=$WORK/base
BASE_PACKAGES=ca-certificates,openssl,procps,tini
DEBIAN=bookworm

# What runs nothing, and so is in no image.
strip_documents() { rm -rf "$1"/usr/share/{doc,man,info,lintian,linda,locale,bug} "$1"/var/{log,cache}/*; }

apt_lists() {
  compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || apt-get update -o DPkg::Lock::Timeout=600 >"$WORK/apt.log" 2>&1 || fail "apt-get update failed: see $WORK/apt.log"
}
need_packages() { # need_packages NAME...: on this machine
  local package missing=()
  for package; do dpkg -s "$package" >/dev/null 2>&1 || missing+=("$package"); done
  [ ${#missing[@]} = 0 ] && return
  note "installing Debian's ${missing[*]}"
  { apt-get update -o DPkg::Lock::Timeout=600 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "${missing[@]}"; } >"$WORK/apt.log" 2>&1 ||
    fail "could not install ${missing[*]}: see $WORK/apt.log"
}

# make_base: a smallest Debian, the layer beneath most images.
make_base() {
  local mirror
  need_packages debootstrap
  apt_lists
  # shellcheck disable=SC2016
  mirror=$(apt-get indextargets --format '$(CODENAME) $(REPO_URI)' 'Created-By: Packages' | awk -v c=$DEBIAN '$1 == c { print $2; exit }')
  [ -n "$mirror" ] || mistake "the images are made of Debian 12 ($DEBIAN), which this machine's apt does not know: add it to apt's sources"
  rm -rf "$BASE" "$BASE.new" "$WORK/packages"
  debootstrap --variant=minbase --include=$BASE_PACKAGES $DEBIAN "$BASE.new" "$mirror" >"$WORK/debootstrap.log" 2>&1 ||
    { rm -rf "$BASE.new"; fail "debootstrap failed: see $WORK/debootstrap.log"; }
  strip_documents "$BASE.new"
  rm -rf "$BASE.new/etc/apt/sources.list" "$BASE.new"/var/lib/apt/lists/* "$BASE.new"/{dev,proc,sys}/* "$BASE.new"/etc/{machine-id,hostname,resolv.conf}
  chmod 755 "$BASE.new"
  mv "$BASE.new" "$BASE"
}

# unpack_packages DIR NAME...: Debian's packages, and what they need beyond the base. Their install scripts do
# not run: an image needs the files only.
unpack_packages() {
  local dir=$1 debs=$WORK/debs deb
  shift
  apt_lists
  rm -rf "$debs"
  mkdir -p "$debs/partial" "$dir"/usr/{bin,sbin,lib,lib64}
  # The same links as in the base, or their folders would hide the base's links of the same names.
  ln -s usr/bin usr/sbin usr/lib usr/lib64 "$dir"
  apt-get install -y --download-only --no-install-recommends -o Debug::NoLocking=1 \
    -o Dir::State::status="$BASE/var/lib/dpkg/status" -o Dir::Cache::archives="$debs" "$@" >"$WORK/apt.log" 2>&1 ||
    fail "could not get Debian's $*: see $WORK/apt.log"
  for deb in "$debs"/*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$dir"; done
  rm -rf "$debs"
  strip_documents "$dir"
}

# add_packages DIR NAME...: the same, kept for the next time as long as the base stays.
add_packages() {
  local dir=$1 kept
  shift
  kept=$WORK/packages/$(printf '%s_' "$@")
  if [ ! -d "$kept" ]; then
    rm -rf "$kept.new"
    mkdir -p "$kept.new"
    unpack_packages "$kept.new" "$@"
    mv "$kept.new" "$kept"
  fi
  cp -al "$kept/." "$dir"
}

# add_user DIR NAME ID HOME: a user beside the base's own, with a home of its own.
add_user() {
  mkdir -p "$1/etc" "$1$4"
  { cat "$BASE/etc/passwd"; echo "$2:x:$3:$3::$4:/bin/bash"; } >"$1/etc/passwd"
  { cat "$BASE/etc/group"; echo "$2:x:$3:"; } >"$1/etc/group"
  chown "$3:$3" "$1$4"
}

# add_script DIR FILE NAME
add_script() { install -D -m 755 "$IMAGES_DIR/$2" "$1/usr/local/bin/$3"; }
