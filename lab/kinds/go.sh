# shellcheck shell=bash disable=SC2034,SC2154
# A Go program, built from the module graph that is locked in go/<tool>/. The tool names its package, and
# stamps, the variables to set by the linker.
inputs="go/$tool/go.mod go/$tool/go.sum"
programs=$tool
place=go/$tool/$version
contents=$tool
kind_is_big=yes

kind_check() {
  command -v go >/dev/null || mistake "$tool is built with Go, and go is not on the PATH: install Go 1.26 or later${own_program:+, or $own_program from $own_from on}, and run again"
}

kind_build() {
  local flags='-s -w' one
  for one in $stamps; do flags="$flags -X $one"; done
  CGO_ENABLED=0 GOFLAGS='-buildvcs=false -trimpath -mod=readonly' \
    nice go -C "$LAB/go/$tool" build -ldflags "$flags" -o "$OUT/$tool" "$package"
}

kind_link() { link "../$place/$tool" "$tool"; }

kind_explain() {
  if grep -qE 'requires go >=|unknown directive: tool|GOTOOLCHAIN=local' "$1"; then
    echo "its modules need a later Go than this $(go env GOVERSION): install Go 1.26 or later, and run again"
  else
    echo 'it could not be built: the log says why; run again once that is fixed'
  fi
}
