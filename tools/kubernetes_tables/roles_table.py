"""The table of the roles and bindings that a server makes at its start.

Documents: roles/*.json. Facts: facts/roles.txt, in the notation of sandbox/auth/bootstrap_roles.hpp. Code:
sandbox/auth/bootstrap_roles.cpp and controller_roles.cpp.
"""
import textwrap

import cpp
from report import Mistake

COLUMNS_MAX = 100
AGGREGATE = 'rbac.authorization.k8s.io/aggregate-to-'
CONTROLLERS = 'system:controller:'


def _joined(values):
    return ','.join(value or 'core' for value in values)


def _rule(rule, place):
    if unknown := set(rule) - {'verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'}:
        raise Mistake(place, f'a rule has the unknown member {min(unknown)}', 'Extend tools/kubernetes_tables/roles_table.py')
    if 'nonResourceURLs' in rule:
        return f'urls {_joined(rule["verbs"])} {_joined(rule["nonResourceURLs"])}'
    names = f' {_joined(rule["resourceNames"])}' if 'resourceNames' in rule else ''
    return f'rule {_joined(rule["verbs"])} {_joined(rule["apiGroups"])} {_joined(rule["resources"])}{names}'


def _subject(subject):
    if subject['kind'] == 'ServiceAccount':
        return f'ServiceAccount {subject["namespace"]}/{subject["name"]}'
    return f'{subject["kind"]} {subject["name"]}'


def _lines(words):
    """Lists are cut behind a comma; continued lines begin with four blanks."""
    text = words.replace(' ', '\0').replace(',', ', ')
    lines = textwrap.wrap(text, COLUMNS_MAX - 4, break_long_words=False, break_on_hyphens=False)
    return ''.join(f'{"  " if at == 0 else "    "}{line}\n' for at, line in enumerate(lines)).replace(', ', ',').replace('\0', ' ')


def _role(item, place):
    metadata = item['metadata']
    out = [f'{item["kind"]} {metadata.get("namespace", "-")} {metadata["name"]}\n']
    for label in sorted(metadata.get('labels', {})):
        if label.startswith(AGGREGATE):
            out.append(f'  part-of {label.removeprefix(AGGREGATE)}\n')
    for selector in item.get('aggregationRule', {}).get('clusterRoleSelectors', []):
        out += [f'  consists-of {label.removeprefix(AGGREGATE)}\n' for label in selector['matchLabels']]
    out += [_lines(_rule(rule, place)) for rule in item.get('rules') or []]
    return ''.join(out)


def _binding(item):
    metadata, role = item['metadata'], item['roleRef']
    out = [f'{item["kind"]} {metadata.get("namespace", "-")} {metadata["name"]}\n', f'  gives {role["kind"]} {role["name"]}\n']
    return ''.join(out + [f'  to {_subject(subject)}\n' for subject in item.get('subjects') or []])


def facts(documents, vendor, load):
    out = ['\n']
    for name, kind in (('clusterroles', 'ClusterRole'), ('clusterrolebindings', 'ClusterRoleBinding'), ('roles', 'Role'),
                       ('rolebindings', 'RoleBinding')):
        path = documents / 'roles' / f'{name}.json'
        try:
            items = load(path)['items']
        except (KeyError, TypeError) as error:
            raise Mistake(path, 'it is not a list of objects', 'Fetch the documents again') from error
        for item in sorted(items, key=lambda item: (item['metadata'].get('namespace', ''), item['metadata']['name'])):
            if item['metadata']['name'] not in vendor:
                item['kind'] = kind
                out.append(_binding(item) if kind.endswith('Binding') else _role(item, path))
    return ''.join(out)


def _objects(text):
    """The entries: head line → lines."""
    out = {}
    for line in text.splitlines():
        if line and not line.startswith(('#', ' ')):
            lines = out[line] = [line + '\n']
        elif line.startswith(' '):
            lines.append(line + '\n')
    return out


def code(text, additions, place):
    """`additions`: head line of an entry → lines that the sandbox adds to it."""
    objects = _objects(text)
    for head in additions:
        if head not in objects:
            raise Mistake(place, f'it names "{head}", which the release does not have', 'Remove the entry')
    controllers, others = '', ''
    for head, lines in objects.items():
        entry = ''.join(lines + [f'  {line}\n' for line in additions.get(head, [])])
        if head.startswith(('ClusterRole - ' + CONTROLLERS, 'ClusterRoleBinding - ' + CONTROLLERS)):
            controllers += entry
        else:
            others += entry
    header = 'sandbox/auth/bootstrap_roles.hpp'
    return {
        'sandbox/auth/bootstrap_roles.cpp': cpp.raw_string(header, 'bootstrap_roles', 'kBootstrapRoles', others,
                                                           namespace='davit::sandbox'),
        'sandbox/auth/controller_roles.cpp': cpp.raw_string(header, 'controller_roles', 'kControllerRoles', controllers,
                                                            namespace='davit::sandbox'),
    }
