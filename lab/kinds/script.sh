# shellcheck shell=bash disable=SC2034,SC2154
# What a script of the lab makes, which knows itself what is up to date: it is run every time. The tool
# names the script with its arguments, and in contents what it leaves in the cache.
only_linux_x64=yes

is_installed() {
  local file
  for file in $contents; do [ -e "$CACHE/$file" ] || return 1; done
}
