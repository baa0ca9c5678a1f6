"""Tests that pages, scripts and comments name are tests of the tree, and each fault's mutant is in the table of mutants."""
import re

from mutants import TABLE, mutants_of

FAULTS = 'docs/REGRESSIONS.md'
PAGES_WITH_SUITES = (FAULTS, 'docs/TESTING.md')
# Its examples of trees name tests of these.
EXAMPLES = 'tests/style/style_test.py'
DECLARED = re.compile(r'^\s*(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s+(\w+)\)', re.MULTILINE)
NAMED = re.compile(r'\b([A-Z]\w*Test)\.([A-Z]\w+)')
SUITE = re.compile(r'`(?:[a-z0-9_]+\.)?([A-Z]\w*Test)`')


def named_test_findings(files):
    """(path, line, what is wrong)."""
    files = list(files)
    tests = {test for file in files if file.path.endswith(('.cpp', '.hpp')) for test in DECLARED.findall(file.text)}
    suites = {suite for suite, _ in tests}
    mutants = {row.name for file in files if file.path == TABLE for row in mutants_of(file.text)}
    for file in files:
        if file.path == EXAMPLES:
            continue
        for number, line in enumerate(file.text.split('\n'), 1):
            for suite, test in NAMED.findall(line):
                if (suite, test) not in tests:
                    yield file.path, number, f'there is no test {suite}.{test}'
            if file.path in PAGES_WITH_SUITES:
                for suite in set(SUITE.findall(line)) - suites:
                    yield file.path, number, f'there is no test of {suite}'
            if file.path == FAULTS and line.startswith('| ') and line.endswith('` |'):
                for name in re.findall(r'`([^`]+)`', line.split(' | ')[-1]):
                    if name not in mutants:
                        yield file.path, number, f'"{name}" is not in {TABLE}'
