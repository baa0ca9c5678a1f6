"""The rules of the tree. Each takes a File and yields (line, what is wrong)."""
import functools
import os
import re
from collections import namedtuple

import glossary
from cpp_text import DIRECTIVE, blank, code_of, functions

File = namedtuple('File', 'path text')
Rule = namedtuple('Rule', 'name applies check allowed')

LINES_MAX, COLUMNS_MAX, FUNCTION_LINES_MAX = 600, 100, 60
CPP = ('.cpp', '.hpp')
C_OR_CPP = CPP + ('.c', '.h')
PROSE = ('.md',)
# Who may use which library; its name in an #include decides. The rest of the host goes through that folder.
LIBRARY_FOLDERS = {
    'yaml-cpp/': ('lib/kube/',), 'curl/': ('host/transport/', 'host/outbound/'), 'boost/dll': ('host/loading/',),
    'CLI/': ('cli/',), 'spdlog/': ('lib/base/',), 'prometheus/': ('host/metrics/',),
    'boost/beast': ('lib/net/',), 'boost/asio': ('lib/net/',), 'protozero/': ('lib/kube/schema/',),
    're2/': ('lib/kube/validation/',),
}
HEAVY = tuple(LIBRARY_FOLDERS) + ('rapidjson/',)


def cpp(path):
    return path.endswith(CPP)


def c_or_cpp(path):
    return path.endswith(C_OR_CPP)


def test_code(path):
    return path.startswith('tests/') and not path.startswith(('tests/live/', 'tests/style/'))


def everywhere(path):
    return not path.startswith('tests/style/') and path != 'LICENSE'


def lines_that(pattern, what, view=lambda text: text):
    """A check that names each line of `view(text)` with a match of `pattern`."""
    pattern = re.compile(pattern)

    def check(file):
        for number, line in enumerate(view(file.text).split('\n'), 1):
            if found := pattern.search(line):
                yield number, what.format(found.group().strip())
    return check


def without_directives(text):
    return DIRECTIVE.sub(blank, code_of(text))


def file_length(file):
    count = file.text.count('\n')
    if count > LINES_MAX:
        yield count, f'{count} lines, at most {LINES_MAX}'


def columns(file):
    for number, line in enumerate(file.text.split('\n'), 1):
        if len(line) > COLUMNS_MAX:
            yield number, f'{len(line)} columns, at most {COLUMNS_MAX}'


def function_length(file):
    for first, count in functions(file.text):
        if count > FUNCTION_LINES_MAX:
            yield first, f'a function of {count} lines, at most {FUNCTION_LINES_MAX}'


def keeps_comments(file):
    if not re.search(r'^ReflowComments: *false$', file.text, re.M):
        yield 1, 'ReflowComments is not false: clang-format breaks tables and examples in comments'


def includes(file):
    for number, line in enumerate(file.text.split('\n'), 1):
        if found := re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line):
            yield number, found.group(1)


def heavy_headers(file):
    for number, name in includes(file):
        if name.startswith(HEAVY):
            yield number, f'<{name}> belongs in a .cpp file'


def library_folders(file):
    for number, name in includes(file):
        for library, folders in LIBRARY_FOLDERS.items():
            if name.startswith(library) and not file.path.startswith(folders):
                yield number, f'<{name}> is for {" and ".join(folders)} only'


def anchors(markdown):
    """The targets within a page: its headings, and what <a id="..."> names."""
    titles = re.findall(r'^#+ (.*)$', markdown, re.M)
    return {re.sub(r'[^\w\- ]', '', title.lower()).replace(' ', '-') for title in titles} | set(
        re.findall(r'<a id="([^"]+)">', markdown))


@functools.lru_cache(maxsize=None)
def anchors_of_page(path):
    with open(path, encoding='utf-8') as stream:
        return anchors(stream.read())


def links(root):
    def check(file):
        text = re.sub(r'^```.*?^```|`[^`\n]*`', blank, file.text, flags=re.M | re.S)
        for found in re.finditer(r'\[[^\]]*\]\(([^)\s]+)\)', text):
            target, _, anchor = found.group(1).partition('#')
            if re.match(r'[a-z]+:', target):
                continue
            number = text.count('\n', 0, found.start()) + 1
            base = os.path.dirname(file.path)
            path = os.path.join(root, os.path.normpath(os.path.join(base, target))) if target else ''
            if path and not os.path.exists(path):
                yield number, f'no such file: {target}'
            elif anchor and (target.endswith('.md') or not target):
                if anchor not in (anchors_of_page(path) if path else anchors(file.text)):
                    yield number, f'no such heading or anchor: #{anchor}'
    return check


def decision_numbers(paths):
    """Not a rule of one file: the decisions count 001, 002, ... without gaps or doubles."""
    pages = sorted(path for path in paths if path.startswith('docs/decisions/'))
    for wanted, path in enumerate(pages, 1):
        if not re.fullmatch(rf'docs/decisions/{wanted:03}-[a-z0-9-]+\.md', path):
            yield path, 1, f'the next decision is {wanted:03}-title.md'


