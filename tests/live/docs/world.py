"""Where the commands of one page run: an empty home, a sandbox, and a host with its usual files."""
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import time

SECONDS_MAX = 300  # Until a server is taken as never getting ready, or a block as endless; both usually take a second or two.
MANIFEST = """apiVersion: davit.dev/v1alpha1
kind: ControllerHost
plugins:
  - name: attachdetach
  - name: cloud
    controllers:
      node-route-controller:
        config: {clusterCIDR: 10.240.0.0/12}
  - name: deployment
  - name: devicetaint
  - name: endpoint
  - name: nodelifecycle
  - name: podautoscaler
  - name: pools
    controllers:
      pools:
        enabled: true
        config:
          pools: [{name: sandbox, addresses: [203.0.113.0/24], skipEnds: true}]
          instances: {kind: sandbox, providerIDPrefix: "davit://"}
          routes: {kind: table}
  - name: replicaset
  - name: resourceclaim
  - name: volumebinder
  - name: volumeprotection
"""
TOKEN_REQUEST = '{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}'
# A command of this kind goes on until it is stopped; it is ready once its output has this.
SERVERS = [(re.compile(r'\bdavit run\b'), 'Attempting to acquire leader lease'),
           (re.compile(r'\bdavit sandbox nodes\b'), 'Simulating nodes'),
           (re.compile(r'\bdavit sandbox (?!node)|\bdavit sandbox$'), 'stops it'),
           (re.compile(r'\bkubectl .* -w\b'), r'\n')]
SCRIPT = """
set -uo pipefail
try() { echo "$1"; eval "$1" || { echo "this command ended with $?: $1"; exit 1; }; }
serve() {  # COMMAND, PATTERN
  echo "$1"; : >served.log
  eval "$1 >served.log 2>&1 &"
  local pid=$! end=$((SECONDS + SECONDS_MAX))
  until grep -qE "$2" served.log || [[ $2 == '\\n' && -s served.log ]]; do
    { kill -0 $pid 2>&- && ((SECONDS < end)); } || { cat served.log; echo "this did not get ready: $1"; kill $pid; exit 1; }
    sleep 0.05
  done
  kill $pid; wait $pid; local code=$?
  [[ $code == 0 || $1 == kubectl* ]] || { cat served.log; echo "this ended with $code: $1"; exit 1; }
}
"""


def free_ports():
    """Ports that nobody listens on, below those that the kernel gives to clients, which could take one before a server does."""
    end = int(pathlib.Path('/proc/sys/net/ipv4/ip_local_port_range').read_text().split()[0])
    for port in random.sample(range(end - 10000, end), 100):
        with socket.socket() as probe:
            if probe.connect_ex(('127.0.0.1', port)) == 0:
                continue
        yield port


def command_of(line):
    """The line without its comment, which would hide what is appended."""
    return re.sub(r'\s+#\s.*$', '', line)


