#!/usr/bin/env python3
"""The installed service under systemd: starts, serves and stops on a real API server.

  service_test.py ROOT [PROMETHEUS]

PROMETHEUS is a folder with prometheus and promtool: that scrapes the service with each kind of token, too. ROOT is a folder with a Debian that has systemd, dbus and the packages davit and davit-plugins. systemd-nspawn (Debian's package
systemd-container) boots it, which needs root, and the network is this machine's. KUBEBUILDER_ASSETS names the folder of the API
server. CI does not run it, because it needs the packages.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from prometheus_test import ApiServer, InstalledDavit, Processes, Prometheus, await_that, expect, free_port, scrape


def settings(root, kubeconfig, port):
    """The files that an operator writes."""
    file = root / 'etc' / 'davit' / 'kubeconfig'
    file.touch(mode=0o600)
    file.write_text(kubeconfig)
    flags = f'DAVIT_FLAGS="--bind-address=127.0.0.1 --secure-port={port} --cert-dir=/var/lib/davit/serving"'
    # Packages that are built with ASan are tested, too: no debugger may look for leaks under the service's system calls.
    (root / 'etc' / 'default' / 'davit').write_text(f'{flags}\nASAN_OPTIONS=detect_leaks=0\n')


def check_prometheus(programs, processes, tokens, port, authority):
    """A real one scrapes the service over HTTPS."""
    jobs = {str(code): token for code, token in tokens.items()} | {'anonymous': ''}
    prometheus = Prometheus(processes, programs, jobs, f'127.0.0.1:{port}', authority)
    await_that('Prometheus scrapes the service with a token', lambda: prometheus.target('200') == ('up', ''))
    for job, code in (('403', 403), ('401', 401), ('anonymous', 403)):
        refusal = f'server returned HTTP status {code} '
        await_that(f'Prometheus as {job} gets {code}', lambda job=job, refusal=refusal: prometheus.target(job)[1].startswith(refusal))
    await_that('no alert fires', lambda: not prometheus.firing())


def check_files_of_root(root, server, kubeconfig, inside):
    """As on a kubeadm node: the files are root's alone, and the drop-in of `davit manifest from-flags --unit` passes them on."""
    files = {'controller-manager.conf': kubeconfig, 'sa.key': (server.scratch / 'sa.key').read_text(), 'ca.crt': server.certificate.read_text()}
    for name, text in files.items():
        file = root / 'etc' / 'kubernetes' / name
        file.parent.mkdir(exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(text)
    flags = ['--kubeconfig=/etc/kubernetes/controller-manager.conf', '--service-account-private-key-file=/etc/kubernetes/sa.key',
             '--root-ca-file=/etc/kubernetes/ca.crt', '--leader-elect-resource-name=davit']
    folder = root / 'etc' / 'systemd' / 'system' / 'davit.service.d'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'credentials.conf').write_text(inside('davit', 'manifest', 'from-flags', '--unit', '--', *flags).stdout)
    (root / 'etc' / 'davit' / 'davit.yaml').write_text(inside('davit', 'manifest', 'from-flags', '--', *flags).stdout)
    (root / 'etc' / 'davit' / 'kubeconfig').unlink()
    expect(inside('systemctl', 'daemon-reload').returncode == 0, 'systemd reads the drop-in')
    expect(inside('systemctl', 'start', 'davit').returncode == 0, 'the service starts with files of root')
    expect('serviceaccount-token-controller' in inside('davit', 'ctl', 'status').stdout, 'the key of tokens is there')
    expect(inside('systemctl', 'stop', 'davit').returncode == 0, 'the service stops again')


def check_service(root, processes, programs):
    server = ApiServer(processes, pathlib.Path(os.environ['KUBEBUILDER_ASSETS']))
    tokens = {200: server.account('prometheus'), 403: server.account('stranger'), 401: 'no.such.token'}
    server.allow_scraping('prometheus')
    port = free_port()
    subprocess.run(['mount', '-t', 'proc', 'proc', root / 'proc'], check=True)
    try:
        server.apply(InstalledDavit(root).rights())
    finally:
        subprocess.run(['umount', root / 'proc'], check=True)
    state = root / 'var' / 'lib' / 'davit'
    if not state.is_symlink():  # systemd makes the folder, and a link to it, which an earlier test has left.
        shutil.rmtree(state)
    kubeconfig = server.kubeconfig_text(server.account('davit'))
    settings(root, kubeconfig, port)
    container = processes.start('nspawn', ['systemd-nspawn', '--register=no', '--keep-unit', '--boot', '-D', root, '--console=pipe'])

    def inside(*command):
        pid = subprocess.run(['pgrep', '-P', str(container.pid)], capture_output=True, text=True, check=False).stdout.strip()
        enter = ['nsenter', '-t', pid or '0', '-m', '-p', '-u', '-i', '-C', '--', *command]
        return subprocess.run(enter, capture_output=True, text=True, check=False)

    authority = root / 'var' / 'lib' / 'private' / 'davit' / 'serving' / 'davit.crt'

    def page(token):
        return scrape(port, authority, token)

    await_that('systemd runs', lambda: inside('systemctl', 'is-system-running').stdout.strip() == 'running')
    expect(inside('systemctl', 'start', 'davit').returncode == 0, 'the service starts')
    for code, token in tokens.items():
        await_that(f'one token gets {code}', lambda code=code, token=token: page(token)[0] == code)
    await_that('no token gets 403', lambda: page('')[0] == 403)
    await_that('davit leads', lambda: 'leader_election_master_status{name="davit"} 1' in page(tokens[200])[1])
    if programs:
        check_prometheus(programs, processes, tokens, port, authority)
    expect(inside('davit', 'ctl', 'status').stdout.count('generation 1') == 19, 'all plugins serve, and davit ctl finds the socket')
    expect(inside('systemctl', 'stop', 'davit').returncode == 0, 'the service stops')
    expect('Result=success' in inside('systemctl', 'show', '-p', 'Result', 'davit').stdout, 'it ends without an error')
    check_files_of_root(root, server, kubeconfig, inside)
    inside('systemctl', 'poweroff')
    await_that('the machine is off', lambda: container.poll() is not None)


def main():
    processes = Processes(pathlib.Path(tempfile.mkdtemp()))
    good = False
    try:
        check_service(pathlib.Path(sys.argv[1]).resolve(), processes, pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None)
        good = True
    finally:
        processes.stop()
        if not good:
            print(*processes.logs(), sep='\n')
        shutil.rmtree(processes.scratch, ignore_errors=True)


if __name__ == '__main__':
    main()
