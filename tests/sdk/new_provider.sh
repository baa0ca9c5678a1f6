#!/bin/sh
# new_provider.sh BUILD_DIR WORK_DIR LANGUAGE: installs davit, begins the provider of a cloud as a stranger would, and runs the
# project's own CI script. Then the provider passes the check of providers, and one that throws or panics does not.
set -eu
rm -rf "$2"
mkdir -p "$2"
cmake --install "$1" --prefix "$2/prefix" >/dev/null
"$2/prefix/bin/davit" plugin new my-cloud --provider --lang="$3" --dir="$2/my-cloud"
DAVIT_PREFIX=$2/prefix "$2/my-cloud/ci.sh"
"$2/prefix/bin/davit" plugin inspect "$2/my-cloud/build/my-cloud.so"
cd "$2/my-cloud"
"$2/prefix/bin/davit" manifest check davit.yaml

validate() { "$2/prefix/bin/davit" plugin validate "$2/my-cloud/build/my-cloud.so" --check provider; }
validate "$@"
if [ "$3" = rust ]; then
  sed -i 's/Ok(Claim::Ours(status_of(at)))/panic!("no cloud")/' src/lib.rs
else
  sed -i -e '1i #include <stdexcept>' \
    -e 's/return written.ok() ? CloudReply::done(status_of(at)) : .*/throw std::runtime_error("no cloud");/' plugin.cpp
fi
cmake --build build
if validate "$@" >said; then
  cat said
  echo "new_provider.sh: a provider that throws passes" >&2
  exit 1
fi
grep -q "ensure load balancer: .*no cloud" said