def decision_heading(file):
    number = os.path.basename(file.path)[:3]
    if not file.text.startswith(f'# {number}. '):
        yield 1, f'the heading begins with "# {number}. "'


def all_rules(root):
    shipped = ('cli/', 'host/', 'lib/', 'plugins/', 'sdk/')
    return [
        Rule('file-length', lambda path: c_or_cpp(path) or path.endswith('.py'), file_length, {
            'sdk/include/davit/abi.h': 'its documentation is the contract'}),
        Rule('columns', c_or_cpp, columns, {
            'sdk/include/davit/abi.h': 'its documentation is the contract',
            'sdk/include/davit/cloud.h': 'its documentation is the contract'}),
        Rule('reflow', lambda path: path == '.clang-format', keeps_comments, {}),
        Rule('function-length', c_or_cpp, function_length, {}),
        Rule('exceptions', cpp, lines_that(r'\b(try|catch)\b', '"{}": errors are values', without_directives), {
            'cli/command_line.cpp': 'CLI11 throws',
            'lib/kube/yaml.cpp': 'yaml-cpp throws',
            'host/loading/loader.cpp': 'Boost.DLL throws',
            'lib/net/asio_server.cpp': 'whatever a connection throws ends that connection alone',
            'sandbox/server/request_threads.cpp': 'whatever a request throws ends that request alone',
            'lib/base/start_thread.hpp': 'std::jthread throws where the system has no thread',
            'host/plugin/guard.hpp': 'a plugin may throw, and may see nothing thrown',
            'lib/kube/schema/protobuf.cpp': 'protozero throws',
            'lib/kube/time_zone.cpp': 'libdate-tz throws',
            'plugins/cronjob/time_zone.cpp': 'libdate-tz throws',
            'testing/mistakes.hpp': 'the cluster throws for a mistake of the test, the host would take it for a failure',
            'testing/cluster_c.cpp': 'the cluster throws for a mistake of the test, a C caller may not see it',
            'sdk/src/trampoline.cpp': 'a controller may throw, a C caller may not see it'}),
        Rule('memory', cpp, lines_that(
            r'(?<!operator )\b(new|delete)\b(?<!= delete)|\b(malloc|calloc|realloc|free)\s*\(',
            '"{}": memory belongs to a value or a unique_ptr', without_directives), {
                'host/loading/loader.cpp': 'make_unique reaches no private constructor',
                'tests/support/scarcity.cpp': 'the allocator that fails when a test wants it to',
                'tests/plugins/garbagecollector/graph_size_test.cpp': 'the allocator that counts',
                'sdk/src/entry.cpp': 'destroy() of the C table ends what init() made'}),
        Rule('close', cpp, lines_that(r'(?<![\w.>:])::close\s*\(', 'a descriptor belongs to a UniqueFd',
                                      without_directives), {
            'lib/base/unique_fd.hpp': 'the owner',
            'plugins/pools/netlink.cpp': 'the owner of its socket: plugins do not see lib/'}),
        Rule('sleep', test_code, lines_that(
            r'\bsleep_for\b|\bsleep_until\b|\bu?sleep\s*\(|\btime\.sleep\b|^\s*sleep \d',
            '"{}": time is moved by hand', lambda text: text), {}),
        Rule('skip', test_code, lines_that(r'\bGTEST_SKIP\b', 'only tests/live/ may skip'), {}),
        Rule('leftovers', everywhere, lines_that(r'\b(TODO|FIXME|XXX|HACK)\b', '"{}": finish it'), {}),
        Rule('machine-paths', everywhere, lines_that(
            r'/(work|root)/|/tmp/[A-Za-z]', '"{}" exists on one machine only'), {}),
        Rule('heavy-headers', lambda path: path.endswith(('.hpp', '.h')), heavy_headers, {
            'host/transport/curl_handles.hpp': 'the one header with curl\'s deleters, included by .cpp files',
            'host/metrics/exposition.hpp': 'inside the folder: metrics.hpp hides it',
            'host/metrics/plugin_metrics.hpp': 'inside the folder: metrics.hpp hides it',
            'host/metrics/series.hpp': 'inside the folder: metrics.hpp hides it'}),
        Rule('library-folders', lambda path: path.startswith(shipped), library_folders, {}),
        Rule('glossary', c_or_cpp, glossary.names, {}),
        Rule('prose', lambda path: c_or_cpp(path) or path.endswith(PROSE) and not path.startswith('docs/spec/'), glossary.prose, {}),
        Rule('decision-heading', lambda path: path.startswith('docs/decisions/'), decision_heading, {}),
        Rule('links', lambda path: path.endswith(PROSE), links(root), {}),
    ]
