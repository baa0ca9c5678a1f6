#!/usr/bin/env python3
"""A real Prometheus scrapes davit on a real API server, and its alerts fire on provoked faults.

  prometheus_test.py --davit PROGRAM --ttl ttl.so --crasher crasher.so --prometheus FOLDER     a davit that was built
  prometheus_test.py --root FOLDER --prometheus FOLDER                                         the one that is installed below FOLDER

KUBEBUILDER_ASSETS names the folder of the API server, --prometheus that of prometheus and promtool. With --root, davit starts
as its systemd unit says, with the packaged manifest, in a chroot, as another user without capabilities: that needs root.

What it shows: Prometheus scrapes over HTTPS with the token of a ServiceAccount; without a token, with a wrong one, and with one
without rights it gets 403, 401 and 403; promtool accepts the page but for upstream's own names; a signed plugin is swapped for another
signed build, and a file that changed after it was signed is refused; a refused swap, a lost lease and a plugin that crashes raise their
alerts. crasher.so is tests/live/support/crasher.c, which crashes at a ConfigMap of the name boom.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
RULES = ROOT / 'packaging' / 'prometheus' / 'davit.rules.yaml'
SECONDS_MAX = 240  # Until something is taken as never going to happen; all of it usually takes 30 seconds.
ADMIN = 'admin-token'
NAMESPACE = 'kube-system'
NOBODY = '65534'


def await_that(what, holds):
    """The first result of holds() that counts as true. A failed request counts as false: servers start and stop."""
    deadline = time.monotonic() + SECONDS_MAX
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if result := holds():
                print(f'passed: {what}', flush=True)
                return result
        time.sleep(0.1)
    sys.exit(f'FAILED: {what}, in {SECONDS_MAX} seconds')


def expect(good, what):
    if not good:
        sys.exit(f'FAILED: {what}')
    print(f'passed: {what}', flush=True)


def open_url(request, authority=None):
    """The reply. No proxy is asked: all servers are on this machine."""
    context = ssl.create_default_context(cafile=str(authority)) if authority else None
    handlers = [urllib.request.ProxyHandler({})] + ([urllib.request.HTTPSHandler(context=context)] if context else [])
    return urllib.request.build_opener(*handlers).open(request, timeout=30)


def free_port(taken=set()):
    """Each call returns another one. Below those that the kernel gives to clients, which could take it before the server does."""
    end = int(pathlib.Path('/proc/sys/net/ipv4/ip_local_port_range').read_text().split()[0])
    for port in random.sample(range(end - 10000, end), 10000):
        with socket.socket() as probe, contextlib.suppress(OSError):
            if port not in taken:
                probe.bind(('127.0.0.1', port))
                taken.add(port)
                return port
    sys.exit('FAILED: no free port')


class Processes:
    """What the test started. It is stopped by its pid, the last one first."""

    def __init__(self, scratch):
        self.scratch = scratch
        self.started = []

    def start(self, name, command, **more):
        log = self.scratch / f'{name}.log'
        with log.open('ab') as out:
            process = subprocess.Popen([str(each) for each in command], stdout=out, stderr=out, stdin=subprocess.DEVNULL, **more)
        self.started.append((name, process))
        return process

    def stop(self):
        for _, process in reversed(self.started):
            if process.poll() is None:
                process.kill()
            process.wait()

    def logs(self):
        for name in dict.fromkeys(name for name, _ in self.started):
            lines = (self.scratch / f'{name}.log').read_text(errors='replace').splitlines()
            yield f'--- the end of {name}.log'
            yield from lines[-30:]


class ApiServer:
    """etcd and kube-apiserver, and the requests of their administrator."""

    def __init__(self, processes, assets):
        self.scratch = processes.scratch
        self.port = free_port()
        self.kubeconfig = self.scratch / 'kubeconfig'
        client, peer = (f'http://127.0.0.1:{free_port()}' for _ in range(2))
        processes.start('etcd', [
            assets / 'etcd', '--data-dir', self.scratch / 'etcd', '--listen-client-urls', client, '--advertise-client-urls', client,
            '--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', f'default={peer}',
            '--log-level', 'error', '--unsafe-no-fsync'])
        key = self.scratch / 'sa.key'
        subprocess.run(['openssl', 'genrsa', '-out', key, '2048'], check=True, capture_output=True)
        (self.scratch / 'tokens.csv').write_text(f'{ADMIN},admin,admin,system:masters\n')
        processes.start('apiserver', [
            assets / 'kube-apiserver', f'--etcd-servers={client}', '--bind-address=127.0.0.1', f'--secure-port={self.port}',
            f"--cert-dir={self.scratch / 'certs'}", '--service-account-issuer=https://kubernetes.default.svc',
            f'--service-account-key-file={key}', f'--service-account-signing-key-file={key}',
            '--service-cluster-ip-range=10.0.0.0/24', f"--token-auth-file={self.scratch / 'tokens.csv'}", '--authorization-mode=RBAC'])
        self.certificate = self.scratch / 'certs' / 'apiserver.crt'
        await_that('the API server is ready', lambda: self.get('/readyz'))
        await_that('its first namespaces are there', lambda: self.get(f'/api/v1/namespaces/{NAMESPACE}'))
        self.kubeconfig.write_text(self.kubeconfig_text(ADMIN))

    def request(self, method, path, body=None, kind='application/json'):
        """The reply's body, or nothing if the server refuses."""
        request = urllib.request.Request(f'https://127.0.0.1:{self.port}{path}', method=method)
        request.add_header('Authorization', f'Bearer {ADMIN}')
        request.add_header('Content-Type', kind)
        request.data = None if body is None else json.dumps(body).encode()
        try:
            with open_url(request, self.certificate) as reply:
                return reply.read()
        except urllib.error.HTTPError:
            return None

    def get(self, path):
        return self.request('GET', path)

    def create(self, path, body):
        reply = self.request('POST', path, body)
        if reply is None:
            sys.exit(f'FAILED: the API server refuses {body}')
        return json.loads(reply)

    def account(self, name):
        """Makes the ServiceAccount if it is not there; its token."""
        accounts = f'/api/v1/namespaces/{NAMESPACE}/serviceaccounts'
        if self.get(f'{accounts}/{name}') is None:
            self.create(accounts, {'metadata': {'name': name}})
        request = {'apiVersion': 'authentication.k8s.io/v1', 'kind': 'TokenRequest', 'spec': {}}
        return self.create(f'{accounts}/{name}/token', request)['status']['token']

    def allow_scraping(self, account):
        rbac = '/apis/rbac.authorization.k8s.io/v1'
        self.create(f'{rbac}/clusterroles', {'metadata': {'name': 'scrape'}, 'rules': [{'verbs': ['get'], 'nonResourceURLs': ['/metrics']}]})
        self.create(f'{rbac}/clusterrolebindings', {
            'metadata': {'name': 'scrape'}, 'roleRef': {'apiGroup': 'rbac.authorization.k8s.io', 'kind': 'ClusterRole', 'name': 'scrape'},
            'subjects': [{'kind': 'ServiceAccount', 'name': account, 'namespace': NAMESPACE}]})

    def kubeconfig_text(self, token):
        data = self.certificate_data()
        return json.dumps({
            'apiVersion': 'v1', 'kind': 'Config', 'current-context': 'test',
            'clusters': [{'name': 'test', 'cluster': {'server': f'https://127.0.0.1:{self.port}', 'certificate-authority-data': data}}],
            'users': [{'name': 'test', 'user': {'token': token}}],
            'contexts': [{'name': 'test', 'context': {'cluster': 'test', 'user': 'test'}}]})

    def certificate_data(self):
        return subprocess.run(['base64', '--wrap=0', self.certificate], check=True, capture_output=True, text=True).stdout

    def apply(self, text):
        subprocess.run(['kubectl', f'--kubeconfig={self.kubeconfig}', 'apply', '-f', '-'], input=text, check=True, text=True,
                       stdout=subprocess.DEVNULL)


