#!/usr/bin/env python3
"""Checks the rules of docs/HACKING.md that a machine can check, on every file of the tree.

    style.py ROOT     prints each finding as file:line: [rule] text, and fails when there is one
"""
import os
import subprocess
import sys

from citations import citation_findings
from layers import layer_findings
from messages import message_findings
from mutants import mutant_findings
from named_tests import named_test_findings
from repeats import repeat_findings
from roles import role_findings
from rules import File, all_rules, decision_numbers
from vocabulary import vocabulary_findings

NOT_OURS = {'.git', 'build', '.cache', 'third_party', '__pycache__'}


def paths_of(root):
    """All files that git tracks or would add; without git all files outside build folders."""
    git = subprocess.run(['git', '-C', root, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
                         capture_output=True, check=False)
    if git.returncode == 0:
        listed = git.stdout.decode().split('\0')
        return sorted(path for path in set(listed) if path and os.path.isfile(os.path.join(root, path)))
    out = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in NOT_OURS]
        out += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(out)


def read(root, path):
    with open(os.path.join(root, path), 'rb') as stream:
        data = stream.read()
    return None if b'\0' in data else File(path, data.decode('utf-8', 'replace'))


def findings(rules, files):
    """(path, line, rule, text) of what breaks a rule; an exception that nothing needs is one too."""
    needed = set()
    for file in files:
        for rule in rules:
            if not rule.applies(file.path):
                continue
            for line, text in rule.check(file):
                if file.path in rule.allowed:
                    needed.add((rule.name, file.path))
                else:
                    yield file.path, line, rule.name, text
    for rule in rules:
        for path in rule.allowed:
            if (rule.name, path) not in needed:
                yield path, 1, rule.name, 'is on the list of exceptions and needs none'


def main(root):
    paths = paths_of(root)
    files = [file for file in (read(root, path) for path in paths) if file]
    architecture = next((file.text for file in files if file.path == 'docs/ARCHITECTURE.md'), '')
    out = list(findings(all_rules(root), files))
    out += [(path, line, 'decisions', text) for path, line, text in decision_numbers(paths)]
    out += [(path, line, 'layers', text) for path, line, text in layer_findings(files, architecture)]
    out += [(path, line, 'citations', text) for path, line, text in citation_findings(files)]
    out += [(path, line, 'mutants', text) for path, line, text in mutant_findings(files)]
    out += [(path, line, 'named-tests', text) for path, line, text in named_test_findings(files)]
    out += [(path, line, 'messages', text) for path, line, text in message_findings(files)]
    out += [(path, line, 'roles', text) for path, line, text in role_findings(files)]
    out += [(path, line, 'repeats', text) for path, line, text in repeat_findings(files)]
    out += [(path, line, 'vocabulary', text) for path, line, text in vocabulary_findings(files)]
    for path, line, rule, text in sorted(out):
        print(f'{path}:{line}: [{rule}] {text}')
    print(f'{len(files)} files, {len(out)} findings')
    return 1 if out or not files else 0


if __name__ == '__main__':
    sys.exit(main(os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else '.')))
