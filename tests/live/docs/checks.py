"""What can be said of a command without running it: that the program, the subcommand, the flags and the files exist."""
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess

# Of the machine or of another project. What they are told is checked only as far as files of this tree are named.
PROGRAMS = set('apt apt-get buildah cargo cd chroot cp curl echo export google-pprof helm install kube-controller-manager kubectl mmdebstrap perf pidof '
               'systemctl'.split())
# What a block may run here: it has no power over the machine.
HARMLESS = {'cd', 'curl', 'davit', 'echo', 'export', 'kubectl'}
BEFORE_A_PROGRAM = {'sudo', 'time', 'exec', '(', 'env'}
ASSIGNMENT = re.compile(r'[A-Za-z_]\w*=')
FLAG = re.compile(r'--?[A-Za-z]')
OWN_VARIABLE = re.compile(r'\bDAVIT_[A-Z_]+')
FILTER = re.compile(r"--gtest_filter='?([^'\s]+)'?")


def simple_commands(line):
    """The words of each simple command of a line of shell, without assignments, redirections and comments."""
    for inner in re.findall(r'\$\(([^()]*)\)', line):
        yield from simple_commands(inner)
    tokens = shlex.shlex(re.sub(r'\$\([^()]*\)', '$X', line), posix=True, punctuation_chars='|&;()<>')
    tokens.wordchars += '$%!,*{}[]^@+:…'
    words, redirected = [], False
    for token in tokens:
        if redirected:
            redirected = False
        elif re.fullmatch(r'[<>]+&?', token):
            redirected = True
            words = words[:-1] if words and words[-1] in ('1', '2') else words
        elif re.fullmatch(r'[|&;()]+', token):
            yield words
            words = []
        elif words or not (ASSIGNMENT.match(token) or token in BEFORE_A_PROGRAM):
            words.append(token)
    yield words


def power_findings(line):
    """What must not run in a test, whatever a page says."""
    names = [words[0] for words in simple_commands(line) if words] + (['sudo'] if 'sudo' in line.split() else [])
    yield from (f'{each} does not run here: mark the block as `not run`' for each in names if each not in HARMLESS)


class Tree:
    """The sources, and what the build makes of them."""

    def __init__(self, root, build):
        self.root, self.build = pathlib.Path(root), pathlib.Path(build)
        self.davit = self.build / 'cli' / 'davit'

    @functools.cached_property
    def presets(self):
        return {each['name'] for each in json.loads((self.root / 'CMakePresets.json').read_text())['configurePresets']}

    @functools.cached_property
    def outputs(self):
        """Names of targets and paths of files that the build makes."""
        text = (self.build / 'build.ninja').read_text()
        return {each for outs in re.findall(r'^build ([^:]+):', text, re.M) for each in outs.split()}

    @functools.cached_property
    def words_of_cmake(self):
        files = [self.root / 'CMakeLists.txt', *(self.root / 'cmake').glob('*.cmake')]
        for folder in ('bench', 'cli', 'plugins', 'sdk', 'tests'):
            files += (self.root / folder).rglob('CMakeLists.txt')
        return {word for each in files for word in re.findall(r'[\w-]+', each.read_text())}

    def makes(self, name):
        """Whether the build has this target or file; some are for another preset than that of `build`."""
        return name in self.outputs or os.path.basename(name) in self.words_of_cmake or any(
            self.root.glob(f'bench/{os.path.basename(name)}.cpp'))

    @functools.cached_property
    def sources(self):
        """The text of tests, benchmarks and scripts, where names of tests and variables come from."""
        files = [each for folder in ('tests', 'bench', 'scripts', 'host', 'sandbox', 'nodes', 'testing', 'cli', 'cmake', '.ci', 'packaging', 'sdk')
                 for each in (self.root / folder).rglob('*') if each.is_file() and each.suffix not in ('.md', '.so', '.svg', '.png')]
        return '\n'.join(each.read_text(errors='replace') for each in files)

    @functools.cached_property
    def tests(self):
        return {f'{suite}.{name}' for suite, name in re.findall(r'\bTEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)', self.sources)}

    @functools.lru_cache(maxsize=None)
    def help(self, *command):
        """(subcommands, flags) of a command of davit."""
        text = subprocess.run([self.davit, *command, '--help'], check=True, capture_output=True, text=True).stdout
        before, _, after = text.partition('\nSubcommands:\n')
        flags = {name for names in re.findall(r'^ +(-[\w,-]+)', before, re.M) for name in names.split(',')}
        return set(re.findall(r'^  ([\w-]+)', after, re.M)), flags


def davit_findings(tree, words):
    """`words` follow the program's name."""
    path = []
    for place, word in enumerate(words):
        if word == '--':
            return
        commands, flags = tree.help(*path)
        if FLAG.match(word):
            if word.split('=')[0] not in flags:
                yield f'davit {" ".join(path)} has no flag {word}'.replace('  ', ' ')
        elif word in commands:
            path.append(word)
        elif path and path[0] == 'help':
            return
        elif commands and path != ['sandbox'] and not words[place - 1].startswith('-'):
            yield f'davit {" ".join(path)} has no command {word}'.replace('  ', ' ')


def cmake_findings(tree, words):
    presets = [words[place + 1] for place, word in enumerate(words[:-1]) if word == '--preset']
    yield from (f'CMakePresets.json has no {each}' for each in presets if each not in tree.presets)
    targets = [word.partition('=')[2] for word in words if word.startswith('--target=')]
    yield from (f'the build has no target {each}' for each in targets if not tree.makes(each))
    if '--target' in words:
        for target in words[words.index('--target') + 1:]:
            if target.startswith('-'):
                break
            if not tree.makes(target):
                yield f'the build has no target {target}'


def file_findings(tree, word):
    """Paths of the tree, and of what the build makes below build/PRESET."""
    path = re.sub(r'[.,;:]$', '', word)
    if not re.fullmatch(r'[\w.-]+(/[\w.*-]+)+/?', path) or path.startswith(('./', '../')):
        return
    first, _, rest = path.partition('/')
    preset, _, output = rest.partition('/')
    if first == 'build' and preset in tree.presets:
        if output and not tree.makes(output.rstrip('/')):
            yield f'the build does not make {output}'
    elif first != 'build' and (tree.root / first).is_dir() and not any(tree.root.glob(path.rstrip('/'))) \
            and not tree.makes(path):
        yield f'the tree has no {path}'


def command_findings(tree, line):
    for words in simple_commands(line):
        if not words:
            continue
        name = os.path.basename(words[0])
        if name == 'davit':
            yield from davit_findings(tree, words[1:])
        elif words[:2] == ['kubectl', 'davit']:
            yield from davit_findings(tree, words[2:])
        elif name in ('cmake', 'ctest') or words[0] == 'scripts/test':
            yield from cmake_findings(tree, words)
        elif name not in PROGRAMS and '/' not in words[0]:
            yield f'unknown program {name}: mend it, or add it to tests/live/docs/checks.py'
    for word in line.split():
        if line.count(os.path.basename(word)) == 1:  # Otherwise a part of the line before has made it.
            yield from file_findings(tree, word.strip('\'"()'))
    yield from (f'nothing reads {each}' for each in OWN_VARIABLE.findall(line) if each not in tree.sources)
    for pattern in (each for text in FILTER.findall(line) for each in text.split(':')):
        if not any(re.fullmatch(pattern.replace('.', r'\.').replace('*', '.*'), each) for each in tree.tests):
            yield f'no test matches {pattern}'
