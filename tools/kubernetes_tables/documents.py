"""Fetches upstream's documents into a folder: what a server says, and the files of a release's source.

The folder is never committed: it holds upstream's sentences. facts.py reads it.
"""
import contextlib
import json
import pathlib
import random
import shutil
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

import gates_table
from report import Mistake

READY_SECONDS_MAX = 180
TOKEN = 'documents'
OPENAPI_INDEX = 'openapi/v3'
LISTS = {
    'clusterroles.json': '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    'clusterrolebindings.json': '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
    'roles.json': '/apis/rbac.authorization.k8s.io/v1/roles',
    'rolebindings.json': '/apis/rbac.authorization.k8s.io/v1/rolebindings',
}
TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1'
AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
# Kinds that a server has only if asked, and the sandbox behind a gate: `gate` in sandbox/kinds/resources.toml.
GATED = ['resource.k8s.io/v1beta2/devicetaintrules']
SOURCES = ['staging/src/k8s.io/api', 'staging/src/k8s.io/apimachinery/pkg', 'staging/src/k8s.io/kube-aggregator/pkg/apis',
           'staging/src/k8s.io/apiextensions-apiserver/pkg/apis']


def _free_port(taken=set()):
    """Each call returns another port, below those that the kernel gives to clients: one of them could take it first."""
    end = int(pathlib.Path('/proc/sys/net/ipv4/ip_local_port_range').read_text().split()[0])
    for port in random.sample(range(end - 10000, end), 10000):
        if port not in taken:
            with socket.socket() as probe, contextlib.suppress(OSError):
                probe.bind(('127.0.0.1', port))
                taken.add(port)
                return port
    raise Mistake(pathlib.Path('/proc/net/tcp'), 'no port is free', 'Stop what listens there.')


def _program(assets, name):
    path = pathlib.Path(assets) / name
    if not path.is_file():
        raise Mistake(path, 'the program is missing',
                      'Name a folder with etcd, kube-apiserver and kube-controller-manager of one release.')
    return str(path)


@contextlib.contextmanager
def _running(command, log):
    with open(log, 'wb') as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Server:
    """A kube-apiserver on a free port of the loopback interface."""

    def __init__(self, port):
        self._base = f'https://127.0.0.1:{port}'
        self._context = ssl.create_default_context()
        self._context.check_hostname = False
        self._context.verify_mode = ssl.CERT_NONE  # The certificate is the server's own, and the port ours.

    def get(self, path, accept='application/json'):
        request = urllib.request.Request(self._base + path, headers={'Accept': accept, 'Authorization': f'Bearer {TOKEN}'})
        with urllib.request.urlopen(request, context=self._context, timeout=60) as response:
            return response.read()


def _wait_until(process, log, ready):
    deadline = time.monotonic() + READY_SECONDS_MAX
    while True:
        with contextlib.suppress(OSError, ValueError, urllib.error.URLError):
            if ready():
                return
        if process.poll() is not None or time.monotonic() > deadline:
            raise Mistake(log, 'the program has ended or does not get ready', 'Read its log: ' + _last_line(log))
        time.sleep(0.1)


def _last_line(log):
    lines = pathlib.Path(log).read_text(errors='replace').strip().splitlines()
    return lines[-1] if lines else 'it is empty'


