#!/bin/sh
# same_as_golden.sh PROGRAM GOLDEN: the program prints exactly the golden file.
set -eu
"$1" | diff -u "$2" -
