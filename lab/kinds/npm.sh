# shellcheck shell=bash disable=SC2034,SC2154
# npm packages from a committed lock: what the kinds node and n8n share.
kind_check() {
  command -v npm >/dev/null || mistake "$tool is installed by npm, and npm is not on the PATH: install Node.js 20 or later with npm, and run again"
}

# npm_ci FOLDER: what FOLDER's lock names, into $OUT. No package's script is run: they download things.
npm_ci() {
  cp "$LAB/$1/package.json" "$LAB/$1/package-lock.json" "$OUT/"
  nice npm ci --prefix "$OUT" --ignore-scripts --legacy-peer-deps --no-audit --no-fund --loglevel error
}

kind_explain() { echo 'npm could not install it: the log says why; run again once that is fixed'; }
