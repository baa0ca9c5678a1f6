#!/usr/bin/env python3
"""A plugin on its way to a host, through a real registry: bundled, signed, pushed, pulled, installed, run, swapped and revoked.

  delivery_test.py DAVIT PLUGINS

DAVIT is the program, PLUGINS the folder with ttl.so. Debian's docker-registry is on the PATH; it listens on a free port of the
loopback interface. With skopeo on the PATH, skopeo reads and copies the bundle, too. docs/DELIVERY.md describes what is tested.
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'live' / 'packaging'))

from prometheus_test import Processes, await_that, expect, free_port, open_url  # noqa: E402

# docker-registry takes passwords as bcrypt has them; this is "s3cret".
PASSWORDS = 'me:$2b$05$OOF4VOC7nbCbFUdEStji8uila911mLQPWe0Mg1jg8TwcjKCF6HVM.\n'
LOGIN = {'auth': 'bWU6czNjcmV0'}  # me:s3cret


def registry_config(scratch, port):
    return f"""
version: 0.1
log: {{level: error}}
storage: {{filesystem: {{rootdirectory: {scratch}/registry}}}}
http: {{addr: 127.0.0.1:{port}}}
auth: {{htpasswd: {{realm: test, path: {scratch}/passwords}}}}
"""


def status_of(url):
    try:
        return open_url(url).status
    except urllib.error.HTTPError as error:
        return error.code


class Delivery:
    """The commands, and the folder that they work in."""

    def __init__(self, davit, plugins, processes):
        self.davit, self.processes, self.scratch = davit, processes, processes.scratch
        self.port = free_port()
        self.repository = f'127.0.0.1:{self.port}/team/ttl'
        self.first, self.second = (self.scratch / build / 'ttl.so' for build in ('first', 'second'))
        content = (plugins / 'ttl.so').read_bytes() if (plugins / 'ttl.so').exists() else (plugins / 'ttl' / 'ttl.so').read_bytes()
        for file, more in ((self.first, b''), (self.second, b'\n')):
            file.parent.mkdir()
            file.write_bytes(content + more)
        (self.scratch / 'docker').mkdir()
        self.environment = {**os.environ, 'DOCKER_CONFIG': str(self.scratch / 'docker'), 'XDG_RUNTIME_DIR': str(self.scratch)}

    def start_registry(self):
        (self.scratch / 'passwords').write_text(PASSWORDS)
        config = self.scratch / 'registry.yml'
        config.write_text(registry_config(self.scratch, self.port))
        self.processes.start('registry', ['docker-registry', 'serve', config])
        await_that('the registry listens, and asks for a login', lambda: status_of(f'http://127.0.0.1:{self.port}/v2/') == 401)

    def log_in(self):
        (self.scratch / 'docker' / 'config.json').write_text(json.dumps({'auths': {f'127.0.0.1:{self.port}': LOGIN}}))

    def run(self, *arguments, code=0):
        command = [str(self.davit), *(str(each) for each in arguments)]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment, cwd=self.scratch)
        if done.returncode != code:
            sys.exit(f'FAILED: {command[1:]} ends with {done.returncode}: {done.stdout}{done.stderr}')
        return done.stdout if code == 0 else done.stderr

    def bundle(self, file, output):
        self.run('plugin', 'sign', '--key', 'release.key', file)
        printed = self.run('plugin', 'bundle', '--output', output, '--readme', ROOT / 'README.md', file)
        _, _, version, digest = printed.split()
        return digest, version.rstrip(',')


def check_commands(delivery):
    scratch, repository = delivery.scratch, delivery.repository
    (scratch / 'keys.yaml').write_text('apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\n'
                                       + delivery.run('plugin', 'keygen', 'release.key'))
    digest, version = delivery.bundle(delivery.first, 'first.tar')
    expect(delivery.bundle(delivery.first, 'again')[1] == version, 'a folder is a layout, too')
    refusal = delivery.run('plugin', 'push', 'first.tar', f'{repository}:{version}', code=1)
    expect('asks for a login' in refusal, 'a missing login is named')
    delivery.log_in()
    pushed = delivery.run('plugin', 'push', 'first.tar', f'{repository}:{version}').strip()
    expect(pushed == f'oci://{repository}:{version}@{digest}', 'push prints the digest')
    expect(delivery.run('plugin', 'push', 'first.tar', f'{repository}:{version}').strip() == pushed, 'a second push is the same')
    expect(delivery.run('plugin', 'pull', pushed, '--output', 'pulled').strip() == f'pulled: {digest}', 'the bundle is pulled')
    delivery.run('plugin', 'pull', f'{repository}:{version}', '--output', 'pulled.tar')
    expect((scratch / 'pulled.tar').stat().st_size == (scratch / 'first.tar').stat().st_size, 'the copy is the bundle')

    delivery.run('plugin', 'install', f'{repository}:{version}', '--plugin-dir', 'installed', code=2)
    delivery.run('plugin', 'install', f'{repository}@sha256:{"0" * 64}', '--plugin-dir', 'installed', code=1)
    delivery.run('plugin', 'install', pushed, '--plugin-dir', 'installed', '--files', 'files')
    delivery.run('plugin', 'install', f'{repository}:{version}', '--name', 'ttl', '--plugin-dir', 'by-tag', '--manifest', 'keys.yaml')
    delivery.run('plugin', 'install', 'pulled', '--plugin-dir', 'by-layout', '--manifest', 'keys.yaml')
    for folder in ('installed', 'by-tag', 'by-layout'):
        expect((scratch / folder / 'ttl.so').read_bytes() == delivery.first.read_bytes(), f'{folder} has the plugin')
        delivery.run('plugin', 'verify', '--manifest', 'keys.yaml', scratch / folder / 'ttl.so')
    expect('ClusterRole' in (scratch / 'files' / 'rules.yaml').read_text(), 'the bundle has the rights')
    expect((scratch / 'files' / 'README.md').read_bytes() == (ROOT / 'README.md').read_bytes(), 'and the readme')

    expect(delivery.run('plugin', 'list', '--outdated', '--plugin-dir', 'installed') == '', 'the newest is installed')
    newer, _ = delivery.bundle(delivery.second, 'second.tar')
    delivery.run('plugin', 'push', 'second.tar', f'{repository}:99.0.0')
    outdated = delivery.run('plugin', 'list', '--outdated', '--plugin-dir', 'installed')
    expect(outdated.strip().endswith(f'-> 99.0.0 oci://{repository}:99.0.0@{newer}'), 'a newer one is found')
    return pushed, f'oci://{repository}@{newer}'


def check_skopeo(delivery, reference):
    if not shutil.which('skopeo'):
        print('skipped: skopeo, which is not on the PATH')
        return
    source = 'docker://' + reference.removeprefix('oci://').split('@')[0]
    login = ['--authfile', str(delivery.scratch / 'docker' / 'config.json')]

    def skopeo(*arguments):
        command = ['skopeo', '--insecure-policy', '--tmpdir', str(delivery.scratch), *arguments]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    seen = json.loads(skopeo('inspect', *login, '--tls-verify=false', source))
    expect(seen['Os'] == 'linux' and seen['Digest'] == reference.split('@')[1], 'skopeo sees the bundle')
    copy = delivery.scratch / 'copy'
    skopeo('copy', '--all', '--preserve-digests', '--src-authfile', login[1], '--src-tls-verify=false', source, f'oci:{copy}')
    delivery.run('plugin', 'install', copy, '--plugin-dir', 'by-skopeo', '--manifest', 'keys.yaml')
    skopeo('copy', '--all', '--preserve-digests', '--dest-authfile', login[1], '--dest-tls-verify=false', f'oci-archive:{delivery.scratch}/first.tar',
           f'docker://{delivery.repository}:by-skopeo')
    delivery.run('plugin', 'install', f'{delivery.repository}:by-skopeo', '--name', 'ttl', '--plugin-dir', 'by-copy', '--manifest',
                 'keys.yaml')
    expect((delivery.scratch / 'by-copy' / 'ttl.so').read_bytes() == delivery.first.read_bytes(), 'skopeo pushes what davit bundles')


def digest_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_run(delivery, first, second):
    """A host pulls its plugin, follows the manifest to another one, and does not start with a revoked one."""
    scratch = delivery.scratch
    empty, manifest, socket = scratch / 'empty', scratch / 'davit.yaml', scratch / 'ctl.sock'
    empty.mkdir()
    delivery.processes.start('sandbox', [delivery.davit, 'sandbox', '--port', '0', '--nodes', '0', '--plugin-dir', empty, '--kubeconfig',
                                         scratch / 'kubeconfig'], env=delivery.environment)
    await_that('the sandbox serves', (scratch / 'kubeconfig').exists)
    keys = (scratch / 'keys.yaml').read_text()

    def write(source, more=''):
        fresh = scratch / 'fresh.yaml'
        fresh.write_text(f'{keys}{more}plugins: [{{name: ttl, source: "{source}"}}]\n')
        fresh.rename(manifest)

    def command(*more):
        return [delivery.davit, 'run', '--manifest', manifest, '--kubeconfig', scratch / 'kubeconfig', '--state-dir', scratch / 'state',
                '--secure-port', '0', '--control-socket', socket, *more]

    def build():
        done = subprocess.run([delivery.davit, 'ctl', 'status', '-o', 'json', '--control-socket', socket], capture_output=True, text=True)
        return done.stdout

    write(first)
    host = delivery.processes.start('run', command('--watch'), env=delivery.environment)
    await_that('the host runs the pulled plugin', lambda: digest_of(delivery.first)[:12] in build())
    write(second)
    await_that('the host has swapped to the other bundle', lambda: digest_of(delivery.second)[:12] in build())
    write(second.replace('team', 'gone').replace(second[-8:], '00000000'))
    await_that('a bundle that cannot be pulled is reported',
               lambda: 'The manifest is invalid' in (scratch / 'run.log').read_text(errors='replace'))
    expect(digest_of(delivery.second)[:12] in build(), 'the build before keeps serving')
    host.terminate()
    expect(host.wait(timeout=120) == 0, 'the host stops')

    write(second, f'  refusedDigests: [{digest_of(delivery.second)}]\n')
    done = subprocess.run([str(each) for each in command()], capture_output=True, text=True, env=delivery.environment, timeout=240)
    expect(done.returncode == 2 and 'the manifest refuses this build' in done.stderr, 'a revoked build does not run')


def main(davit, plugins):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        processes = Processes(pathlib.Path(folder))
        try:
            delivery = Delivery(davit, plugins, processes)
            delivery.start_registry()
            first, second = check_commands(delivery)
            check_skopeo(delivery, first)
            check_run(delivery, first, second)
        except BaseException:
            print(*processes.logs(), sep='\n')
            raise
        finally:
            processes.stop()


if __name__ == '__main__':
    main(*(pathlib.Path(each).resolve() for each in sys.argv[1:3]))
