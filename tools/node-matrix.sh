#!/usr/bin/env bash
# Packs centavo, and installs the package with several npms under several Nodes, with the scripts of packages blocked and with npm's
# default; checks each with tools/smoke.mjs. Nodes and npms come from the npm registry: node-matrix.sh "20 22 24 26" "11 12"
set -euo pipefail
nodes=$1
npms=$2
case "$(uname -s)-$(uname -m)" in
Linux-x86_64) platform=linux-x64 ;;
Linux-aarch64) platform=linux-arm64 ;;
*)
  echo "node-matrix: this platform is not supported" >&2
  exit 2
  ;;
esac
tools=$(cd "$(dirname "$0")" && pwd)
cache=${NODE_MATRIX_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/centavo-node-matrix}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# get FOLDER PACKAGE: keeps a package of the registry in a folder of the cache. The platform's Node package contains the binary, so no install script is needed.
get() {
  if [ ! -d "$cache/$1/node_modules" ]; then
    mkdir -p "$cache/$1"
    echo '{"private":true}' >"$cache/$1/package.json"
    (cd "$cache/$1" && npm install --no-audit --no-fund --no-save --ignore-scripts --loglevel=error "$2" >/dev/null)
  fi
}

node "$tools/release.mjs" --pack "$work"
status=0
for major in $nodes; do
  get "$major" "node-$platform@$major"
  bin=$cache/$major/node_modules/node-$platform/bin
  for version in $npms; do
    get "npm-$version" "npm@$version"
    npm=$cache/npm-$version/node_modules/npm/bin/npm-cli.js
    for scripts in --ignore-scripts --no-ignore-scripts; do
      echo "== Node $("$bin/node" --version), npm $("$bin/node" "$npm" --version 2>/dev/null), $scripts"
      prefix=$work/$major-$version$scripts
      PATH=$bin:$PATH "$bin/node" "$npm" install --global --prefix "$prefix" "$scripts" --prefer-offline --no-audit --no-fund \
        --loglevel=error "$work"/centavo-*.tgz >/dev/null &&
        PATH=$bin:$PATH "$prefix/bin/centavo" --version >/dev/null &&
        "$bin/node" "$tools/smoke.mjs" "$prefix/lib/node_modules/centavo/bin/run.js" || {
        status=1
        echo "== FAILED"
      }
    done
  done
done
exit "$status"
