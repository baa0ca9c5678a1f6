#!/usr/bin/env python3
"""What validation rules of custom resources cost in davit sandbox and in kube-apiserver.

    bench/rules_numbers.py DAVIT [--assets=FOLDER] [--objects=2000] [--rounds=3]

DAVIT is the program. FOLDER has kube-apiserver and etcd (default $KUBEBUILDER_ASSETS); without it, only the sandbox is
measured. Each server gets the same objects, one after the other over one connection: in each round, those of a definition
without rules, then those of one with 50. CPU times are from /proc, etcd included. Prints a Markdown table of the best
round. Servers listen on loopback and end with the script.
"""
import contextlib
import http.client
import json
import os
import ssl
import subprocess
import sys
import tempfile
import time

from sandbox_numbers import Running, free_port

RULES = 50
TOKEN = "benchmark"


def rule(number):
    """As bench/sandbox_bench.cpp has them."""
    return (f"self.low <= self.high + {number}",
            f"!has(self.absent) || self.absent > {number}",
            f"self.name.matches('^[a-z][a-z0-9]{{0,6{number % 4}}}$')",
            f"self.parts.all(p, p.size >= 0 && p.size < {number + 100})",
            f"self.labels.all(k, k.startsWith('app')) && size(self.parts) <= {number + 10}")[number % 5]


