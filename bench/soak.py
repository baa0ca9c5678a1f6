#!/usr/bin/env python3
"""Which part of a host holds its memory while a small cluster churns.

    bench/soak.py PREFIX [--minutes=60] [--namespaces=6] [--requests=12] [--interval=60]
    bench/soak.py --davit=build/release/cli/davit --plugins=build/release/plugins [...]

PREFIX is where davit is installed (cmake --install); of a build tree the second form takes the program and the folder
of the plugins. A sandbox and a host with all controllers run on loopback. Users keep --namespaces namespaces alive, each
with some 17 pods, replace the oldest one again and again, and send --requests requests a second. Each --interval seconds
prints a line: resident memory, what the allocator has given out, and its shares of caches, journals and objects that
controllers hold, with the largest holder of each; the rest has no owner. Then everything is deleted. The last line is
the verdict: the exit code is 1 if the host grew by more than 8 MiB from the second to the last quarter.
"""
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

from sandbox_numbers import Api, Running, deployment, first_answer, free_port

GROWTH_MAX = 8.0  # MiB: what the journals may still grow by after the first quarter.
MIB = 1024 * 1024
CORE = "/api/v1/namespaces"


def with_pods(kind, name, spec, restart="Always"):
    labels = {"app": name}
    template = {"metadata": {"labels": labels},
                "spec": {"restartPolicy": restart, "containers": [{"name": "main", "image": "nginx"}]}}
    return kind, {"metadata": {"name": name}, "spec": spec | {"template": template}}


class Users:
    """What people do in the namespaces, one request at a time. The seed is fixed."""

    def __init__(self, port, namespaces):
        self.api, self.wanted = Api(port), namespaces
        self.random = random.Random(29)
        self.alive, self.made, self.sent = [], 0, 0

    def send(self, method, path, body=None):
        self.sent += 1
        return self.api.send(method, path, body)

    def begin_namespace(self):
        name = f"soak-{self.made}"
        self.made += 1
        self.send("POST", CORE, {"metadata": {"name": name}})
        for number in range(2):
            self.send("POST", f"/apis/apps/v1/namespaces/{name}/deployments", deployment(number, 4))
        match = lambda app: {"selector": {"matchLabels": {"app": app}}}
        for path, body in (
                with_pods("apps/v1/statefulsets", "db", {"replicas": 3, "serviceName": "db"} | match("db")),
                with_pods("apps/v1/daemonsets", "agent", match("agent")),
                with_pods("batch/v1/jobs", "work", {"completions": 3, "parallelism": 3}, "Never")):
            group, version, resource = path.split("/")
            self.send("POST", f"/apis/{group}/{version}/namespaces/{name}/{resource}", body)
        self.send("POST", f"{CORE}/{name}/services",
                  {"metadata": {"name": "web"}, "spec": {"selector": {"app": "web-0"}, "ports": [{"port": 80}]}})
        self.alive.append(name)

    def end_namespace(self):
        self.send("DELETE", f"{CORE}/{self.alive.pop(0)}")

    def act(self):
        """One request, or the few that begin a namespace."""
        if len(self.alive) < self.wanted:
            return self.begin_namespace()
        choice, name = self.random.random(), self.random.choice(self.alive)
        deployments = f"/apis/apps/v1/namespaces/{name}/deployments"
        if choice < 0.004:
            return self.end_namespace()
        if choice < 0.2:
            return self.change(f"{deployments}/web-{self.random.randrange(2)}",
                               lambda it: it["spec"].update(replicas=self.random.randrange(2, 7)))
        if choice < 0.3:
            stamp = {"rollout": str(self.sent)}
            return self.change(f"{deployments}/web-{self.random.randrange(2)}",
                               lambda it: it["spec"]["template"]["metadata"].update(annotations=stamp))
        if choice < 0.5:
            pods = self.send("GET", f"{CORE}/{name}/pods").get("items", [])
            if pods:
                self.send("DELETE", f"{CORE}/{name}/pods/{self.random.choice(pods)['metadata']['name']}")
            return None
        if choice < 0.6:
            return self.send("DELETE", f"/apis/batch/v1/namespaces/{name}/jobs/work-{self.random.randrange(6)}",
                             {"propagationPolicy": "Background"})
        if choice < 0.7:
            job = with_pods("", f"work-{self.random.randrange(6)}", {"completions": 1}, "Never")[1]
            return self.send("POST", f"/apis/batch/v1/namespaces/{name}/jobs", job)
        config = {"metadata": {"name": f"settings-{self.random.randrange(20)}"}, "data": {"value": "x" * 500}}
        if choice < 0.85:
            return self.send("POST", f"{CORE}/{name}/configmaps", config)
        return self.send("DELETE", f"{CORE}/{name}/configmaps/{config['metadata']['name']}")

    def change(self, path, apply):
        found = self.send("GET", path)
        if found.get("kind") == "Status":
            return
        apply(found)
        self.send("PUT", path, found)

    def pods(self):
        return len(self.api.send("GET", "/api/v1/pods").get("items", []))


def status_of(davit, socket):
    out = subprocess.run([davit, "ctl", "status", "-o", "json", f"--control-socket={socket}"],
                         capture_output=True, check=True, timeout=60)
    return json.loads(out.stdout)["host"]


