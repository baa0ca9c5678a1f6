#!/usr/bin/env python3
"""The gates that keep abi.h what it was published as.

    abi_gates.py check HEADER GOLDEN_DIR       every gate must let the header pass
    abi_gates.py self-test HEADER GOLDEN_DIR   breaks the header in six ways; each gate must say of each what it should
    abi_gates.py baseline HEADER GOLDEN_DIR    writes what the gates `layout` and `abidiff` compare with

layout   size, alignment and offset of every type and member and the value of every constant are those of abi_layout.txt
growth   everything that abi_1_0.txt knows is still at its place; structs that say their size may have grown at the end
abidiff  Debian's abigail-tools sees no difference between a probe library and the dump abi.xml. It is blind for constants,
         and for everything without debug information, so that is asserted.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Gate(Exception):
    """Red, with the reason."""


def run(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True, **options).stdout


def compiled(folder, script, header, *flags):
    """What a script makes of the header, compiled with the header in the place of davit/abi.h."""
    source = os.path.join(folder, script.replace('.py', '.c'))
    with open(source, 'w', encoding='utf-8') as out:
        out.write(run(sys.executable, '-B', os.path.join(HERE, script), header))
    made = source[:-2]
    run('gcc', '-std=c11', f'-ffile-prefix-map={folder}=.', '-I', folder, *flags, source, '-o', made)
    return made


def layout_of(folder, header):
    return run(compiled(folder, 'abi_layout.py', header))


def probe_of(folder, header, debug='-g'):
    # Only the compiler's default of DWARF's version may differ between machines.
    return compiled(folder, 'abi_probe.py', header, debug, '-gdwarf-4' if debug == '-g' else '-g0', '-shared', '-fPIC',
                    '-nostdlib', '-O0')


def parsed(layout):
    """{type: (size, align, [(member, offset)])} and {constant: value}."""
    types, constants, current = {}, {}, None
    for line in layout.splitlines():
        words = line.split()
        if len(words) == 5:
            current = []
            types[words[0]] = (int(words[2]), int(words[4]), current)
        elif line.startswith('  '):
            current.append((words[0], int(words[1])))
        else:
            constants[words[0]] = int(words[1])
    return types, constants


def gate_layout(folder, header, golden):
    with open(os.path.join(golden, 'abi_layout.txt'), encoding='utf-8') as file:
        if file.read() != layout_of(folder, header):
            raise Gate('differs from abi_layout.txt')


def gate_growth(folder, header, golden):
    with open(os.path.join(golden, 'abi_1_0.txt'), encoding='utf-8') as file:
        old_types, old_constants = parsed(file.read())
    types, constants = parsed(layout_of(folder, header))
    for name, value in old_constants.items():
        if constants.get(name) != value:
            raise Gate(f'{name} was {value} and is {constants.get(name)}')
    for name, (size, align, members) in old_types.items():
        if name not in types:
            raise Gate(f'{name} is gone')
        now_size, now_align, now_members = types[name]
        if now_members[:len(members)] != members:
            raise Gate(f'members of {name} are gone or elsewhere')
        # The members' widths show in what follows them; the last one's in the size.
        if now_align != align or now_size < size or (len(now_members) == len(members) and now_size != size):
            raise Gate(f'{name} has another size')
        if now_size != size and members[:1] != [('size', 0)]:
            raise Gate(f'{name} has grown and does not say its size')


def gate_abidiff(folder, header, golden, debug='-g'):
    probe = probe_of(folder, header, debug)
    if '.debug_info' not in run('readelf', '-S', '-W', probe):
        raise Gate('the probe library has no debug information')
    answer = subprocess.run(['abidiff', os.path.join(golden, 'abi.xml'), probe], stdout=subprocess.PIPE,
                            universal_newlines=True, check=False)
    if answer.returncode != 0:
        raise Gate(answer.stdout or 'abidiff cannot compare')


GATES = {'layout': gate_layout, 'growth': gate_growth, 'abidiff': gate_abidiff}

# What is done to the header, and which gates must see it.
MUTATIONS = [
    ('append', r'(  const void \*\(\*capability\)\(void \*self, const davit_call \*call, davit_str id\);\n)(\} davit_controller;)',
     r'\1  uint64_t appended;\n\2', {'layout', 'abidiff'}),
    ('insert', r'(typedef struct davit_controller \{\n  uint32_t size;\n)', r'\1  uint64_t inserted;\n',
     {'layout', 'growth', 'abidiff'}),
    ('reorder', r'(  davit_str ns;) (.*\n)(  davit_str name;)', r'  davit_str name; \2  davit_str ns;',
     {'layout', 'growth', 'abidiff'}),
    # Padding takes its place: only abidiff looks at types.
    ('width', r'int64_t grace_seconds;', 'int32_t grace_seconds;', {'abidiff'}),
    ('swap', r'DAVIT_NOT_FOUND = 1,(.*\n.*)DAVIT_ALREADY_EXISTS = 2,', r'DAVIT_NOT_FOUND = 2,\1DAVIT_ALREADY_EXISTS = 1,',
     {'layout', 'growth'}),
    ('remove', r'  davit_str field_path;.*\n', '', {'layout', 'growth', 'abidiff'}),
]


def verdicts(header, golden):
    """{gate: reason} of those that are red."""
    red = {}
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'davit'))
        placed = shutil.copy(header, os.path.join(folder, 'davit', 'abi.h'))
        for name, gate in GATES.items():
            try:
                gate(folder, placed, golden)
            except Gate as reason:
                red[name] = str(reason)
    return red


def check(header, golden):
    red = verdicts(header, golden)
    for name, reason in red.items():
        print(f'{name}: {reason}')
    return 1 if red else 0


def self_test(header, golden):
    with open(header, encoding='utf-8') as file:
        text = file.read()
    wrong = 0
    for name, pattern, replacement, wanted in MUTATIONS:
        mutated, count = re.subn(pattern, replacement, text, count=1)
        if count != 1:
            print(f'{name}: the header has no such place')
            return 1
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'abi.h')
            with open(path, 'w', encoding='utf-8') as out:
                out.write(mutated)
            red = set(verdicts(path, golden))
        print(f'{name}: red at {", ".join(sorted(red)) or "no gate"}')
        if red != wanted:
            print(f'{name}: expected {", ".join(sorted(wanted))}')
            wrong += 1
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'davit'))
        placed = shutil.copy(header, os.path.join(folder, 'davit', 'abi.h'))
        try:
            gate_abidiff(folder, placed, golden, debug='-g0')
            print('abidiff: passes a library without debug information')
            wrong += 1
        except Gate:
            print('without debug information: red at abidiff')
    return 1 if wrong else 0


def baseline(header, golden):
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, 'davit'))
        placed = shutil.copy(header, os.path.join(folder, 'davit', 'abi.h'))
        with open(os.path.join(golden, 'abi_layout.txt'), 'w', encoding='utf-8') as out:
            out.write(layout_of(folder, placed))
        run('abidw', '--no-show-locs', '--no-corpus-path', '--no-comp-dir-path', '--out-file',
            os.path.join(golden, 'abi.xml'), probe_of(folder, placed))
    return 0


if __name__ == '__main__':
    sys.exit({'check': check, 'self-test': self_test, 'baseline': baseline}[sys.argv[1]](*sys.argv[2:]))
