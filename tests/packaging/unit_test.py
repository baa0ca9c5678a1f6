#!/usr/bin/env python3
"""The systemd unit and the drop-in of `davit manifest from-flags --unit` fit each other, and systemd understands both.

  unit_test.py DAVIT

What a service would do is done here without systemd: each credential is copied into a folder, "%d" and the variables of ExecStart
are replaced, and DAVIT gets the command line. tests/live/packaging/service_test.py starts the service itself.
"""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
UNIT = ROOT / 'packaging' / 'davit.service'
KEY = '-----BEGIN EC PRIVATE KEY-----\nnone\n'
KUBECONFIG = """apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]
users: [{name: u, user: {token: t}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
"""


def settings(text):
    """(key, value) of each line, in order."""
    return [tuple(line.split('=', 1)) for line in text.splitlines() if re.match(r'[A-Za-z]+=', line)]


def values(pairs, key):
    """An empty value takes back those before it."""
    out = []
    for name, value in pairs:
        if name == key:
            out = out + [value] if value else []
    return out


def variables(pairs):
    out = {}
    for value in values(pairs, 'Environment'):
        out |= dict(word.split('=', 1) for word in shlex.split(value))
    return out


def command_line(pairs, credentials):
    """ExecStart as systemd splits it: $NAME is several words, ${NAME} a part of one."""
    known = {name: value.replace('%d', str(credentials)) for name, value in variables(pairs).items()}
    known['CREDENTIALS_DIRECTORY'] = str(credentials)
    words = []
    for word in values(pairs, 'ExecStart')[-1].split():
        if word.startswith('$') and not word.startswith('${'):
            words += known[word[1:]].split()
        else:
            words.append(re.sub(r'\$\{(\w+)\}', lambda name: known[name.group(1)], word))
    return words


def verify(scratch, drop_in, say):
    if not shutil.which('systemd-analyze'):
        print('skipped: systemd-analyze, which is not here')
        return
    unit = scratch / 'units' / 'davit.service'
    folder = scratch / 'units' / 'davit.service.d'
    folder.mkdir(parents=True)
    # systemd looks for the program, which no package has installed here.
    unit.write_text(UNIT.read_text().replace('/usr/bin/davit', '/bin/true'))
    (folder / 'credentials.conf').write_text(drop_in)
    done = subprocess.run(['systemd-analyze', 'verify', '--man=no', unit], capture_output=True, text=True, check=False)
    about = [each for each in done.stderr.splitlines() if 'davit' in each or 'credentials.conf' in each]
    say(done.returncode == 0 and not about, f'systemd-analyze verify finds nothing: {done.stderr}')
    (folder / 'credentials.conf').write_text(drop_in + 'LoadCredential=:\n')
    done = subprocess.run(['systemd-analyze', 'verify', '--man=no', unit], capture_output=True, text=True, check=False)
    say('credentials.conf' in done.stderr, f'systemd-analyze verify reads the drop-in: {done.stderr}')


def check(davit, scratch, say):
    files = {name: scratch / 'pki' / name for name in ('manager.conf', 'sa.key', 'ca.crt')}
    (scratch / 'pki').mkdir()
    for name, path in files.items():
        path.write_text(KUBECONFIG if name.endswith('.conf') else KEY)
        path.chmod(0o600)
    flags = [f"--kubeconfig={files['manager.conf']}", f"--authentication-kubeconfig={files['manager.conf']}",
             f"--service-account-private-key-file={files['sa.key']}", f"--root-ca-file={files['ca.crt']}", f"--client-ca-file={files['ca.crt']}"]
    drop_in = subprocess.run([davit, 'manifest', 'from-flags', '--unit', '--', *flags], check=True, capture_output=True, text=True).stdout
    pairs = settings(UNIT.read_text()) + settings(drop_in)
    copies = dict(each.split(':', 1) for each in values(pairs, 'LoadCredential'))
    say(sorted(copies.values()) == sorted(map(str, files.values())), f'each file is a credential, and no other one: {copies}')
    say(values(pairs, 'ConditionPathExists') == [str(files['manager.conf'])], 'the service starts where its kubeconfig is')
    words = command_line(pairs, scratch / 'copies')
    named = [word.split('=', 1)[1] for word in words if '/copies/' in word]
    say(sorted(set(named)) == sorted(f"{scratch}/copies/{each}" for each in copies), f'the service is given each copy: {words}')
    say(len(named) == len(flags), f'each flag names a copy: {words}')
    # The command line is one that davit understands: only the key, which is none, is in its way.
    (scratch / 'copies').mkdir()
    for name, path in copies.items():
        shutil.copy(path, scratch / 'copies' / name)
    manifest = scratch / 'davit.yaml'
    manifest.write_text('apiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugins: []\n')
    words = [each.replace('/etc/davit/davit.yaml', str(manifest)).replace('/run/davit/', f'{scratch}/') for each in words[1:]]
    done = subprocess.run([davit, *words, f'--state-dir={scratch}/state'], capture_output=True, text=True, check=False)
    say(done.returncode == 2 and 'no controller is enabled' in done.stderr, f'davit takes the command line: {done.stderr}')
    verify(scratch, drop_in, say)


def main():
    failures = []

    def say(good, what):
        if not good:
            failures.append(what)

    with tempfile.TemporaryDirectory() as scratch:
        check(sys.argv[1], pathlib.Path(scratch), say)
    for each in failures:
        print('FAILED:', each)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
