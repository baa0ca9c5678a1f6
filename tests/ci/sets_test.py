#!/usr/bin/env python3
"""sets_test.py CTEST BUILD: each test of a build under ASan is in one of the sets of .ci/sets, which .ci/run knows."""
import collections
import json
import pathlib
import re
import subprocess
import sys
import unittest

CI = pathlib.Path(__file__).resolve().parents[2] / '.ci'
CTEST, BUILD = sys.argv[1:]


def sets():
    """The options of ctest by the name of the set."""
    lines = [line.split() for line in (CI / 'sets').read_text().splitlines() if not line.startswith('#')]
    return {name: options for name, _, *options in lines}


def tests(options):
    """The names of the tests that ctest selects. It knows the tests of a program that is not built by no name."""
    listed = subprocess.run([CTEST, '--test-dir', BUILD, '--show-only=json-v1', *options], capture_output=True, check=True)
    names = [test['name'] for test in json.loads(listed.stdout)['tests']]
    return [name for name in names if not name.endswith('_NOT_BUILT')]


def misplaced(options_of_sets):
    """The tests that are in no set, or in several."""
    count = collections.Counter(name for options in options_of_sets for name in tests(options))
    return [name for name in tests([]) if count[name] != 1]


class SetsTest(unittest.TestCase):
    def test_each_test_is_in_one_set(self):
        self.assertEqual(misplaced(sets().values()), [])

    def test_a_test_in_no_set_or_in_two_is_found(self):
        rules = sets()['rules']
        others = [options for name, options in sets().items() if name != 'rules']
        self.assertIn('ci.EachTestIsInOneSet', misplaced(others))
        self.assertIn('ci.EachTestIsInOneSet', misplaced([*others, rules, rules]))

    def test_each_set_takes_its_turn(self):
        run = (CI / 'run').read_text()
        turns = re.search(r'^turns=\((.*)\)$', run, re.MULTILINE).group(1).split()
        for name in sets():
            self.assertIn(name, turns)
            self.assertRegex(run, rf'if has_turn {name}; then\s+under_asan {name}\b')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