class BuiltDavit:
    """A davit that was built: the plugins ttl and crasher, which must be signed."""

    def __init__(self, program, plugin, crasher, scratch):
        self.program = program
        self.scratch = scratch
        self.socket = scratch / 'davit.sock'
        self.kubeconfig = scratch / 'kubeconfig-of-davit'
        self.certificates = scratch / 'serving'
        self.plugin = scratch / 'plugins' / 'ttl.so'
        self.crasher = scratch / 'plugins' / 'crasher.so'
        self.plugin.parent.mkdir(mode=0o755)
        self.place(self.plugin, plugin.read_bytes())
        self.place(self.crasher, crasher.read_bytes())
        key = self.must('plugin', 'keygen', scratch / 'release.key')
        self.sign(self.plugin)
        self.sign(self.crasher)
        self.manifest = scratch / 'davit.yaml'
        self.manifest.write_text(f'apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nquarantine: {{crashes: 1}}\n'
                                 f'plugins:\n- path: {self.plugin}\n- path: {self.crasher}\n{key}')

    def must(self, *arguments):
        return subprocess.run([self.program, *arguments], check=True, capture_output=True, text=True).stdout

    @staticmethod
    def place(path, content):
        """Puts the file into the place of the old one, which is mapped."""
        new = path.with_suffix('.new')
        new.write_bytes(content)
        new.chmod(0o755)
        new.rename(path)

    def sign(self, plugin):
        self.must('plugin', 'sign', '--key', self.scratch / 'release.key', plugin)

    def rights(self):
        return self.must('rbac', '--manifest', self.manifest)

    def command(self, port):
        return [self.program, 'run', f'--manifest={self.manifest}', f'--kubeconfig={self.kubeconfig}', f'--control-socket={self.socket}',
                '--bind-address=127.0.0.1', f'--secure-port={port}', f'--cert-dir={self.certificates}']

    def environment(self):
        return {**os.environ, 'XDG_STATE_HOME': str(self.scratch / 'state')}

    def ctl(self, *arguments):
        return subprocess.run([self.program, 'ctl', *arguments, f'--control-socket={self.socket}'], capture_output=True, text=True, check=False)

    def refused_swap(self):
        """One swap to a signed build, then one to a file that changed after it was signed."""
        self.place(self.plugin, self.plugin.read_bytes() + b'A build with another digest.')
        self.sign(self.plugin)
        swapped = self.ctl('swap', 'ttl')
        expect(swapped.returncode == 0 and 'generation 2 serves' in swapped.stdout,
               f'a signed plugin is swapped for another signed build: {(swapped.stdout + swapped.stderr).strip()}')
        self.place(self.plugin, self.plugin.read_bytes() + b'It changes.')
        refused = self.ctl('swap', 'ttl')
        expect(refused.returncode == 1 and 'it has changed since the key' in refused.stdout + refused.stderr,
               f'a file that changed after it was signed is refused: {(refused.stdout + refused.stderr).strip()}')
        return 2

    def undo(self):
        """Makes the plugin loadable again."""
        self.sign(self.plugin)


