#!/bin/sh
# make.sh OUTPUT_DIR: builds the plugins of the museum from the tree as it is. From the freeze of
# ABI 1.0 on, what is committed here is never made again; further versions get files of their own.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
flags="-Os -s -shared -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -I$root/sdk/include -Wl,-z,defs
  -Wl,--gc-sections -Wl,-z,noseparate-code -Wl,--build-id=none -Wl,--version-script=$root/cmake/davit_plugin.map"
# shellcheck disable=SC2086
gcc -std=c11 $flags "$root/sdk/example/janitor.c" -o "$1/1.0-c.so"
# shellcheck disable=SC2086
g++ -std=c++20 -fno-gnu-unique $flags "$root/sdk/example/greeter.cpp" "$root"/sdk/src/*.cpp -o "$1/1.0-cpp-gcc.so"
# shellcheck disable=SC2086
clang++ -std=c++20 $flags "$root/sdk/example/greeter.cpp" "$root"/sdk/src/*.cpp -o "$1/1.0-cpp-clang.so"
rustc --edition=2021 -C opt-level=s -C panic=abort -C strip=symbols -C link-arg=-Wl,-z,noseparate-code \
  -C link-arg=-Wl,--build-id=none --crate-type=cdylib --crate-name=greeter "$here/greeter.rs" -o "$1/1.0-rust.so"
