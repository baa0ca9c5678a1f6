#!/bin/sh
# new_projects.sh BUILD_DIR WORK_DIR LANGUAGE WATCHES: installs davit, begins a plugin as a stranger would, and runs the
# project's own CI script.
set -eu
rm -rf "$2"
mkdir -p "$2"
cmake --install "$1" --prefix "$2/prefix" >/dev/null
"$2/prefix/bin/davit" plugin new say-hello --lang="$3" --watches="$4" --dir="$2/say-hello"
if [ "$3" = rust ]; then (cd "$2/say-hello" && cargo build --offline); fi # Before CMake has run.
DAVIT_PREFIX=$2/prefix "$2/say-hello/ci.sh"
# Its unit test knows the note: with a wrong verb in it, the test says what is missing.
for source in "$2"/say-hello/plugin.* "$2"/say-hello/src/lib.rs; do [ ! -e "$source" ] || break; done
sed -i 's/\["patch"\]/["create"]/; s/{"patch"}/{"create"}/; s/\[\\"patch\\"\]/[\\"create\\"]/' "$source"
cmake --build "$2/say-hello/build" >/dev/null
if ctest --test-dir "$2/say-hello/build" --output-on-failure -R unit >"$2/unit_test.log"; then
  echo "the unit test passes although the note lacks a verb"
  exit 1
fi
grep -F 'declares no rule for patch' "$2/unit_test.log" | grep -F 'in its note need {"group":'
sed -i 's/\["create"\]/["patch"]/; s/\[\\"create\\"\]/[\\"patch\\"]/' "$source"
cmake --build "$2/say-hello/build" >/dev/null
"$2/prefix/bin/davit" plugin inspect "$2/say-hello/build/say-hello.so"
"$2/prefix/bin/davit" manifest check "$2/say-hello/davit.yaml"
