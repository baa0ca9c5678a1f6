#!/usr/bin/env python3
"""CI fails for a skipped test unless the test, or what the machine lacks, is in .ci/allowed_skips."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SKIPS = pathlib.Path(__file__).resolve().parents[2] / '.ci' / 'skips'
SOAK = 'soak_test.ChurnTest.PrivateMemoryStaysFlatWhileDeploymentsComeAndGo'


def case(name, said):
    """A test that skips itself, as ctest reports it."""
    output = f'[ RUN      ] a\nserver.log: 5: Skipped\n/davit/tests/a_test.cpp:28: Skipped\n{said}\n\n[  SKIPPED ] a (0 ms)\n'
    return f'<testcase name="{name}"><skipped message="M"/><system-out>{output}</system-out></testcase>'


def verdict(*cases, **variables):
    """The exit code of .ci/skips and what it printed."""
    environment = {key: value for key, value in os.environ.items() if not key.endswith('_ASSETS')}
    with tempfile.NamedTemporaryFile('w', suffix='.xml') as report:
        report.write('<testsuite><testcase name="passed"/>' + ''.join(cases) + '</testsuite>')
        report.flush()
        done = subprocess.run([SKIPS, report.name], env={**environment, **variables}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class SkipsTest(unittest.TestCase):
    def test_nothing_skipped_passes(self):
        self.assertEqual(verdict(), (0, '0 skipped, 0 of them without leave\n'))

    def test_a_test_is_allowed_by_its_name(self):
        self.assertEqual(verdict(case(SOAK, 'by hand'))[0], 0)
        self.assertEqual(verdict(case(SOAK + 'x', 'by hand'))[0], 1)

    def test_what_the_machine_lacks_allows_the_tests_that_say_so_and_lists_them(self):
        status, said = verdict(case('b', 'KUBEBUILDER_ASSETS is not set'), case('a', 'needs KUBEBUILDER_ASSETS with etcd'))
        self.assertEqual(status, 0)
        self.assertIn('2 skipped: This machine has no kube-apiserver v1.36;', said)
        self.assertIn('\n  a\n  b\n', said)
        self.assertEqual(verdict(case('a', 'DAVIT_OLDEST_ASSETS is not set'))[0], 0)

    def test_where_the_machine_has_it_nothing_may_be_skipped_for_it(self):
        status, said = verdict(case('a', 'KUBEBUILDER_ASSETS is not set'), KUBEBUILDER_ASSETS='/a/folder')
        self.assertEqual(status, 1)
        self.assertIn('not in .ci/allowed_skips: a: KUBEBUILDER_ASSETS is not set\n', said)
        self.assertEqual(verdict(case('a', 'KUBEBUILDER_ASSETS is not set'), KUBEBUILDER_ASSETS='')[0], 0)
        self.assertEqual(verdict(case('a', 'DAVIT_OLDEST_ASSETS is not set'), KUBEBUILDER_ASSETS='/a/folder')[0], 0)

    def test_each_other_reason_fails(self):
        self.assertEqual(verdict(case('a', 'no network'))[0], 1)
        self.assertEqual(verdict(case('a', 'MY_KUBEBUILDER_ASSETS is not set'))[0], 1)
        self.assertEqual(verdict('<testcase name="a"><skipped/></testcase>')[0], 1)
        self.assertEqual(verdict(case('a', 'KUBEBUILDER_ASSETS is not set'), case('b', 'no network'))[0], 1)


if __name__ == '__main__':
    unittest.main()
