#!/usr/bin/env bash
# Installs the packages of scripts/package in a fresh Debian 12 and removes them again: install_test.sh [FOLDER]
# As root; makes the Debian with mmdebstrap in a temporary folder. Ends with an error at the first thing that is wrong.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "${1:-$here/../../build/package}" && pwd)
scratch=$(mktemp -d)
root=$scratch/root
trap 'umount "$root/proc" 2>/dev/null; rm -rf --one-file-system "$scratch"' EXIT

# Shows the end of what a command says if the command fails.
quietly() { "$@" >"$scratch/log" 2>&1 || { tail "$scratch/log"; exit 1; }; }

echo "==> a fresh Debian"
quietly mmdebstrap --variant=apt --include=ca-certificates,man-db,systemd bookworm "$root"
# What manual pages are is looked at, so they are installed, unlike in a usual container.
rm -f "$root"/etc/dpkg/dpkg.cfg.d/*
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
mount -t proc proc "$root/proc"
inside apt-get update -qq
mkdir "$root/packages"
cp "$packages"/davit*.deb "$root/packages"
rm -f "$root"/packages/*dbgsym*
# Without man's cache, into which systemd-analyze has the pages formatted that the unit names.
files() { inside find / -xdev -not -path '/proc/*' -not -path '/packages*' -not -path '/var/cache/man/*' | LC_ALL=C sort; }
install_packages() { # Ours come from the folder, others from Debian.
  local arguments=()
  for each; do
    [[ ! -e $(echo "$root"/packages/"${each}"_*.deb) ]] || each=/packages/$(basename "$root"/packages/"${each}"_*.deb)
    arguments+=("$each")
  done
  quietly inside apt-get install -qq -y --no-install-recommends --reinstall "${arguments[@]}"
}
files >"$scratch/before"

echo "==> davit and its plugins"
install_packages davit davit-plugins
inside davit version
[[ $(inside davit plugin list | wc -l) -ge 19 ]]
inside davit manifest check /etc/davit/davit.yaml
[[ $(inside davit rbac --manifest /etc/davit/davit.yaml) == *'kind: ClusterRole'* ]]
inside man -w davit davit-run davit-plugin-sign davit-ctl-swap >/dev/null
for each in usr/share/bash-completion/completions/davit usr/share/zsh/vendor-completions/_davit \
  usr/share/fish/vendor_completions.d/davit.fish usr/share/doc/davit/davit.spdx.json; do [[ -s $root/$each ]] || { echo "no $each"; exit 1; }; done
python3 -m json.tool "$root/usr/share/doc/davit/davit.spdx.json" >/dev/null
inside systemd-analyze verify /lib/systemd/system/davit.service
inside systemd-analyze security --offline=true --threshold=20 --no-pager davit.service | tail -1
# The kubeconfig is missing: a clear message, no service.
! inside davit run --kubeconfig=/etc/davit/kubeconfig --control-socket= 2>"$scratch/log"
grep -q /etc/davit/kubeconfig "$scratch/log"

echo "==> hardening of the installed files"
python3 "$here/hardening.py" "$root/usr/bin/davit" "$root/usr/lib/davit/plugins"

echo "==> a plugin built from davit-dev"
install_packages davit-dev davit-doc g++ ninja-build pkg-config libgtest-dev
inside pkg-config --modversion davit
inside bash -ec 'cd /root && davit plugin new greeting && cd greeting && cmake -G Ninja -B build >/dev/null && cmake --build build >/dev/null && ctest --test-dir build >/dev/null
  davit plugin inspect build/greeting.so | grep Grade:
  davit plugin keygen k >>m.yaml && davit plugin sign --key k build/greeting.so && davit plugin verify --public-key "$(sed -n "s/.*publicKey: //p" m.yaml)" build/greeting.so
  cd .. && rm -rf greeting'
python3 "$here/hardening.py" "$root"/usr/lib/*/davit

echo "==> again, and away"
install_packages davit
quietly inside apt-get remove -qq -y davit
[[ -e $root/etc/davit/davit.yaml ]] || { echo "removal took the settings"; exit 1; }
quietly inside apt-get purge -qq -y '~n^davit' # All that the removal of davit has left.
files >"$scratch/after"
if comm -13 "$scratch/before" "$scratch/after" | grep davit; then
  echo "These stay after a purge."
  exit 1
fi
echo "Installed, used and removed."
