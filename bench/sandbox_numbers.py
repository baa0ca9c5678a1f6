#!/usr/bin/env python3
"""What davit sandbox costs as a program, and how fast the host brings pods up on it.

    bench/sandbox_numbers.py PREFIX [--nodes=100] [--pods=10000] [--starts=20]

PREFIX is where davit is installed (cmake --install). Prints a Markdown table: time from process start to the first response, resident memory empty, and the time in which the host with
the plugins deployment and replicaset brings up the pods of 100 Deployments on simulated nodes. Servers listen on loopback and
end with the script.
"""
import http.client
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Api:
    """Plain HTTP to a sandbox, which needs no credentials."""

    def __init__(self, port):
        self.port = port

    def send(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, json.dumps(body) if body else None, 
                               {"Content-Type": "application/json"})
            return json.loads(connection.getresponse().read() or b"null")
        finally:
            connection.close()


class Running:
    """A process that ends with its block."""

    def __init__(self, *argv):
        self.argv = argv

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()

    def status(self, name):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as lines:
            return int(next(line for line in lines if line.startswith(name)).split()[1])

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def first_answer(port, began):
    while time.monotonic() - began < 30:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as s:
                s.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                if s.recv(64).startswith(b"HTTP/1.1 200"):
                    return time.monotonic() - began
        except OSError:
            time.sleep(0.0005)
    sys.exit("the sandbox does not respond")


def starts(davit, count, work):
    times, resident = [], []
    for _ in range(count):
        port = free_port()
        began = time.monotonic()
        with Running(davit, "sandbox", "--insecure", "--controllers=*,-plugins,-accounts", f"--port={port}",
                     f"--kubeconfig={work}/starts") as sandbox:
            times.append(first_answer(port, began))
            time.sleep(0.5)
            resident.append(sandbox.status("VmRSS") / 1024)
    return times, resident


def deployment(number, replicas):
    labels = {"app": f"web-{number}"}
    return {"metadata": {"name": f"web-{number}"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": labels},
                     "template": {"metadata": {"labels": labels},
                                  "spec": {"containers": [{"name": "main", "image": "nginx"}]}}}}


def bring_up(davit, nodes, pods, work):
    port = free_port()
    kubeconfig = os.path.join(work, "kubeconfig")
    deployments = 100
    with Running(davit, "sandbox", "--insecure", f"--port={port}", f"--nodes={nodes}",
                 "--no-pod-events", "--controllers=*,-plugins,-accounts", f"--kubeconfig={kubeconfig}") as sandbox:
        first_answer(port, time.monotonic())
        api = Api(port)
        for number in range(deployments):
            api.send("POST", "/apis/apps/v1/namespaces/default/deployments", deployment(number, pods // deployments))
        with Running(davit, "run", f"--kubeconfig={kubeconfig}", "--port=0", "--leader-elect=false",
                     "--controllers=deployment,replicaset", "--kube-api-qps=5000", "--kube-api-burst=10000") as host:
            began = time.monotonic()
            while True:
                items = api.send("GET", "/apis/apps/v1/namespaces/default/deployments")["items"]
                ready = sum(each.get("status", {}).get("readyReplicas", 0) for each in items)
                if ready == pods or time.monotonic() - began > 600:
                    break
                time.sleep(0.25)
            took = time.monotonic() - began
            if ready != pods:
                sys.exit(f"only {ready} of {pods} pods became ready in {took:.0f} s")
            return took, host.cpu_seconds(), host.status("VmHWM") / 1024, sandbox.cpu_seconds(), sandbox.status("VmHWM") / 1024


def main():
    names = [each for each in sys.argv[1:] if not each.startswith("--")]
    options = dict(each[2:].split("=", 1) for each in sys.argv[1:] if each.startswith("--"))
    if len(names) != 1:
        sys.exit(__doc__)
    davit = os.path.join(names[0], "bin", "davit")
    nodes, pods = int(options.get("nodes", 100)), int(options.get("pods", 10000))
    with tempfile.TemporaryDirectory() as work:
        times, resident = starts(davit, int(options.get("starts", 20)), work)
    print("| what | unit | value | goal |\n| --- | --- | ---: | --- |")
    print(f"| process start to first response, median | ms | {statistics.median(times) * 1000:.1f} | ≤ 20 |")
    print(f"| process start to first response, worst of {len(times)} | ms | {max(times) * 1000:.1f} | |")
    print(f"| resident, empty, median | MiB | {statistics.median(resident):.1f} | ≤ 20 |")
    with tempfile.TemporaryDirectory() as work:
        took, host_cpu, host_peak, server_cpu, server_peak = bring_up(davit, nodes, pods, work)
    print(f"| {pods} pods on {nodes} nodes ready | s | {took:.1f} | < 30 |")
    print(f"| … CPU of the host, of sandbox and nodes | s | {host_cpu:.1f}, {server_cpu:.1f} | |")
    print(f"| … peak of the host, of sandbox and nodes | MiB | {host_peak:.0f}, {server_peak:.0f} | |")


if __name__ == "__main__":
    main()