@contextlib.contextmanager
def serving(assets):
    """A server of the release in `assets`, stopped at the end."""
    etcd, api = _program(assets, 'etcd'), _program(assets, 'kube-apiserver')
    with tempfile.TemporaryDirectory(prefix='kubernetes-tables-') as scratch, contextlib.ExitStack() as stack:
        folder = pathlib.Path(scratch)
        key = folder / 'account.key'
        subprocess.run(['openssl', 'ecparam', '-genkey', '-name', 'prime256v1', '-noout', '-out', str(key)], check=True)
        (folder / 'tokens.csv').write_text(f'{TOKEN},reader,1,system:masters\n')
        store = f'http://127.0.0.1:{_free_port()}'
        peer = f'http://127.0.0.1:{_free_port()}'
        stack.enter_context(_running(
            [etcd, '--data-dir', str(folder / 'etcd'), '--listen-client-urls', store, '--advertise-client-urls', store,
             '--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', f'default={peer}',
             '--unsafe-no-fsync'], folder / 'etcd.log'))
        port = _free_port()
        log = folder / 'kube-apiserver.log'
        process = stack.enter_context(_running(
            [api, f'--etcd-servers={store}', '--bind-address=127.0.0.1', f'--secure-port={port}',
             f'--cert-dir={folder / "certs"}', '--service-account-issuer=https://kubernetes.default.svc',
             f'--service-account-key-file={key}', f'--service-account-signing-key-file={key}',
             '--service-cluster-ip-range=10.0.0.0/24', f'--token-auth-file={folder / "tokens.csv"}',
             '--authorization-mode=RBAC', '--runtime-config=' + ','.join(f'{each}=true' for each in GATED)], log))
        server = Server(port)
        _wait_until(process, log, lambda: server.get('/readyz') == b'ok')  # It has made its roles then.
        yield server


def _write(folder, name, data):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def _listable(discovery):
    for group in discovery['items']:
        for version in group['versions']:
            for resource in version['resources']:
                if 'list' in resource['verbs']:
                    yield '/'.join(filter(None, (group['metadata'].get('name'), version['version']))), resource['resource']


def version_of(assets):
    """What kube-controller-manager says about its version."""
    return _said(_program(assets, 'kube-controller-manager'), '--version')


def _said(program, flag):
    done = subprocess.run([program, flag], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise Mistake(program, f'{flag} ends with exit code {done.returncode}', 'Use the program of a release')
    return done.stdout


def from_server(assets, folder):
    """Everything that the programs in `assets` say."""
    try:
        _from_server(assets, folder)
    except urllib.error.HTTPError as error:
        raise Mistake(error.url, f'the server of {assets} answers with {error.code}',
                      'Use a release that serves OpenAPI v3 and aggregated discovery') from error


def _from_server(assets, folder):
    manager = _program(assets, 'kube-controller-manager')
    _write(folder, 'version.txt', version_of(assets))
    _write(folder, 'help.txt', _said(manager, '--help'))
    with serving(assets) as server:
        index = json.loads(server.get('/' + OPENAPI_INDEX))
        for path, entry in sorted(index['paths'].items()):
            if path in ('api/v1',) or path.startswith('apis/') and path.count('/') == 2:
                _write(folder, f'openapi/{path.replace("/", "__")}.json', server.get(entry['serverRelativeURL']))
        for path in ('api', 'apis'):
            discovery = server.get('/' + path, AGGREGATED)
            _write(folder, f'discovery/{path}.json', discovery)
            for api_version, name in _listable(json.loads(discovery)):
                place = f'{"api" if api_version == "v1" else "apis"}/{api_version}/{name}'
                _write(folder, f'tables/{place.replace("/", "__")}.json', server.get(f'/{place}?limit=1', TABLE))
        for name, path in LISTS.items():
            _write(folder, f'roles/{name}', server.get(path))
        metrics = server.get('/metrics', 'text/plain').decode()
    _write(folder, 'metrics.txt', metrics)
    gates = gates_table.gates_of_metrics(metrics)
    locked = set()
    for number, settings in enumerate(gates_table.contradictions(gates, locked)):
        words = ','.join(f'{name}={"true" if on else "false"}' for name, on in sorted(settings.items()))
        # It ends before it asks a server: the settings are refused, and so is the kubeconfig.
        said = subprocess.run([manager, f'--feature-gates={words}', f'--kubeconfig={folder}/none'], capture_output=True, text=True,
                              timeout=60).stderr
        locked.update(gates_table.LOCKED.findall(said))
        _write(folder, f'gates/{number:02}.txt', said)


def from_source(source, folder):
    """The files of the release's source that describe the wire format and the Go types."""
    source = pathlib.Path(source)
    for part in SOURCES:
        if not (source / part).is_dir():
            raise Mistake(source / part, 'the folder is missing', "Name the root of the release's source tree.")
        for name in ('generated.proto', 'types*.go'):
            for path in sorted((source / part).rglob(name)):
                target = folder / 'source' / path.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
