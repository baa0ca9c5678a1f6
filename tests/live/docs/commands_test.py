"""Each lie that the test of the pages is for is found, and what is true is not."""
import pathlib
import sys
import tempfile
import unittest

import checks
import commands
import pages

ROOT, BUILD = sys.argv.pop(1), sys.argv.pop(1)
LIES = [
    # block or span, what is found
    ('```\nls\n```', 'unknown kind'),
    ('```python\nls\n```', 'unknown kind'),
    ('<!-- skip: it is slow -->\n```sh\ndavit run\n```', 'unknown mark'),
    ('<!-- not run: -->\n```sh\ndavit run\n```', 'unknown mark'),
    ('<!-- not run: needs root -->\n```yaml\na: 1\n```', 'stands before something else'),
    ('```sh\ndavit fly\n```', 'davit has no command fly'),
    ('```sh\ndavit ctl stop\n```', 'davit ctl has no command stop'),
    ('```sh\necho a | sudo davit ctl status --wide >file\n```', 'davit ctl status has no flag --wide'),
    ('```sh\necho "$(davit versions)"\n```', 'davit has no command versions'),
    ('<!-- not run: needs root -->\n```sh\ndavit run --no-such-flag=1\n```', 'davit run has no flag --no-such-flag=1'),
    ('```sh\ndavit ctl \\\n  stop\n```', 'davit ctl has no command stop'),
    ('```console\n$ davit fly\nit flies\n```', 'davit has no command fly'),
    ('```sh\nkubectl davit why --colour\n```', 'davit why has no flag --colour'),
    ('```sh\nmake all\n```', 'unknown program make'),
    ('```sh\napt install davit\n```', 'apt does not run here'),
    ('```sh\ndavit version && sudo kubectl get pods\n```', 'sudo does not run here'),
    ('```sh\n/bin/rm -r x\n```', '/bin/rm does not run here'),
    ('```sh\nscripts/no_such_script\n```', 'the tree has no scripts/no_such_script'),
    ('```sh\ndavit top   # see docs/NO_SUCH_PAGE.md\n```', 'the tree has no docs/NO_SUCH_PAGE.md'),
    ('```sh\nbuild/dev/tests/live/no_such_test\n```', 'the build does not make tests/live/no_such_test'),
    ('```sh\ncmake --build --preset nothing --target nowhere\n```', 'no target nowhere'),
    ('```sh\nscripts/test --target=nowhere\n```', 'no target nowhere'),
    ('```sh\nctest --preset nothing\n```', 'CMakePresets.json has no nothing'),
    ("```sh\nDAVIT_NO_SUCH" "_VARIABLE=1 davit run\n```", 'nothing reads DAVIT_NO_SUCH'),
    ("```sh\nbuild/dev/tests/live/story_test --gtest_filter='*NoSuch" "Story*'\n```", 'no test matches'),
    ('```sh\necho "open\n```', 'no shell reads this'),
    ('```yaml\napiVersion: davit.dev/v1alpha1\nkind: ControllerHost\nplugin: []\n```', 'plugin'),
    ('say `davit ctl --socket PATH`', 'davit ctl has no flag --socket'),
]
TRUTHS = [
    "<!-- not run: it builds davit -->\n```sh\ncmake --preset dev && cmake --build --preset dev --target davit   # docs/HACKING.md\n```",
    "```sh\nA=1 davit run --kubeconfig ~/.kube/config --controllers='*,-gc' -v 2 2>&1 | kubectl apply -f -\n```",
    '```sh\ndavit help ctl status; davit sandbox node stop node-1\n```',
    '<!-- not run: no such flag -->\n```sh\nsudo davit manifest from-flags -- kube-controller-manager --no-such-flag\n```',
    '<!-- first: kubectl get pods -->\n<!-- read: 30s as: 1s -->\n```sh\ndavit ctl swap replicaset --watch-for 30s\n```',
    '```text\nanything at all\n```',
    'say `davit ctl status` or `davit.yaml`',
]


class Findings(unittest.TestCase):
    def setUp(self):
        self.tree = checks.Tree(ROOT, BUILD)
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)

    def findings(self, text):
        found = [each for block in pages.blocks('page', text)
                 for each in commands.block_findings(self.tree, block, pathlib.Path(self.scratch.name))]
        return [text for _, text in found + list(commands.span_findings(self.tree, text))]

    def test_each_lie_is_found(self):
        for text, wanted in LIES:
            with self.subTest(text=text):
                self.assertTrue(any(wanted in each for each in self.findings(text)), self.findings(text))

    def test_the_truth_is_not_a_finding(self):
        for text in TRUTHS:
            with self.subTest(text=text):
                self.assertEqual(self.findings(text), [])

    def test_marks_are_read_from_the_lines_before_a_block(self):
        [block] = pages.blocks('page', 'words\n\n<!-- first: one command -->\n<!-- read: a b as: c -->\n```sh\nx\n```\n')
        self.assertEqual((block.first, block.read, block.reason), (['one command'], [('a b', 'c')], ''))


if __name__ == '__main__':
    unittest.main()
