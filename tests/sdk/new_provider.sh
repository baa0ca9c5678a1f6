#!/bin/sh
# new_provider.sh BUILD_DIR WORK_DIR LANGUAGE: installs davit, begins the provider of a cloud as a stranger would, and runs the
# project's own CI script.
set -eu
rm -rf "$2"
mkdir -p "$2"
cmake --install "$1" --prefix "$2/prefix" >/dev/null
"$2/prefix/bin/davit" plugin new my-cloud --provider --lang="$3" --dir="$2/my-cloud"
DAVIT_PREFIX=$2/prefix "$2/my-cloud/ci.sh"
"$2/prefix/bin/davit" plugin inspect "$2/my-cloud/build/my-cloud.so"
cd "$2/my-cloud"
"$2/prefix/bin/davit" manifest check davit.yaml