def definition(group, rules):
    spec = {"type": "object", "properties": {
        "low": {"type": "integer"}, "high": {"type": "integer"}, "absent": {"type": "integer"},
        "name": {"type": "string", "maxLength": 64},
        "labels": {"type": "object", "maxProperties": 10, "additionalProperties": {"type": "string", "maxLength": 64}},
        "parts": {"type": "array", "maxItems": 10,
                  "items": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}
    if rules:
        spec["x-kubernetes-validations"] = [{"rule": rule(i)} for i in range(rules)]
    schema = {"type": "object", "properties": {"spec": spec}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"widgets.{group}"},
            "spec": {"group": group, "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
                     "versions": [{"name": "v1", "served": True, "storage": True,
                                   "schema": {"openAPIV3Schema": schema}}]}}


class Server:
    """A connection to a server, and the processes that it consists of."""

    def __init__(self, port, tls, processes):
        context = ssl._create_unverified_context() if tls else None
        self.connection = (http.client.HTTPSConnection("127.0.0.1", port, context=context) if tls
                           else http.client.HTTPConnection("127.0.0.1", port))
        self.processes = processes

    def send(self, method, path, body=None):
        self.connection.request(method, path, json.dumps(body) if body else None,
                                {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"})
        response = self.connection.getresponse()
        return response.status, response.read()

    def wait(self, path):
        for _ in range(600):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.send("GET", path)[0] == 200:
                    return
            self.connection.close()
            time.sleep(0.2)
        sys.exit(f"no response to {path}")

    def cpu_seconds(self):
        return sum(each.cpu_seconds() for each in self.processes)


def token_file(work):
    """The administrator of either server."""
    path = os.path.join(work, "tokens")
    with open(path, "w", encoding="ascii") as out:
        out.write(f"{TOKEN},admin,admin,system:masters\n")
    return path


@contextlib.contextmanager
def sandbox(davit, work):
    port = free_port()
    with Running(davit, "sandbox", "--insecure", f"--token-file={token_file(work)}", f"--port={port}",
                 "--controllers=*,-plugins,-accounts,-nodes,-scheduler", f"--kubeconfig={work}/kubeconfig") as process:
        yield Server(port, False, [process])


@contextlib.contextmanager
def kube_apiserver(assets, work):
    port, client, peer = free_port(), free_port(), free_port()
    subprocess.run(["openssl", "genrsa", "-out", f"{work}/key", "2048"], check=True, stderr=subprocess.DEVNULL)
    etcd = [f"{assets}/etcd", f"--data-dir={work}/etcd", f"--listen-client-urls=http://127.0.0.1:{client}",
            f"--advertise-client-urls=http://127.0.0.1:{client}", f"--listen-peer-urls=http://127.0.0.1:{peer}",
            "--unsafe-no-fsync"]
    server = [f"{assets}/kube-apiserver", f"--etcd-servers=http://127.0.0.1:{client}", f"--secure-port={port}",
              "--bind-address=127.0.0.1", f"--cert-dir={work}/certificates", f"--token-auth-file={token_file(work)}",
              "--service-account-issuer=https://localhost", f"--service-account-key-file={work}/key",
              f"--service-account-signing-key-file={work}/key", "--service-cluster-ip-range=10.0.0.0/24",
              "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"]
    with Running(*etcd) as store, Running(*server) as process:
        yield Server(port, True, [store, process])


def create(server, group, objects, first):
    began, cpu = time.monotonic(), server.cpu_seconds()
    for number in range(first, first + objects):
        body = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": f"w{number}"},
                "spec": {"low": 1, "high": 2, "name": "web", "labels": {"app": "x", "app2": "y"},
                         "parts": [{"size": 1}, {"size": 2}, {"size": 3}]}}
        status, text = server.send("POST", f"/apis/{group}/v1/namespaces/default/widgets", body)
        if status != 201:
            sys.exit(f"{status} {text[:200]}")
    return time.monotonic() - began, server.cpu_seconds() - cpu


def measure(server, objects, rounds):
    server.wait("/readyz")
    server.wait("/api/v1/namespaces/default")
    groups = {0: "plain.example.com", RULES: "ruled.example.com"}
    for rules, group in groups.items():
        server.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition(group, rules))
        server.wait(f"/apis/{group}/v1/namespaces/default/widgets")
    best = {}
    for round_number in range(rounds):
        for rules, group in groups.items():
            took = create(server, group, objects, round_number * objects)
            best[rules] = tuple(map(min, best.get(rules, took), took))
    return {rules: (objects / wall, cpu / objects * 1e6) for rules, (wall, cpu) in best.items()}


def main():
    names = [each for each in sys.argv[1:] if not each.startswith("--")]
    options = dict(each[2:].split("=", 1) for each in sys.argv[1:] if each.startswith("--"))
    if len(names) != 1:
        sys.exit(__doc__)
    objects, rounds = int(options.get("objects", 2000)), int(options.get("rounds", 3))
    assets = options.get("assets", os.environ.get("KUBEBUILDER_ASSETS", ""))
    found = {}
    with tempfile.TemporaryDirectory() as work, sandbox(names[0], work) as server:
        found["sandbox"] = measure(server, objects, rounds)
    if assets:
        with tempfile.TemporaryDirectory() as work, kube_apiserver(assets, work) as server:
            found["kube-apiserver"] = measure(server, objects, rounds)
    print(f"| {objects} objects | " + " | ".join(found) + (" | ratio |" if assets else " |"))
    print("| --- |" + " ---: |" * (len(found) + (1 if assets else 0)))

    def row(what, value, form):
        values = [value(each) for each in found.values()]
        cells = [form.format(each) for each in values]
        if assets:
            cells.append(f"{values[0] / values[1]:.2f}")
        print(f"| {what} | " + " | ".join(cells) + " |")

    row("objects per second, no rules", lambda each: each[0][0], "{:.0f}")
    row(f"objects per second, {RULES} rules", lambda each: each[RULES][0], "{:.0f}")
    row("CPU per object, no rules, µs", lambda each: each[0][1], "{:.0f}")
    row(f"CPU per object, {RULES} rules, µs", lambda each: each[RULES][1], "{:.0f}")
    row("CPU per rule, µs", lambda each: (each[RULES][1] - each[0][1]) / RULES, "{:.2f}")
    row("rules per second of CPU", lambda each: RULES * 1e6 / max(each[RULES][1] - each[0][1], 1e-9), "{:.0f}")


if __name__ == "__main__":
    main()
