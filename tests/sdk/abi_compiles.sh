#!/bin/sh
# abi_compiles.sh SOURCE INCLUDE_DIR: compiles SOURCE in every language and standard that a plugin may use, with each
# compiler that is installed.
set -eu
compiled=0
for compiler in gcc clang; do
  command -v "$compiler" >/dev/null || continue
  for language in c:c11 c:c17 c++:c++11 c++:c++14 c++:c++17 c++:c++20; do
    echo "$compiler ${language#*:}"
    "$compiler" -x "${language%%:*}" "-std=${language#*:}" -Wall -Wextra -Wpedantic -Werror -I "$2" -fsyntax-only "$1"
    compiled=$((compiled + 1))
  done
done
[ "$compiled" -gt 0 ]
