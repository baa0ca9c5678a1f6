#!/usr/bin/env python3
"""Each rule of rules.py finds what it forbids and leaves alone what only looks like it."""
import os
import tempfile
import unittest

from citations import citation_findings
from layers import layer_findings, order_of
from messages import PAGE, message_findings
from mutants import TABLE, mutant_findings
from named_tests import FAULTS, named_test_findings
from repeats import LINES_MIN, repeat_findings
from roles import FUNCTIONS_MAX, role_findings
from rules import File, all_rules, decision_numbers
from style import findings
from vocabulary import HEADING, PAGE as RULES_PAGE, vocabulary_findings

ARCHITECTURE = ('sandbox/   an API server\n  store/  versions\n  rest/   verbs\nnodes/     simulated nodes\n'
                'lib/\n  base/  clock\n  kube/  times\n  kube/schema/  fields\n'
                'host/\n  object/  objects\n  api/   requests\ncli/   the program\ntests/  tests\n')
LONG_BODY = '  f();\n' * 60

# rule, path, text, line of the finding
BROKEN = [
    ('file-length', 'host/api/a.cpp', '\n' * 601, 601),
    ('columns', 'host/api/a.hpp', '\n// ' + 'ä' * 98 + '\n', 2),
    ('reflow', '.clang-format', 'BasedOnStyle: Google\n', 1),
    ('function-length', 'host/api/a.cpp', 'namespace a {\nvoid f(int a) {\n' + LONG_BODY + '}\n}\n', 2),
    ('function-length', 'host/api/a.cpp', 'struct A {\n A(int b)\n  : b_{b}, c_(1) {\n' + LONG_BODY + ' }\n};', 2),
    ('function-length', 'tests/a_test.cpp', 'TEST(A, B) {\n  if (x) {\n  }\n' + LONG_BODY + '}\n', 1),
    ('function-length', 'host/api/a.cpp', 'auto f() -> int {\n  int a[] = {1};\n' + LONG_BODY + '}\n', 1),
    ('exceptions', 'host/api/a.cpp', 'void f() {\n  try {\n', 2),
    ('exceptions', 'plugins/x/a.cpp', '} catch (...) {', 1),
    ('memory', 'host/api/a.cpp', 'int* a = new int;', 1),
    ('memory', 'host/api/a.cpp', 'void f() { delete a; }', 1),
    ('memory', 'host/api/a.cpp', 'void* a = std::malloc(3);', 1),
    ('close', 'host/api/a.cpp', '  ::close(fd);', 1),
    ('sleep', 'tests/host/a_test.cpp', 'std::this_thread::sleep_for(a);', 1),
    ('sleep', 'tests/host/a_test.cpp', '\nusleep(3);', 2),
    ('sleep', 'tests/sdk/a.sh', 'sleep 1', 1),
    ('skip', 'tests/host/a_test.cpp', 'GTEST_SKIP();', 1),
    ('leftovers', 'docs/a.md', 'a\n\nTODO: b', 3),
    ('leftovers', 'host/api/a.cpp', '// FIXME', 1),
    ('machine-paths', 'scripts/a', 'cd /work/x', 1),
    ('machine-paths', 'README.md', 'see /root/x', 1),
    ('machine-paths', 'host/api/a.cpp', '"/tmp/davit"', 1),
    ('heavy-headers', 'host/api/a.hpp', '#include <boost/beast/http.hpp>', 1),
    ('heavy-headers', 'host/object/a.hpp', '\n#include <rapidjson/reader.h>', 2),
    ('library-folders', 'cli/a.cpp', '#include <curl/curl.h>', 1),
    ('library-folders', 'plugins/x/a.cpp', '#include <spdlog/spdlog.h>', 1),
    ('library-folders', 'lib/base/a.cpp', '#include <curl/curl.h>', 1),
    ('glossary', 'host/api/a.hpp', '\nclass CurlLane;', 2),
    ('glossary', 'host/api/a.hpp', 'enum { kLaneCount };', 1),
    ('glossary', 'host/api/a.cpp', 'int handler_inboxes_ = 0;', 1),
    ('glossary', 'tests/host/trouble_test.cpp', '', 1),
    ('glossary', 'host/swap/a.cpp', 'probations.settle_all();', 1),
    ('glossary', 'lib/net/a.hpp', 'bool resting_ = false;', 1),
    ('glossary', 'host/cache/a.hpp', 'bool is_deaf() const;', 1),
    ('glossary', 'tests/live/a_test.cpp', 'constexpr int kRolloutPatience = 1;', 1),
    ('glossary', 'lib/kube/a.hpp', '\nusing Complaints = int;', 2),
    ('glossary', 'host/health/a.hpp', 'class AsideCall;', 1),
    ('glossary', 'tests/a_test.cpp', 'TEST(A, ItBeginsAnew) {', 1),
    ('prose', 'host/a.hpp', '/// Of the queue.\nint a;', 1),
    ('prose', 'host/a.hpp', 'int a;\nint b;  ///< By name.', 2),
    ('prose', 'host/a.cpp', '// Waits. Nobody else\n// does.', 1),
    ('prose', 'tests/a_test.cpp', '/// Keys,\n/// by name. Whoever comes\n/// first.', 2),
    ('prose', 'sdk/a.h', '// The queue is told.', 1),
    ('prose', 'docs/a.md', 'One.\n- Of two, the first.', 2),
    ('prose', 'docs/a.md', 'The caller settles it.', 1),
    ('prose', 'docs/a.md', 'One.\nThe old build goes on serving.', 2),
    ('prose', 'host/a.cpp', '// The watch is deaf.', 1),
    ('prose', 'host/a.cpp', '// A node comes back\n// and says so.', 2),
    ('prose', 'host/a.hpp', 'int a;  ///< What the queue holds.', 1),
    ('prose', 'host/a.hpp', '/// A queue.\nclass A;\n\n/// How often it ran.\nint a;', 4),
    ('decision-heading', 'docs/decisions/002-a.md', '# 2. A', 1),
    ('links', 'docs/a.md', 'x\n[gone](gone.md)', 2),
    ('links', 'docs/a.md', '# One\n[two](#two)', 2),
    ('links', 'a.md', '[there](docs/page.md#nowhere)', 1),
    ('links', 'docs/a.md', '<a id="D01"></a>\n[row](#D02)', 2),
]

