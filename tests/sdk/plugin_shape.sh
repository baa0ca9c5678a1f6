#!/bin/sh
# plugin_shape.sh PLUGIN.so...: what the loader will insist on, seen with binutils: one exported symbol, nothing unique
# (such a symbol keeps a library in memory), and a note that readelf can read.
set -eu
for plugin in "$@"; do
  symbols=$(nm -D --defined-only "$plugin" | awk '{print $2, $3}')
  if [ "$symbols" != "T davit_plugin_v1" ]; then
    echo "$plugin exports:" >&2
    echo "$symbols" >&2
    exit 1
  fi
  readelf -n "$plugin" | grep -q '^ *davit  *0x[0-9a-f]*' || { echo "$plugin: no note of owner davit" >&2; exit 1; }
  readelf -p .note.davit "$plugin" | grep -q '"abi":"1\.[01]"' || { echo "$plugin: no ABI version" >&2; exit 1; }
done
