#!/usr/bin/env bash
# Runs a Node program under several Node majors, with binaries from the npm registry: node-matrix.sh "22 24 26" tools/smoke.mjs
set -euo pipefail
majors=$1
shift
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) platform=linux-x64 ;;
Linux-aarch64) platform=linux-arm64 ;;
*)
  echo "node-matrix: not for this platform" >&2
  exit 2
  ;;
esac
cache=${NODE_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/centavo-node-matrix}
status=0
for major in $majors; do
  folder=$cache/$major
  node=$folder/node_modules/node-$platform/bin/node
  if [ ! -x "$node" ]; then
    mkdir -p "$folder"
    [ -f "$folder/package.json" ] || echo '{"private":true}' >"$folder/package.json"
    # The platform's own package has the binary in it: no install script is needed.
    (cd "$folder" && npm install --no-audit --no-fund --no-save --ignore-scripts --loglevel=error "node-$platform@$major" >/dev/null)
  fi
  echo "== Node $("$node" --version)"
  "$node" "$@" || {
    status=1
    echo "== Node $major FAILED"
  }
done
exit "$status"
