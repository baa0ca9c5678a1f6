#!/usr/bin/env python3
"""What following many kinds costs a controller manager: threads, descriptors, connections, memory, and CPU while nothing happens.

    bench/kinds.py PREFIX [--kinds=400] [--versions=1] [--idle=60] [--controllers=garbagecollector] [--peer=PROGRAM]
                   [--kubeconfig=FILE --url=URL]
    bench/kinds.py --davit=build/release/cli/davit --plugins=build/release/plugins [...]

PREFIX is where davit is installed (cmake --install); of a build tree the second form takes the program and the folder of the
plugins. A sandbox on loopback serves --kinds definitions with --versions versions each; --kubeconfig takes another server
instead, which --url reaches by plain HTTP (kubectl proxy). Each program follows them with the given controllers, one after the
other: davit, then --peer (kube-controller-manager), if given. The last column is the CPU of --idle seconds in which nothing
happens. Prints a Markdown table.
"""
import glob
import os
import shutil
import sys
import tempfile
import time
import urllib.parse

from sandbox_numbers import Api, Running, first_answer, free_port

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SECONDS_MAX = 300


def definition(number, versions):
    group = f"g{number % 40}.kinds.example.com"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {"metadata": {"name": f"things{number}.{group}"},
            "spec": {"group": group, "scope": "Namespaced",
                     "names": {"plural": f"things{number}", "singular": f"thing{number}", "kind": f"Thing{number}"},
                     "versions": [{"name": f"v{each}", "served": True, "storage": each == 1, "schema": schema}
                                  for each in range(1, versions + 1)]}}


def established(api, kinds):
    """Waits until the server serves the last one."""
    end = time.monotonic() + SECONDS_MAX
    path = f"/apis/g{(kinds - 1) % 40}.kinds.example.com/v1/things{kinds - 1}"
    while "items" not in api.send("GET", path):
        if time.monotonic() > end:
            sys.exit("the server does not serve the last definition")
        time.sleep(0.2)


def descriptors(pid):
    kinds = []
    for each in os.listdir(f"/proc/{pid}/fd"):
        try:
            kinds.append(os.readlink(f"/proc/{pid}/fd/{each}"))
        except OSError:
            continue
    return len(kinds), sum(each.startswith("socket:") for each in kinds)


def measure(name, argv, idle, kinds):
    with Running(*argv) as program:
        pid = program.process.pid
        # Steady: for ten seconds it has opened nothing and used next to no CPU.
        end, last, since = time.monotonic() + SECONDS_MAX, None, time.monotonic()
        while time.monotonic() - since < 10 and time.monotonic() < end:
            now = (descriptors(pid)[0], round(program.cpu_seconds(), 1))
            if now != last:
                last, since = now, time.monotonic()
            time.sleep(0.5)
        start = program.cpu_seconds()
        time.sleep(idle)
        used = program.cpu_seconds() - start
        opened, sockets = descriptors(pid)
        resident = program.status("VmRSS") / 1024
        print(f"| {name} | {kinds} | {start:.1f} s | {program.status('Threads')} | {opened} | {sockets} | {resident:.1f} MiB "
              f"| {100 * used / idle:.2f} % |", flush=True)


def davit_command(options, names, kubeconfig, controllers, work):
    if "davit" in options:
        plugins = os.path.join(work, "plugins")
        os.mkdir(plugins)
        for each in glob.glob(os.path.join(options["plugins"], "*", "*.so")):
            shutil.copy(each, plugins)
        return [options["davit"], "run", f"--plugin-dir={plugins}", f"--kubeconfig={kubeconfig}", "--port=0",
                "--leader-elect=false", f"--controllers={controllers}"]
    return [os.path.join(names[0], "bin", "davit"), "run", f"--kubeconfig={kubeconfig}", "--port=0", "--leader-elect=false",
            f"--controllers={controllers}"]


def main():
    names = [each for each in sys.argv[1:] if not each.startswith("--")]
    options = dict(each[2:].split("=", 1) for each in sys.argv[1:] if each.startswith("--"))
    if len(names) != (0 if "davit" in options else 1):
        sys.exit(__doc__)
    kinds, versions = int(options.get("kinds", 400)), int(options.get("versions", 1))
    idle, controllers = float(options.get("idle", 60)), options.get("controllers", "garbagecollector")
    davit = options.get("davit") or os.path.join(names[0], "bin", "davit")
    with tempfile.TemporaryDirectory() as work:
        port, kubeconfig = free_port(), options.get("kubeconfig") or os.path.join(work, "kubeconfig")
        if "url" in options:
            fill(Api(urllib.parse.urlparse(options["url"]).port), kinds, versions)
            compare(options, names, kubeconfig, controllers, work, idle, kinds)
            return
        with Running(davit, "sandbox", "--insecure", f"--port={port}", "--nodes=1", "--lease-period=3600s",
                     "--controllers=*,-plugins,-gc", f"--kubeconfig={kubeconfig}"):
            first_answer(port, time.monotonic())
            fill(Api(port), kinds, versions)
            compare(options, names, kubeconfig, controllers, work, idle, kinds)


def fill(api, kinds, versions):
    for number in range(kinds):
        api.send("POST", DEFINITIONS, definition(number, versions))
    established(api, kinds)


def compare(options, names, kubeconfig, controllers, work, idle, kinds):
    print("| program | kinds | CPU to the start | threads | descriptors | sockets | resident | idle |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    measure("davit", davit_command(options, names, kubeconfig, controllers, work), idle, kinds)
    if "peer" in options:
        measure(os.path.basename(options["peer"]),
                [options["peer"], f"--kubeconfig={kubeconfig}", "--leader-elect=false", f"--controllers={controllers}"],
                idle, kinds)


if __name__ == "__main__":
    main()