def largest(parts):
    """The share of the largest, with its name."""
    name, size = max(parts.items(), key=lambda part: part[1], default=("", 0))
    return f"{name} {size / MIB:.1f}" if size else "-"


def line_of(status, minute, pods):
    """A row, and the resident memory in MiB."""
    caches, journals, objects = {}, {}, {}
    for each in status["informers"]:
        caches[each["resource"]] = caches.get(each["resource"], 0) + each["bytes"]
    for each in status["controllers"]:
        journals[each["name"]] = each["held"]["journalBytes"]
        objects[each["name"]] = each["held"]["objectBytes"]
    used = status["allocatedBytes"]
    named = sum(caches.values()) + status["journal"]["bytes"] + sum(objects.values())
    failing = sum(len(each["failing"]) + each["failingOthers"] for each in status["controllers"])
    cells = [f"{minute:.1f}", pods, f"{status['residentBytes'] / MIB:.1f}", f"{used / MIB:.1f}",
             f"{sum(caches.values()) / MIB:.1f} ({largest(caches)})",
             f"{status['journal']['bytes'] / MIB:.1f} ({largest(journals)})",
             f"{sum(objects.values()) / MIB:.1f} ({largest(objects)})", f"{max(used - named, 0) / MIB:.1f}", failing]
    return "| " + " | ".join(str(each) for each in cells) + " |", status["residentBytes"] / MIB


def plugin_folders(below):
    return sorted({folder for folder, _, files in os.walk(below) if any(each.endswith(".so") for each in files)})


def churn(users, davit, socket, options):
    """The resident memory of each interval, which it prints."""
    resident, began = [], time.monotonic()
    next_line = began + options["interval"]
    end = began + options["minutes"] * 60
    while (now := time.monotonic()) < end:
        before = users.sent
        users.act()
        time.sleep(max(0.0, (users.sent - before) / options["requests"] - (time.monotonic() - now)))
        if time.monotonic() < next_line:
            continue
        next_line += options["interval"]
        line, memory = line_of(status_of(davit, socket), (time.monotonic() - began) / 60, users.pods())
        print(line, flush=True)
        resident.append(memory)
    print(f"\n{users.sent} requests of users, {users.sent / (time.monotonic() - began):.1f} a second; "
          f"{users.made} namespaces", flush=True)
    return resident


def soak(davit, folders, options, work):
    port, socket, kubeconfig = free_port(), os.path.join(work, "control.sock"), os.path.join(work, "kubeconfig")
    sandbox = ["sandbox", "--insecure", f"--port={port}", f"--kubeconfig={kubeconfig}",
               "--controllers=events,nodes,scheduler,volumes"]
    host = ["run", f"--kubeconfig={kubeconfig}", "--secure-port=0", "--port=0", "--leader-elect=false",
            f"--control-socket={socket}", f"--state-dir={os.path.join(work, 'state')}"]
    host += [f"--plugin-dir={each}" for each in folders]
    with Running(davit, *sandbox):
        if first_answer(port, time.monotonic()) is None:
            sys.exit("the sandbox does not respond")
        with Running(davit, *host) as running:
            while not os.path.exists(socket):
                if running.process.poll() is not None:
                    sys.exit("the host ended")
                time.sleep(0.05)
            print("All sizes in MiB, those of the largest holder in parentheses.\n")
            print("| minute | pods | resident | allocated | caches | journals | objects held | rest | failing keys |")
            print("| ---: | ---: | ---: | ---: | --- | --- | --- | ---: | ---: |", flush=True)
            users = Users(port, options["namespaces"])
            resident = churn(users, davit, socket, options)
            while users.alive:
                users.end_namespace()
            time.sleep(options["interval"])
            print("After everything is deleted:\n")
            print(line_of(status_of(davit, socket), options["minutes"] + options["interval"] / 60, users.pods())[0])
    return resident


def verdict(resident):
    quarter = max(1, len(resident) // 4)
    if len(resident) < 4:
        return "verdict: none, fewer than four lines", 0
    early = statistics.median(resident[quarter:2 * quarter])
    late = statistics.median(resident[-quarter:])
    word = "flat" if late - early <= GROWTH_MAX else "GROWS"
    return (f"verdict: {word}: resident {early:.1f} MiB in the second quarter, {late:.1f} MiB in the last one "
            f"(limit: {GROWTH_MAX:.0f} MiB more)", int(word != "flat"))


def main():
    names = [each for each in sys.argv[1:] if not each.startswith("--")]
    given = dict(each[2:].split("=", 1) for each in sys.argv[1:] if each.startswith("--"))
    defaults = {"minutes": 60.0, "namespaces": 6, "requests": 12.0, "interval": 60.0}
    if not set(given) <= set(defaults) | {"davit", "plugins"} or (len(names) != 1) == ("davit" not in given):
        sys.exit(__doc__)
    options = {each: type(value)(given.get(each, value)) for each, value in defaults.items()}
    davit = given.get("davit") or os.path.join(names[0], "bin", "davit")
    folders = plugin_folders(given.get("plugins") or names[0])
    with tempfile.TemporaryDirectory() as work:
        resident = soak(davit, folders, options, work)
    text, code = verdict(resident)
    print("\n" + text)
    sys.exit(code)


if __name__ == "__main__":
    main()
