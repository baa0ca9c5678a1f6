#!/bin/sh
# outside_project.sh BUILD_DIR SOURCE_DIR WORK_DIR: installs the SDK, moves it, and builds the example plugins from outside
# davit's tree, with each compiler: through CMake, and by hand with what pkg-config says.
set -eu
examples=$2/sdk/example
rm -rf "$3"
cmake --install "$1" --component sdk --prefix "$3/installed" >/dev/null
mkdir "$3/installed/bin"
cp "$1/cli/davit" "$3/installed/bin/" # It generates the types of the CronJob.
mv "$3/installed" "$3/prefix"
prefix=$3/prefix
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name davit.pc)")
export PKG_CONFIG_PATH
flags="-Wall -Wextra -Werror $(pkg-config --cflags davit) $(pkg-config --variable=plugin_flags davit)"
pkg-config --exists "davit >= 1.0"

build() { # build CC CXX
  cmake -G Ninja -S "$2/tests/sdk/outside" -B "$3/cmake-$4" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$4" \
    -DCMAKE_CXX_COMPILER="$5" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" -DDAVIT_EXAMPLES="$examples" >/dev/null
  cmake --build "$3/cmake-$4" >/dev/null
  # An informer that the declaration lacks is an error of the build, which says what it has.
  sed 's/\.watch<Pod>([^;]*;/.watch<Pod>({}, {.field_selector = "metadata.name=x"});/' "$examples/greeter.cpp" \
    > "$3/cmake-$4/undeclared.cpp"
  if cmake --build "$3/cmake-$4" --target undeclared > "$3/undeclared.txt"; then
    echo "a plugin with an undeclared informer builds" >&2
    exit 1
  fi
  grep -q 'have one with version "v1", fieldSelector "metadata.name=x"' "$3/undeclared.txt"
  # shellcheck disable=SC2086
  "$4" -std=c11 $flags "$examples/janitor.c" -o "$3/janitor-$4.so"
  # shellcheck disable=SC2086
  "$5" -std=c++20 $flags "$examples/greeter.cpp" $(pkg-config --variable=sdk_flags davit) -o "$3/greeter-$4.so"
  sh "$2/tests/sdk/plugin_shape.sh" "$3/cmake-$4/outside.so" "$3/cmake-$4/cron-job.so" "$3/janitor-$4.so" "$3/greeter-$4.so"
}
built=0
for pair in gcc:g++ clang:clang++; do
  command -v "${pair%:*}" >/dev/null || continue
  build "$1" "$2" "$3" "${pair%:*}" "${pair#*:}"
  built=$((built + 1))
done
[ "$built" -gt 0 ]
