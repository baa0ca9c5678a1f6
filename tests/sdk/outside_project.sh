#!/bin/sh
# outside_project.sh BUILD_DIR SOURCE_DIR WORK_DIR: installs the SDK and builds the example plugin from a project outside
# davit's tree.
set -eu
rm -rf "$3"
cmake --install "$1" --component sdk --prefix "$3/prefix" >/dev/null
cmake -S "$2/tests/sdk/outside" -B "$3/build" -DCMAKE_PREFIX_PATH="$3/prefix" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" \
  -DDAVIT_EXAMPLE="$2/sdk/example/greeter.cpp"
cmake --build "$3/build"
sh "$2/tests/sdk/plugin_shape.sh" "$3/build/outside.so"
