#!/bin/sh
# completion.sh DAVIT: the shells accept the scripts, and bash completes with its own. zsh and fish are tried where they exist.
set -eu
davit=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for shell in bash zsh fish; do "$davit" completion "$shell" >"$work/$shell"; done

bash -euc '
  source "$1"
  completes() { # completes EXPECTED WORD...
    local expected=$1
    shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _davit
    [[ ${COMPREPLY[*]} == "$expected" ]] || { echo "\"$*\" completes to \"${COMPREPLY[*]}\", not \"$expected\"" >&2; exit 1; }
  }
  completes "run" davit ru
  completes "new" davit plugin n
  completes "cpp c rust" davit plugin new --lang ""
  completes "text json" davit run --logging-format ""
  completes "" davit run --kubeconfig ""
  completes "--manifest" davit run --watch --man
  completes "bash" davit completion b
' bash "$work/bash" || exit 1
if command -v zsh >/dev/null; then zsh -n "$work/zsh"; fi
if command -v fish >/dev/null; then
  fish -c "source $work/fish; complete -C 'davit plugin new --lang '" | cut -f1 | sort | tr '\n' ' ' | grep -qx 'c cpp rust '
fi

# Every command has a page, which man reads without a warning.
"$davit" manual "$work/man"
ls "$work/man"/davit.1 "$work/man"/davit-run.1 "$work/man"/davit-plugin-new.1 >/dev/null
if command -v groff >/dev/null; then
  for page in "$work/man"/*.1; do
    warnings=$(groff -K utf8 -man -Tutf8 -ww "$page" 2>&1 >/dev/null)
    [ -z "$warnings" ] || { echo "$warnings" >&2; exit 1; }
  done
fi