FINE = [
    ('host/api/a.cpp', '// the lane\nint control_plane = insights + aeroplane + f("inbox");'),
    ('host/api/a.cpp', '// new things: try to delete them, then ::close(fd)\nA(A&&) = delete;\nauto a = "try new";'),
    ('host/api/a.cpp', 'auto a = R"(new try {)"; char c = \'"\'; int b = 1\'000; void* operator new(size_t);'),
    ('host/api/a.cpp', 'class A {\n' + ' void f() { g(); }\n' * 70 + '};'),
    ('host/api/a.cpp', 'const A kTable[] = {\n' + ' {1, f(2)},\n' * 70 + '};'),
    ('host/api/a.cpp', 'namespace {\n' + 'void f(int a = {}) {\n}\n' * 50 + '}'),
    ('host/api/a.cpp', '#define F(x) \\\n  do { \\\n' + '  f(); \\\n' * 70 + '  } while (0)\n'),
    ('host/transport/a.cpp', '#include <curl/curl.h>\n#include <new>\n#include "lib/base/a.hpp"'),
    ('cli/a.cpp', '#include "host/api/a.hpp"'),
    ('plugins/x/a.cpp', '#include <davit/controller.hpp>\n#include "plugins/x/a.hpp"'),
    ('tests/live/a_test.cpp', 'GTEST_SKIP(); sleep_for(a);'),
    ('tests/host/a_test.cpp', 'mkdtemp("/davit-XXXXXX"); server.close(); wake.sleepers(1);'),
    ('tests/a_test.cpp', 'world.settle(); answer.heard();'),
    ('host/a.hpp', '/// Keys that wait, each with the name\n/// Of Kubernetes. By default none.\nint a;  // The best of them.'),
    ('host/a.cpp', 'f("told", R"(// Nobody)");  // By hand.'),
    ('docs/a.md', '```\nNobody is told\n```\n`Of` lines.\nThe name\nOf the rose.'),
    ('docs/spec/a.md', 'Of all, the controller is told.'),
    ('host/a.hpp', '/// The keys that wait, and\n/// what they wait for. A write goes on the wire.\nint beside, nodeAffinity;'),
    ('docs/a.md', '## What it serves\nHow it works.'),
    ('docs/a.md', '<a id="D01"></a> [row](#D01)'),
    ('docs/a.md', '[page](page.md#a-title) [web](https://example.com/x) `[no](link)`\n```\n[no](link)\n```\n'),
]


class StyleTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        os.mkdir(os.path.join(folder.name, 'docs'))
        with open(os.path.join(folder.name, 'docs', 'page.md'), 'w', encoding='utf-8') as page:
            page.write('# A title\n')
        self.rules = [rule._replace(allowed={}) for rule in all_rules(folder.name)]

    def found(self, path, text):
        return [(rule, line) for _, line, rule, _ in findings(self.rules, [File(path, text)])]

    def test_every_rule_finds_what_it_forbids(self):
        for rule, path, text, line in BROKEN:
            with self.subTest(rule=rule, text=text[:60]):
                self.assertIn((rule, line), self.found(path, text))

    def test_every_rule_is_shown_to_fail(self):
        self.assertEqual({rule.name for rule in self.rules}, {case[0] for case in BROKEN})

    def test_what_only_looks_forbidden_passes(self):
        for path, text in FINE:
            with self.subTest(path=path, text=text[:60]):
                self.assertEqual(self.found(path, text), [])

    def test_an_exception_covers_its_file_and_must_be_needed(self):
        rule = next(rule for rule in self.rules if rule.name == 'exceptions')
        rule = rule._replace(allowed={'host/api/a.cpp': 'a reason'})
        throws = File('host/api/a.cpp', 'void f() { try {')
        self.assertEqual(list(findings([rule], [throws])), [])
        self.assertEqual(len(list(findings([rule], [throws._replace(text='')]))), 1)

    def test_decisions_count_without_gaps_and_doubles(self):
        page = 'docs/decisions/{}.md'.format
        self.assertEqual(list(decision_numbers([page('001-a'), page('002-b')])), [])
        for wrong in ('003-b', '001-b', '2-b', '002'):
            self.assertEqual(len(list(decision_numbers([page('001-a'), page(wrong)]))), 1, wrong)

    def test_mutants_their_table_and_their_tests_agree(self):
        code = File('host/api/a.cpp', 'if (!mutant("fence") && late) return;')
        test = File('tests/host/a_test.cpp', 'TEST_F(FenceTest, Holds) {')
        row = '| `fence` | a fence | `a_test.FenceTest.Holds` |\n'
        table = File(TABLE, row)
        self.assertEqual(list(mutant_findings([code, test, table])), [])
        for wrong in ([test, table], [code, table], [code, test], [code, test, table._replace(text=row + row)],
                      [code, test, table._replace(text=row + '| `moat` | no test | |\n')]):
            self.assertNotEqual(list(mutant_findings(wrong)), [])
        for label, count in (('live', 1), ('system', 0)):
            program = File('tests/live/CMakeLists.txt', f'davit_test(a_test SOURCES a_test.cpp\n  LABELS {label} LOCK a)\n')
            self.assertEqual(len(list(mutant_findings([code, test, table, program]))), count, label)
        header = code._replace(path='sdk/include/davit/a.hpp')
        self.assertEqual(len(list(mutant_findings([header, test, table]))), 1)
        self.assertEqual(list(mutant_findings([code._replace(path='sdk/src/a.cpp'), test, table])), [])

    def test_tests_and_mutants_that_pages_name_are_in_the_tree(self):
        test = File('tests/host/a_test.cpp', 'TEST_F(FenceTest, Holds) {\n}\nTEST_P(GateTest,\n       Opens) {')
        table = File(TABLE, '| `fence` | a fence | `a_test.FenceTest.Holds` |\n')
        row = '| a cow runs away | `FenceTest`, `a_test.FenceTest.Holds`, `GateTest.Opens/all` | `fence` |\n| two | `GateTest` | |\n'
        self.assertEqual(list(named_test_findings([test, table, File(FAULTS, row)])), [])
        for wrong in ('FenceTest.Stands', 'MoatTest.Holds', 'MoatTest'):
            found = list(named_test_findings([test, table, File(FAULTS, f'| one | `{wrong}` | |\n')]))
            self.assertEqual([finding[:2] for finding in found], [(FAULTS, 1)], wrong)
        self.assertEqual(len(list(named_test_findings([test, table, File(FAULTS, row.replace('`fence`', '`moat`'))]))), 1)
        self.assertEqual(len(list(named_test_findings([test, File('lib/a.cpp', '// See FenceTest.Stands.')]))), 1)
        self.assertEqual(list(named_test_findings([test, File('docs/HACKING.md', 'A `MoatTest` is not a promise.')])), [])

    def test_messages_of_the_troubleshooting_page_are_those_of_the_code(self):
        code = File('host/a.cpp', 'f("cannot start "\n  "the \\"web\\" plugin: " + name);')
        page = '| message | then |\n| --- | --- |\n| `cannot start the "web" plugin: …` | retry |\n'
        self.assertEqual(list(message_findings([code, File(PAGE, page)])), [])
        changed = page.replace('start the', 'open the')
        self.assertEqual([finding[1] for finding in message_findings([code, File(PAGE, changed)])], [3])
        elsewhere = File('tests/a.cpp', code.text)
        self.assertEqual([finding[1] for finding in message_findings([elsewhere, File(PAGE, page)])], [3])

    def test_code_that_stands_twice_is_found(self):
        run = ''.join(f'  f({number});\n' for number in range(LINES_MIN))
        again = run.replace('  f(0)', '\tf(0)').replace('f(3);\n', 'f(3);  // three\n\n}\n')  # Only the layout differs.
        a = File('host/a.cpp', 'int a;\n' + run)
        for path, text in [('lib/b.hpp', '\n' + again), ('lib/b.hpp', '\n' + again + again), ('lib/b.hpp', '\n' + run + 'int a;\n')]:
            found = [finding[:2] for finding in repeat_findings([a, File(path, text)], {})]
            self.assertEqual(found[0], (path, 2), text)
        self.assertEqual([finding[:2] for finding in repeat_findings([File('host/a.cpp', run + 'int a;\n' + run)], {})],
                         [('host/a.cpp', LINES_MIN + 2)])

    def test_what_does_not_stand_twice_passes(self):
        run = ''.join(f'  f({number});\n' for number in range(LINES_MIN))
        a = File('host/a.cpp', run)
        for path, text in [('lib/b.cpp', run.replace('f(7)', 'g(7)')), ('tests/b.cpp', run), ('lib/b.py', run)]:
            self.assertEqual(list(repeat_findings([a, File(path, text)], {})), [], path)
        thin = ''.join(f'#include <{number}>\nusing x::f{number};\n// {number}\n}}\n' for number in range(LINES_MIN))
        self.assertEqual(list(repeat_findings([File('host/a.cpp', thin), File('lib/b.cpp', thin)], {})), [])

    def test_a_pair_on_the_list_passes_and_must_be_needed(self):
        run = ''.join(f'  f({number});\n' for number in range(LINES_MIN))
        allowed = {('host/a.cpp', 'lib/b.cpp'): 'a reason'}
        self.assertEqual(list(repeat_findings([File('host/a.cpp', run), File('lib/b.cpp', run)], allowed)), [])
        self.assertEqual(len(list(repeat_findings([], allowed))), 1)

    def test_a_class_with_too_many_public_functions_is_found(self):
        enough = ''.join(f'  int f{number}(int a = g()) const {{ return {number}; }}\n' for number in range(FUNCTIONS_MAX))
        one_more = '  [[nodiscard]] Result<std::function<void()>> more(int) EXCLUDES(mutex_);\n'
        wide = f'\nclass A {{\n public:\n{enough}{one_more}}};\n'
        self.assertEqual([finding[:2] for finding in role_findings([File('host/a.hpp', wide)], {}, {})], [('host/a.hpp', 2)])
        self.assertEqual([finding[:2] for finding in role_findings([File('host/a.hpp', f'struct A {{\n{enough}{one_more}}};')], {}, {})],
                         [('host/a.hpp', 1)])
        for line in ['  A(int);', '  ~A();', '  A& operator=(const A&) = delete;', '  std::function<void()> b;', '  void (*c)(int);',
                     '  int d GUARDED_BY(mutex_) = g();', '  using E = void(int);', ' private:\n  void h();',
                     '  friend void i();', '  struct B { void j(); };']:
            self.assertEqual(list(role_findings([File('host/a.hpp', wide.replace(one_more, line + '\n'))], {}, {})), [], line)
        self.assertEqual(list(role_findings([File('tests/a.hpp', wide)], {}, {})), [])
        self.assertEqual(list(role_findings([File('host/a.hpp', wide)], {('host/a.hpp', 'A'): 'a reason'}, {})), [])
        self.assertEqual(len(list(role_findings([], {('host/a.hpp', 'A'): 'a reason'}, {}))), 1)

    def test_a_class_in_two_sources_is_found(self):
        one = File('host/a.cpp', 'Result<B::C> A::f(int a) {\n}\n')
        two = File('host/b.cpp', 'namespace x {\n\nint A::g() const {\n  return B::h();\n}\n}\n')
        self.assertEqual([finding[:2] for finding in role_findings([one, two], {}, {})], [('host/b.cpp', 3)])
        self.assertEqual(list(role_findings([one, two], {}, {('host', 'A'): 'a reason'})), [])
        for other in (two._replace(path='lib/b.cpp'), two._replace(path='tests/b.cpp'), two._replace(text='int B::g() {\n}\n'),
                      two._replace(text='int A::B::g() {\n}\n'), two._replace(text='int f() {\n  return A::g();\n}\n')):
            self.assertEqual(list(role_findings([one, other], {}, {})), [], other)
        self.assertEqual(len(list(role_findings([], {}, {('host', 'A'): 'a reason'}))), 1)

    def test_citations_lead_to_rows(self):
        spec = File('docs/spec/deployment.md', '| <a id="D07"></a>D07 | x |\n- **<a id="Q1"></a>Q1** y')
        runtime = File('docs/spec/runtime.md', '- <a id="RT-050"></a>RT-050 Given')
        for path, text in [('plugins/deployment/a.cpp', '// D07, quirk Q1'),
                           ('tests/plugins/deployment/a_test.cpp', 'TEST(A, D07_Holds) {}  // RT-050'),
                           ('tests/plugins/replicaset/a_test.cpp', 'TEST(A, D99Holds)'),  # D has no meaning here.
                           ('tests/host/a_test.cpp', 'TEST(A, HoldsRT050) {}  // SHORT-999, D99'),
                           ('plugins/deployment/README.md', '`A.D07Holds`, [D07](../../docs/spec/deployment.md#D07)'),
                           ('docs/a.md', 'the C11 compiler; [RT-050](spec/runtime.md#RT-050)')]:
            self.assertEqual(list(citation_findings([spec, runtime, File(path, text)])), [], text)
        for path, text in [('plugins/deployment/a.cpp', '\n// D08'),
                           ('plugins/deployment/a.cpp', '\n// rows D07 to D11'),
                           ('tests/plugins/deployment/a_test.cpp', '\nTEST(A, D08_Holds)'),
                           ('tests/plugins/deployment/a_test.cpp', '\nTEST(A, D08Holds)'),
                           ('tests/support/api_checks/a.yaml', '\n  - id: C1'),
                           ('tests/host/a_test.cpp', '\n// RT-051'),
                           ('tests/host/a_test.cpp', '\nTEST(A, HoldsRT051)'),
                           ('docs/a.md', '\nsee RT-050'),
                           ('docs/a.md', '\nsee check C14'),
                           ('plugins/deployment/README.md', '\nD07'),
                           ('plugins/deployment/README.md', '\n[Q1](../../docs/spec/deployment.md#D07)')]:
            found = list(citation_findings([spec, runtime, File(path, text)]))
            self.assertEqual([finding[:2] for finding in found], [(path, 2)], text)
        again = spec._replace(text=spec.text + '\n' + spec.text)
        self.assertEqual([line for _, line, _ in citation_findings([again])], [3, 4])

    def test_each_case_of_a_page_has_a_test(self):
        spec = File('docs/spec/cloud.md', '<a id="D1"></a><a id="CLD001"></a><a id="CLD002"></a>')
        test = File('tests/plugins/cloud/a_test.cpp', 'TEST_F(ATest, CLD001_Holds) {}\nTEST(A,\n     CLD002_HoldsToo) {}\n')
        self.assertEqual(list(citation_findings([spec, test])), [])
        half = test._replace(text='TEST_F(ATest, CLD001_Holds) {}\n// CLD002\n')
        self.assertEqual([text for _, _, text in citation_findings([spec, half])], ['no test has CLD002 in its name'])

    def test_the_order_of_folders_is_the_documents(self):
        self.assertEqual(order_of(ARCHITECTURE), ['host/object', 'host/api', 'sandbox/store', 'sandbox/rest',
                                                  'lib/base', 'lib/kube', 'lib/kube/schema'])

    def test_includes_lead_downward(self):
        for path, name in [('host/api/a.cpp', 'host/object/b.hpp'), ('host/api/a.cpp', 'davit/abi.h'),
                           ('host/api/a.hpp', 'lib/kube/b.hpp'), ('cli/a.cpp', 'sandbox/rest/b.hpp'),
                           ('sandbox/rest/a.cpp', 'sandbox/store/b.hpp'), ('nodes/a.cpp', 'host/api/b.hpp'),
                           ('sandbox/store/a.cpp', 'lib/base/b.hpp'), ('nodes/a.cpp', 'lib/base/b.hpp'), ('cli/a.cpp', 'nodes/b.hpp'),
                           ('nodes/a.cpp', 'davit/kube/time.hpp'), ('tests/nodes/a.cpp', 'sandbox/rest/b.hpp'),
                           ('lib/kube/a.cpp', 'lib/base/b.hpp'), ('lib/kube/schema/fields/a.cpp', 'lib/kube/b.hpp'),
                           ('plugins/x/a.cpp', 'plugins/x/b.hpp'), ('plugins/x/a.cpp', 'plugins/shared/y/b.hpp'),
                           ('plugins/shared/y/a.cpp', 'davit/kube/pod.hpp'),
                           ('plugins/x/a.cpp', 'davit/abi.h'), ('sdk/include/davit/a.hpp', 'davit/abi.h'),
                           ('lib/base/a.hpp', 'davit/result.hpp'), ('sandbox/rest/a.cpp', 'davit/kube/time.hpp'),
                           ('sdk/include/davit/a.hpp', 'davit/result.hpp'), ('sdk/include/davit/result.hpp', 'davit/abi.h'),
                           ('sdk/include/davit/kube/time.hpp', 'davit/time.hpp'),
                           ('tests/host/a.cpp', 'sandbox/rest/b.hpp'), ('host/api/a.cpp', 'vector'),
                           ('host/api/a.cpp', 'curl/curl.h')]:
            with self.subTest(path=path, name=name):
                file = File(path, f'\n#include "{name}"\n')
                self.assertEqual(list(layer_findings([file], ARCHITECTURE, {})), [])

    def test_an_include_that_leads_upward_or_across_is_found(self):
        for path, name in [('host/object/a.cpp', 'host/api/b.hpp'), ('host/api/a.cpp', 'host/unknown/b.hpp'),
                           ('host/unknown/a.cpp', 'host/object/b.hpp'), ('host/api/a.cpp', 'tests/support/b.hpp'),
                           ('host/api/a.cpp', 'sandbox/store/b.hpp'), ('plugins/x/a.cpp', 'plugins/y/b.hpp'),
                           ('plugins/shared/y/a.cpp', 'plugins/x/b.hpp'), ('host/api/a.cpp', 'plugins/shared/y/b.hpp'),
                           ('plugins/x/a.cpp', 'host/object/b.hpp'), ('sdk/include/davit/a.hpp', 'host/object/b.hpp'),
                           ('sandbox/store/a.hpp', 'sandbox/rest/b.hpp'), ('sandbox/store/a.cpp', 'host/object/b.hpp'),
                           ('sandbox/rest/a.cpp', 'host/api/b.hpp'), ('nodes/a.cpp', 'sandbox/rest/b.hpp'),
                           ('sandbox/rest/a.cpp', 'davit/abi.h'), ('sandbox/rest/a.cpp', 'plugins/x/b.hpp'),
                           ('lib/base/a.cpp', 'lib/kube/b.hpp'), ('lib/kube/a.cpp', 'lib/kube/schema/b.hpp'),
                           ('lib/kube/a.cpp', 'davit/abi.h'), ('nodes/a.cpp', 'host/queue/b.hpp'), ('nodes/a.cpp', 'davit/object.hpp'),
                           ('sandbox/rest/a.cpp', 'nodes/b.hpp'), ('host/api/a.cpp', 'nodes/b.hpp'), ('nodes/a.cpp', 'cli/b.hpp'),
                           ('sandbox/rest/a.cpp', 'davit/object.hpp'), ('lib/base/a.hpp', 'davit/log.hpp'),
                           ('sdk/include/davit/result.hpp', 'davit/object.hpp'),
                           ('sdk/include/davit/abi.h', 'davit/result.hpp')]:
            with self.subTest(path=path, name=name):
                file = File(path, f'\n#include "{name}"\n')
                found = list(layer_findings([file], ARCHITECTURE, {}))
                self.assertEqual([finding[:2] for finding in found], [(path, 2)])

    def test_an_arrow_on_the_list_passes_and_must_be_needed(self):
        file = File('sandbox/store/a.cpp', '#include "host/object/b.hpp"\n')
        allowed = {('sandbox/store', 'host/object'): 'a reason'}
        self.assertEqual(list(layer_findings([file], ARCHITECTURE, allowed)), [])
        self.assertEqual(len(list(layer_findings([], ARCHITECTURE, allowed))), 1)

    def test_a_second_header_of_a_rule_is_found(self):
        table = f'# A\n{HEADING}\n\n| rule | place | users |\n| --- | --- | --- |\n| a | `lib/kube/a.hpp` | b |\n## B\n'
        page = File(RULES_PAGE, table)
        place = File('lib/kube/a.hpp', '')

        def found(*files, others=None):
            return [(path, line) for path, line, _ in vocabulary_findings([page, *files], others or {})]

        self.assertEqual(found(place, File('host/api/b.hpp', ''), File('tests/lib/a.hpp', '')), [])
        second = File('host/api/a.hpp', '')
        self.assertEqual(found(place, second), [('host/api/a.hpp', 1)])
        self.assertEqual(found(place, second, others={'host/api/a.hpp': 'a reason'}), [])
        self.assertEqual(found(), [(RULES_PAGE, 6)], 'a place that is not there')
        self.assertEqual(len(found(place, others={'host/api/c.hpp': 'a reason'})), 1, 'an exception that nothing needs')
        self.assertEqual([path for path, _, _ in vocabulary_findings([place], {})], [RULES_PAGE], 'a page without the table')
        code = 'inet_pton(x);\n"0123456789abcdef"\n0xCBF29CE484222325u\n1\'099\'511\'628\'211\n"0123456789abcdefg"\n'
        self.assertEqual(found(place, File('nodes/c.cpp', code)), [('nodes/c.cpp', line) for line in (1, 2, 3, 4)])
        self.assertEqual(found(place, File('sdk/include/davit/hex.hpp', '"0123456789ABCDEF"')), [])


if __name__ == '__main__':
    unittest.main()