class InstalledDavit:
    """The files of the packages below `root`: the unit's command, the packaged manifest and all plugins."""

    def __init__(self, root):
        self.root = root
        for folder in ('run/davit', 'run/credentials', 'var/lib/davit'):
            (root / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            os.chown(root / folder, int(NOBODY), int(NOBODY))
        self.kubeconfig = root / 'run' / 'credentials' / 'kubeconfig'
        self.certificates = root / 'var' / 'lib' / 'davit' / 'serving'
        self.unit = (root / 'lib' / 'systemd' / 'system' / 'davit.service').read_text()

    def inside(self, *command):
        return ['chroot', str(self.root), *command]

    def rights(self):
        command = self.inside('davit', 'rbac', '--manifest', '/etc/davit/davit.yaml')
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def command(self, port):
        """As systemd starts it: another user without capabilities, and the flags of /etc/default/davit."""
        self.kubeconfig.chmod(0o400)
        os.chown(self.kubeconfig, int(NOBODY), int(NOBODY))
        line = re.search(r'^ExecStart=(.*)$', self.unit, re.MULTILINE).group(1)
        flags = f'--bind-address=127.0.0.1 --secure-port={port} --cert-dir=/var/lib/davit/serving'
        line = line.replace('${CREDENTIALS_DIRECTORY}', '/run/credentials').replace('$DAVIT_CREDENTIALS ', '').replace('$DAVIT_FLAGS', flags)
        user = ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups', '--no-new-privs', '--bounding-set=-all']
        return self.inside(*user, *shlex.split(line))

    def environment(self):
        return {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'XDG_STATE_HOME': '/var/lib'}

    def ctl(self, *arguments):
        command = self.inside('davit', 'ctl', *arguments, '--control-socket=/run/davit/davit.sock')
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def refused_swap(self):
        refused = self.ctl('swap', 'ttl', '/bin/true')
        expect(refused.returncode == 1, f'a program is refused as a plugin: {(refused.stdout + refused.stderr).strip()}')
        return 1

    def undo(self):
        """The installed file is as it was."""


class Prometheus:
    """A Prometheus that scrapes davit each few seconds with several identities, with the alerts that are shipped."""

    def __init__(self, processes, programs, jobs, target, authority):
        folder = processes.scratch / 'prometheus'
        folder.mkdir()
        # An alert that waits for minutes fires after the first evaluation here.
        (folder / 'rules.yaml').write_text(re.sub(r'^( +for:) .*$', r'\1 0s', RULES.read_text(), flags=re.MULTILINE))
        configuration = {
            'global': {'scrape_interval': '3s', 'scrape_timeout': '3s', 'evaluation_interval': '1s'},
            'rule_files': [str(folder / 'rules.yaml')],
            'scrape_configs': [{
                'job_name': job, 'scheme': 'https', 'tls_config': {'ca_file': str(authority), 'server_name': 'localhost'},
                **({'authorization': {'credentials': token}} if token else {}),
                'static_configs': [{'targets': [target]}]} for job, token in jobs.items()]}
        # JSON is YAML.
        (folder / 'prometheus.yml').write_text(json.dumps(configuration))
        subprocess.run([programs / 'promtool', 'check', 'config', folder / 'prometheus.yml'], check=True, stdout=subprocess.DEVNULL)
        self.address = f'127.0.0.1:{free_port()}'
        processes.start('prometheus', [
            programs / 'prometheus', f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
            f'--web.listen-address={self.address}'])
        await_that('Prometheus is ready', lambda: self.get('/-/ready'))

    def get(self, path):
        with open_url(f'http://{self.address}{path}') as reply:
            return reply.read()

    def answers(self, path):
        return json.loads(self.get(path))['data']

    def target(self, job):
        """Its health and the error of its last scrape; empty before the first one."""
        targets = self.answers('/api/v1/targets')['activeTargets']
        return next(((each['health'], each['lastError']) for each in targets if each['labels']['job'] == job), ('', ''))

    def firing(self):
        return {each['labels']['alertname'] for each in self.answers('/api/v1/alerts')['alerts'] if each['state'] == 'firing'}

    def value(self, expression):
        result = self.answers('/api/v1/query?query=' + urllib.request.quote(expression))['result']
        return float(result[0]['value'][1]) if result else None


# Metrics that promtool finds badly named. The names are kube-controller-manager's.
UPSTREAM_NAMES = ('authenticated_user_requests', 'authentication_attempts', 'authentication_token_cache_active_fetch_count',
                  'endpoint_slice_controller_syncs')


def findings(promtool, page):
    done = subprocess.run([promtool, 'check', 'metrics'], input=page, capture_output=True, text=True, check=False)
    expect(done.returncode in (0, 3), f'promtool reads the page {done.stderr}')
    return [each for each in (done.stdout + done.stderr).splitlines() if each and not each.startswith(UPSTREAM_NAMES)]


def check_page(promtool, page):
    found = findings(promtool, page)
    expect(not found, f'promtool accepts the page {found}')
    expect(findings(promtool, page + '# TYPE davit_swaps counter\ndavit_swaps 1\n'), 'promtool names a metric that is wrong')


def scrape(port, authority, token, path='/metrics'):
    """Status code and body."""
    request = urllib.request.Request(f'https://localhost:{port}{path}')
    if token:
        request.add_header('Authorization', f'Bearer {token}')
    try:
        with open_url(request, authority) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ''


def check_serving(arguments, processes, davit):
    server = ApiServer(processes, pathlib.Path(os.environ['KUBEBUILDER_ASSETS']))
    crashes = isinstance(davit, BuiltDavit)  # The packages have no plugin that does.
    jobs = {'davit': server.account('prometheus'), 'stranger': server.account('stranger'), 'anonymous': '', 'forger': 'no.such.token'}
    server.allow_scraping('prometheus')
    server.apply(davit.rights())
    davit.kubeconfig.touch(mode=0o600)
    davit.kubeconfig.write_text(server.kubeconfig_text(server.account('davit')))
    port = free_port()
    authority = davit.certificates / 'davit.crt'

    def start():
        process = processes.start('davit', davit.command(port), env=davit.environment())
        await_that('davit is ready', lambda: process.poll() is not None or scrape(port, authority, '', '/readyz')[0] == 200)
        expect(process.poll() is None, 'davit runs')
        return process

    process = start()
    prometheus = Prometheus(processes, arguments.prometheus, jobs, f'127.0.0.1:{port}', authority)
    await_that('Prometheus scrapes davit with a token', lambda: prometheus.target('davit') == ('up', ''))
    for job, code in (('stranger', 403), ('anonymous', 403), ('forger', 401)):
        await_that(f'the {job} gets {code}', lambda: prometheus.target(job)[1].startswith(f'server returned HTTP status {code} '))
    await_that('davit leads', lambda: prometheus.value('leader_election_master_status{job="davit"}') == 1)
    await_that('no alert fires', lambda: not prometheus.firing())
    page = await_that('the page is served', lambda: scrape(port, authority, jobs['davit'])[1])
    check_page(arguments.prometheus / 'promtool', page)

    generation = davit.refused_swap()
    await_that('DavitSwapFailed fires', lambda: 'DavitSwapFailed' in prometheus.firing())
    await_that('the build before it serves on', lambda: prometheus.value('davit_plugin_generation{plugin="ttl"}') == generation)

    davit.undo()
    lease = f'/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/davit'
    taken = {'spec': {'holderIdentity': 'another', 'leaseDurationSeconds': 3600}}
    await_that('another takes the lease', lambda: server.request('PATCH', lease, taken, 'application/merge-patch+json'))
    await_that('davit ends', lambda: process.poll() is not None)
    process = start()
    await_that('DavitHasNoLeader fires', lambda: 'DavitHasNoLeader' in prometheus.firing())
    await_that('the lease is deleted', lambda: server.request('DELETE', lease))
    await_that('davit leads again', lambda: prometheus.value('leader_election_master_status{job="davit"}') == 1)
    await_that('DavitHasNoLeader ends', lambda: 'DavitHasNoLeader' not in prometheus.firing())
    if not crashes:
        return

    expect('DavitPluginIsQuarantined' not in prometheus.firing(), 'no plugin is quarantined')
    server.create(f'/api/v1/namespaces/{NAMESPACE}/configmaps', {'metadata': {'name': 'boom'}})
    await_that('a plugin has davit crash', lambda: process.poll() is not None)
    start()
    await_that('DavitPluginIsQuarantined fires', lambda: 'DavitPluginIsQuarantined' in prometheus.firing())
    await_that('the other plugin serves', lambda: prometheus.value('davit_plugin_generation{plugin="ttl"}') == 1)


def main():
    parser = argparse.ArgumentParser(description='A real Prometheus scrapes davit.')
    parser.add_argument('--davit', type=pathlib.Path)
    parser.add_argument('--ttl', type=pathlib.Path)
    parser.add_argument('--crasher', type=pathlib.Path)
    parser.add_argument('--root', type=pathlib.Path)
    parser.add_argument('--prometheus', type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp())
    processes = Processes(scratch)
    good = False
    try:
        if arguments.root:
            davit = InstalledDavit(arguments.root)
        else:
            davit = BuiltDavit(arguments.davit, arguments.ttl, arguments.crasher, scratch)
        check_serving(arguments, processes, davit)
        good = True
    finally:
        processes.stop()
        if not good:
            print(*processes.logs(), sep='\n')
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == '__main__':
    main()
