"""The table of tests/mutants/README.md: which guards can be switched off, and which test fails then."""
import re
from collections import namedtuple

TABLE = 'tests/mutants/README.md'
SHIPPED = ('cli/', 'host/', 'lib/', 'plugins/', 'sandbox/', 'sdk/')
# Plugin authors read the SDK's headers. Each exception has a reason.
HEADERS = 'sdk/include/'
HEADERS_WITH_SWITCHES = {
    'sdk/include/davit/kube/metadata.hpp': 'the base of all views is inline as a whole',
}
ROW = re.compile(r'^\| `([a-z0-9+-]+)` \| ([^|]+) \| `(\w+)\.(\w+)\.(\w+)` \|$')

Mutant = namedtuple('Mutant', 'name guard program suite test line')


def mutants_of(text):
    """The rows of the table, in its order."""
    for number, line in enumerate(text.split('\n'), 1):
        if found := ROW.match(line):
            yield Mutant(*found.groups(), number)


def uses_of(files):
    """(name, path, line) of each guard that the shipped code can switch off."""
    for file in files:
        if not file.path.startswith(SHIPPED):
            continue
        for number, line in enumerate(file.text.split('\n'), 1):
            for name in re.findall(r'\bmutant\("([^"]*)"\)', line):
                yield name, file.path, number


def live_programs(files):
    """The programs of live tests, which no run of .ci/run plays without a guard."""
    for file in files:
        if file.path.endswith('CMakeLists.txt'):
            yield from re.findall(r'\bdavit_test\((\w+)\s[^)]*\bLABELS live\b', file.text)


def mutant_findings(files):
    """(path, line, what is wrong): code and table name the same guards, and each killer is a test of the tree that CI plays."""
    files = list(files)
    table = next((file.text for file in files if file.path == TABLE), '')
    rows = list(mutants_of(table))
    for number, line in enumerate(table.split('\n'), 1):
        if line.startswith('| `') and not ROW.match(line):
            yield TABLE, number, 'a row is | `name` | guard | `program.Suite.Test` |'
    listed = [row.name for row in rows]
    guards = {name for row in rows for name in row.name.split('+')}
    uses = list(uses_of(files))
    for name, path, number in uses:
        if name not in guards:
            yield path, number, f'"{name}" is not in {TABLE}'
        if path.startswith(HEADERS) and path not in HEADERS_WITH_SWITCHES:
            yield path, number, f'the switch "{name}" stands in a header that plugin authors read; its place is in sdk/src'
    used = {name for name, _, _ in uses}
    tests = '\n'.join(file.text for file in files if file.path.endswith('_test.cpp'))
    live = set(live_programs(files))
    for row in rows:
        if listed.count(row.name) > 1:
            yield TABLE, row.line, f'"{row.name}" is listed twice'
        for name in set(row.name.split('+')) - used:
            yield TABLE, row.line, f'no code asks for "{name}"'
        if not re.search(rf'\bTEST(_F)?\({row.suite},\s+{row.test}\)', tests):
            yield TABLE, row.line, f'there is no test {row.suite}.{row.test}'
        if row.program in live:
            yield TABLE, row.line, f'{row.program} has live tests, which CI does not run without guards'
