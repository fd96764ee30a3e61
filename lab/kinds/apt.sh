# shellcheck shell=bash disable=SC2034,SC2154
# A program of the system's, installed from Debian's packages where it is missing.
find_fitting() {
  local file
  for file in $programs $commands; do search "$file" >/dev/null || return 1; done
}

use_fitting() {
  remove_stamped
  kind_link
  stamp - packaged
  note "$tool: the system's own"
}

kind_check() {
  command -v apt-get >/dev/null || mistake "$tool is missing, and this system has no apt-get: install $packages with its own package manager, and run again"
  [ "$(id -u)" = 0 ] || mistake "$tool is missing, and only root can install it: run apt-get install -y $packages as root, and run again"
}

# No service is started: the policy file says so while packages are set up. One that a killed run left is ours
# to remove; one of the system's own is left alone.
POLICY=/usr/sbin/policy-rc.d
kind_build() {
  if [ ! -e $POLICY ] || grep -q 'n8n-tuned lab' $POLICY; then
    # shellcheck disable=SC2064
    trap "rm -f $POLICY" EXIT
    printf '#!/bin/sh\n# n8n-tuned lab: while packages are installed, no service is started.\nexit 101\n' >$POLICY
    chmod +x $POLICY
  fi
  if [ -z "$(find "$CACHE/.stamp/.apt-update" -mmin -60 2>/dev/null)" ]; then
    apt-get update -qq -o DPkg::Lock::Timeout=600 9>&-
    : >"$CACHE/.stamp/.apt-update"
  fi
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 $packages 9>&-
}

kind_link() {
  local file found
  for file in $programs $commands; do
    found=$(search "$file") || fail "$tool: $packages brought no program $file: install one that does, and run again"
    case " $programs " in *" $file "*) link "$found" "$file" ;; esac
  done
}

kind_explain() { echo "apt-get could not install $packages: the log says why; run again once that is fixed"; }
