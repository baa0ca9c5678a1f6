#!/bin/sh
# new_projects.sh BUILD_DIR WORK_DIR LANGUAGE WATCHES: installs davit, begins a plugin as a stranger would, and runs the
# project's own CI script.
set -eu
rm -rf "$2"
mkdir -p "$2"
cmake --install "$1" --prefix "$2/prefix" >/dev/null
"$2/prefix/bin/davit" plugin new say-hello --lang="$3" --watches="$4" --dir="$2/say-hello"
DAVIT_PREFIX=$2/prefix "$2/say-hello/ci.sh"
"$2/prefix/bin/davit" plugin inspect "$2/say-hello/build/say-hello.so"
"$2/prefix/bin/davit" manifest check "$2/say-hello/davit.yaml"
