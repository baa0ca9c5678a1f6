"""Classes with one role: few public functions, defined in one source.

Constructors, destructors, assignments, friends and what is deleted or defaulted do not count as functions.
"""
import os
import re

from cpp_text import DIRECTIVE, blank, code_of, functions

FUNCTIONS_MAX = 15
PRODUCT = ('cli/', 'host/', 'lib/', 'nodes/', 'plugins/', 'sandbox/', 'sdk/include/', 'testing/')
HEADERS = ('.hpp', '.h')
CLASS = re.compile(r'\b(?:class|struct)\s+(?:\[\[\w+\]\]\s*)?(?:[A-Z_]+(?:\([^()]*\))?\s+)?(\w+)[^;{}()=]*\{')
# Attributes, and the macros of thread safety.
NOISE = re.compile(r'\[\[[^]]*\]\]|\b[A-Z][A-Z_]{3,}\((?:[^()]|\([^()]*\))*\)')
ANGLES = re.compile(r'<[^<>;{}]*>')
NO_FUNCTION = re.compile(r'\s*(?:using|friend|typedef|static_assert|enum|struct|class|union)\b')
MEMBER = re.compile(r'((?:[A-Z]\w*::)+)(?:~?[A-Za-z_]\w*|operator[^(]*)\s*\(')
# Classes with more public functions, each with its reason: {('host/a.hpp', 'A'): 'why'}.
WIDE = {
    ('host/process/host_process.hpp', 'HostProcess'): 'the wired host: its life, and each part that a command shows or changes',
    ('host/cache/informer.hpp', 'Informer'): 'the shared informer of client-go: listeners, indexes, freshness',
    ('host/cache/reflector_state.hpp', 'ReflectorState'): 'one function for each event that the state machine meets',
    ('host/cache/store.hpp', 'Store'): 'one writer and many readers of one table under one lock',
    ('cli/validate/trial_host.hpp', 'TrialHost'): 'the script of the checks: a host, its cluster and its log in one place',
    ('host/object/object_reader.hpp', 'ObjectReader'): 'one function for each event of a JSON parser',
    ('host/plugin/call_frame.hpp', 'CallFrame'): 'all that one call may use, has borrowed, wrote and said',
    ('host/queue/work_queue.hpp', 'WorkQueue'): 'the work queue of client-go with rate limits, delays and hand-over',
    ('host/run/controller_queue.hpp', 'ControllerQueue'): 'a work queue and its workers, with the functions of the former',
    ('host/run/controller_runner.hpp', 'ControllerRunner'): 'one life, whether threads or step() and next_due() drive it',
    ('lib/kube/json.hpp', 'Json'): 'a value: one function for each kind and access',
    ('sdk/include/davit/context.hpp', 'Context'): 'one function for each capability of the host',
    ('sdk/include/davit/json_writer.hpp', 'JsonWriter'): 'one function for each token and type of JSON',
    ('sdk/include/davit/kube/deployment.hpp', 'Deployment'): 'a view: one function for each field',
    ('sdk/include/davit/kube/metadata.hpp', 'ObjectView'): 'a view: one function for each field',
    ('sdk/include/davit/object.hpp', 'Value'): 'a value: one function for each kind and access',
    ('sdk/include/davit/testing/builders.hpp', 'ObjectBuilder'): 'one function for each field that a test sets',
    ('sdk/include/davit/testing/cluster.hpp', 'Cluster'): 'what a test of a plugin does to its cluster, by name',
    ('sdk/include/davit/testing/json.hpp', 'Json'): 'a value: one function for each kind and access',
}
# Classes that several sources of one folder define, each with its reason: {('host/a', 'A'): 'why'}.
SPREAD = {
    ('host/cache', 'Informer'): 'informer_refill.cpp is the second reflector of a swap, which ends with it',
    ('host/health', 'ObservabilityRoutes'): 'programs that need only the routes link no HTTP server',
}


def closing(code, begin):
    """Where the brace that opens at `begin` closes."""
    depth = 0
    for found in re.finditer(r'[{}]', code[begin:]):
        depth += 1 if found.group() == '{' else -1
        if depth == 0:
            return begin + found.start()
    return len(code)


def members(body, default):
    """(access, declaration) of each member of a class, without the bodies of functions."""
    access, depth, text = default, 0, ''
    for char in body:
        if char == '{':
            depth += 1
        elif char == '}':
            depth -= 1
            if depth == 0 and '(' in ANGLES.sub('', text) and not NO_FUNCTION.match(text):
                yield access, text
                text = ''
        elif depth == 0 and char == ';':
            yield access, text
            text = ''
        elif depth == 0:
            text += char
            if found := re.search(r'\b(public|protected|private)\s*:$', text):
                access, text = found.group(1), ''


def is_function(declaration, name):
    text = NOISE.sub(' ', declaration)
    while (shorter := ANGLES.sub('', text)) != text:
        text = shorter
    if NO_FUNCTION.match(text) or re.search(r'=\s*(?:delete|default)\b|\boperator\s*=\s*\(|\(\s*\*', text):
        return False
    head = text.split('=')[0] if 'operator' not in text else text
    found = re.search(r'(~?\w+|operator\s*\S+)\s*\(', head)
    return bool(found) and found.group(1).lstrip('~') != name


def wide_classes(file):
    """(line, name, number) of each class of a header with too many public functions."""
    code = DIRECTIVE.sub(blank, code_of(file.text))
    for found in CLASS.finditer(code):
        body = code[found.end():closing(code, found.end() - 1)]
        default = 'private' if found.group().startswith('class') else 'public'
        count = sum(access == 'public' and is_function(text, found.group(1))
                    for access, text in members(body, default))
        if count > FUNCTIONS_MAX:
            yield code.count('\n', 0, found.start()) + 1, found.group(1), count


def sources_of(files):
    """{(folder, class): {source: first line}} of the members that sources define."""
    out = {}
    for file in files:
        if not file.path.startswith(PRODUCT) or not file.path.endswith('.cpp'):
            continue
        lines = code_of(file.text).split('\n')
        for first, count in functions(file.text):
            head = ' '.join(lines[first - 1:first - 1 + count]).split('{')[0]
            if found := MEMBER.search(head):
                key = (os.path.dirname(file.path), found.group(1)[:-2])
                out.setdefault(key, {}).setdefault(file.path, first)
    return out


def role_findings(files, wide=None, spread=None):
    """(path, line, text) of each class with too many roles, and of each exception that nothing needs."""
    wide = WIDE if wide is None else wide
    spread = SPREAD if spread is None else spread
    needed = set()
    for file in files:
        if not file.path.startswith(PRODUCT) or not file.path.endswith(HEADERS):
            continue
        for line, name, count in wide_classes(file):
            needed.add((file.path, name))
            if (file.path, name) not in wide:
                yield file.path, line, f'{name} has {count} public functions, at most {FUNCTIONS_MAX}: split its roles'
    for (folder, name), where in sorted(sources_of(files).items()):
        if len(where) == 1:
            continue
        needed.add((folder, name))
        if (folder, name) not in spread:
            first, *others = sorted(where)
            for path in others:
                yield path, where[path], f'{name} is defined in {first} too: split its roles, not its source'
    for path, name in list(wide) + list(spread):
        if (path, name) not in needed:
            yield path, 1, f'{name}: is on the list of exceptions and needs none'