class World:
    def __init__(self, tree, folder):
        self.tree, self.folder = tree, folder
        self.processes = []
        shutil.rmtree(folder, ignore_errors=True)
        for each in ('.kube', 'run', 'bin', 'build', 'new'):
            (folder / each).mkdir(parents=True)
        (folder / 'run').chmod(0o700)
        (folder / 'bin' / 'davit').symlink_to(tree.davit)
        (folder / '.curlrc').write_text('fail\nsilent\nshow-error\nnoproxy = *\n')
        (folder / 'davit.yaml').write_text(MANIFEST)
        for copy in ('replicaset.so', 'new.so', 'new/replicaset.so', 'build/replicaset.so'):
            shutil.copy(tree.build / 'plugins' / 'replicaset' / 'replicaset.so', folder / copy)
        # No variable of the caller leads to its cluster, its host or its proxy.
        self.env = {'PATH': f"{folder / 'bin'}:{os.environ['PATH']}", 'HOME': str(folder), 'TREE': str(tree.root),
                    'XDG_RUNTIME_DIR': str(folder / 'run'), 'KUBECONFIG': str(folder / '.kube' / 'config'),
                    'SECONDS_MAX': str(SECONDS_MAX), 'LANG': 'C.UTF-8'}

    def start(self, name, ready, *command):
        """Starts davit; whether it gets ready before it ends."""
        log = self.folder / f'{name}.log'
        with log.open('wb') as out:
            process = subprocess.Popen([self.tree.davit, *command], stdout=out, stderr=out, stdin=subprocess.DEVNULL, cwd=self.folder,
                                       env=self.env)
        self.processes.append(process)
        deadline = time.monotonic() + SECONDS_MAX
        while process.poll() is None and time.monotonic() < deadline:
            if re.search(ready, log.read_text()):
                return True
            time.sleep(0.02)
        return False

    def open(self, with_server):
        """Starts the sandbox and the host. With `with_server`, $SERVER is another sandbox, which wants no credentials."""
        config = self.env['KUBECONFIG']
        if not self.start('sandbox', 'stops it', 'sandbox', '--port=0', f'--kubeconfig={config}', '--controllers=*,-plugins,storage,devices,cloud'):
            raise RuntimeError('the sandbox does not start')
        shutil.copy(config, self.folder / 'kubeconfig')
        if with_server:
            if not self.start('plain', 'stops it', 'sandbox', '--insecure', '--port=0', '--kubeconfig=plain'):
                raise RuntimeError('the sandbox without TLS does not start')
            self.env['SERVER'] = re.search(r'server: "?(http://[\w.:]+)', (self.folder / 'plain').read_text())[1]
        for port in free_ports():
            self.port = str(port)
            # A busy machine must not cost it the Lease.
            if self.start('host', 'Started workers', 'run', '--manifest=davit.yaml', f'--kubeconfig={config}', f'--secure-port={port}',
                          '--leader-elect-lease-duration=900s', '--leader-elect-renew-deadline=600s'):
                break
            if 'address already in use' not in (self.folder / 'host.log').read_text().lower():
                raise RuntimeError('the host does not start')
        else:
            raise RuntimeError('there is no free port')
        account = ['kubectl', '-n', 'monitoring']
        for command in (['kubectl', 'create', 'namespace', 'monitoring'], [*account, 'create', 'serviceaccount', 'prometheus'],
                        ['kubectl', 'create', 'clusterrolebinding', 'reader', '--clusterrole=cluster-admin',
                         '--serviceaccount=monitoring:prometheus']):
            subprocess.run(command, check=True, env=self.env, stdout=subprocess.DEVNULL)
        # As `kubectl create token`, which Debian's kubectl does not have.
        reply = subprocess.run(['kubectl', 'create', '-f', '-', '--raw', '/api/v1/namespaces/monitoring/serviceaccounts/prometheus/token'],
                               check=True, env=self.env, input=TOKEN_REQUEST, capture_output=True, text=True)
        self.env['TOKEN'] = json.loads(reply.stdout)['status']['token']

    def close(self):
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def script_of(self, block):
        lines = [SCRIPT]
        for command in block.first:
            lines.append(f'try {quoted(command)}')
        for _, line in block.lines():
            line = line.replace('10257', self.port)
            for text, other in block.read:
                line = line.replace(text, other)
            ready = next((ready for kind, ready in SERVERS if kind.search(command_of(line))), None)
            if ready is None:
                lines.append(f'try {quoted(line)}')
                continue
            line = command_of(line)
            if 'davit run' in line:  # Beside the host; its health is not asked for.
                line = re.sub(r' --secure-port=\d+', '', line) + ' --secure-port=0'
            if re.search('davit (run|sandbox)', line):
                line = 'XDG_RUNTIME_DIR=$(mktemp -d) ' + line
            lines.append(f'serve {quoted(line)} {quoted(ready)}')
        return '\n'.join(lines)

    def run(self, block):
        """What went wrong, with the output of the commands; or nothing."""
        shell = subprocess.Popen(['bash', '-c', self.script_of(block)], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', start_new_session=True)
        try:
            output, _ = shell.communicate(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            os.killpg(shell.pid, signal.SIGKILL)
            output, _ = shell.communicate()
            return output + f'(not done in {SECONDS_MAX} seconds)'
        return output if shell.returncode != 0 else ''


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"
