#!/bin/sh
# kubectl_davit.sh KUBECTL_DAVIT: the plugin of kubectl runs davit in the pod that the Lease names, and gives `why` the namespace
# of the caller's context. kubectl and davit are stand-ins that print their arguments.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The socket of a davit that runs on this machine is none of the test's.
plugin=$work/kubectl-davit
sed "s#/run/davit/#$work/none/#" "$1" >"$plugin"
cat >"$work/kubectl" <<'END'
#!/bin/sh
case $1 in
  get) printf '%s' "$TEST_HOLDER" ;;
  config) printf '%s' "$TEST_CONTEXT" ;;
  exec) shift; printf '%s\n' "exec $*" ;;
esac
END
printf '#!/bin/sh\nprintf "%%s\\n" "here $*"\n' >"$work/davit"
chmod +x "$work/kubectl" "$work/davit" "$plugin"
export PATH="$work:$PATH" XDG_RUNTIME_DIR="$work" TEST_HOLDER=davit-0_1234 TEST_CONTEXT=shop
unset DAVIT_NAMESPACE DAVIT_LEASE KUBECTL

expect() { # expect OUTPUT WORD...
  wanted=$1
  shift
  got=$("$plugin" "$@" 2>&1) || true
  [ "$got" = "$wanted" ] || { echo "\"$*\" prints \"$got\", not \"$wanted\"" >&2; exit 1; }
}
pod="exec --namespace kube-system davit-0 -- davit"
expect "$pod why po/a --namespace shop" why po/a
expect "$pod why po/a -n dev" why po/a -n dev
expect "$pod why po/a --namespace=dev" why po/a --namespace=dev
expect "$pod top" top
expect "here version" version
expect "here why po/a --control-socket=/s" why po/a --control-socket=/s
TEST_CONTEXT=
expect "$pod why po/a" why po/a
TEST_HOLDER=--kubeconfig=other_1234
expect "kubectl-davit: the holder of the Lease kube-system/davit is not a pod" top
TEST_HOLDER=
expect "kubectl-davit: the Lease kube-system/davit has no holder, so no davit works" top
