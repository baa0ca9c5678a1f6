#!/bin/sh
# precompiled_sum.sh COMMAND...: runs the compiler. If its output is a precompiled header, writes the checksum of the command
# and of all that the header includes to OUTPUT.sum, which ccache takes for the header's own (CCACHE_PCH_EXTSUM). The compiler
# never writes the same precompiled header twice, so with the header's own checksum every object would be compiled again in a
# tree that has built the header itself.
"$@" || exit
command="$*" out='' dependencies=''
while [ $# -gt 1 ]; do
  case $1 in
    -o) out=$2 ;;
    -MF) dependencies=$2 ;;
  esac
  shift
done
case $out in
  *.gch | *.pch) ;;
  *) exit 0 ;;
esac
# Paths below the root of the tree differ from checkout to checkout, what the files hold does not.
files=$(sed -e '1s/^[^:]*://' -e 's/\\$//' "$dependencies") || exit
{ printf '%s\n' "$command" | sed "s|$DAVIT_ROOT||g" && cat -- $files; } | sha256sum >"$out.sum"
