"""The table of resources that a server has.

Documents: discovery/*.json. Facts: facts/resources.txt, in the order of discovery, a line
`API-VERSION NAME KIND namespaced|cluster [short=…] [categories=…] [subresources=…] [verbs=…]`; without verbs a resource has all.
What the sandbox adds stands by `API-VERSION NAME` in sandbox/kinds/resources.toml, which is written by hand.
Code: sandbox/kinds/builtin_table.cpp.
"""
import cpp
from report import Mistake

ALL = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']
# The sets of verbs that the sandbox has a trait for.
VERBS = {'create': 'kCreateOnly', 'get,list': 'kReadOnly', 'create,delete,get,list,patch,update,watch': 'kNoDeleteCollection'}
KEYS = {'traits', 'names', 'rules', 'stored_in', 'gate', 'left_out'}
COLUMNS_MAX = 100


def facts(documents, load):
    out = ['\n']
    for name in ('api', 'apis'):
        path = documents / 'discovery' / f'{name}.json'
        try:
            groups = load(path)['items']
        except (KeyError, TypeError) as error:
            raise Mistake(path, 'it is not an aggregated discovery document', 'Fetch the documents again') from error
        for group in groups:
            for version in group['versions']:
                api_version = '/'.join(filter(None, (group['metadata'].get('name'), version['version'])))
                out += [_line(api_version, resource) + '\n' for resource in version['resources']]
    return ''.join(out)


def _line(api_version, resource):
    words = [api_version, resource['resource'], resource['responseKind']['kind'],
             'namespaced' if resource['scope'] == 'Namespaced' else 'cluster']
    subresources = [each['subresource'] for each in resource.get('subresources', [])]
    for key, values in (('short', resource.get('shortNames')), ('categories', resource.get('categories')),
                        ('subresources', subresources), ('verbs', sorted(resource['verbs']))):
        if values and values != ALL:
            words.append(f'{key}={",".join(values)}')
    return ' '.join(words)


def _text(value):
    return f'"{value}"'


def _row(line, use, place):
    api_version, name, kind, scope, *words = line.split(' ')
    values = dict(word.split('=') for word in words)
    group, _, version = api_version.rpartition('/')
    if unknown := set(use) - KEYS:
        raise Mistake(place, f'"{api_version} {name}" has the unknown key {min(unknown)}',
                      f'The keys are {", ".join(sorted(KEYS))}')
    traits = ['kClusterScoped'] if scope == 'cluster' else []
    if 'status' in values.get('subresources', '').split(','):
        traits.append('kHasStatus')
    if 'verbs' in values:
        if values['verbs'] not in VERBS:
            raise Mistake('facts/resources.txt', f'{api_version} {name} has verbs without a trait: {values["verbs"]}',
                          'Extend sandbox/kinds/builtin_table.hpp and tools/kubernetes_tables/resources_table.py')
        traits.append(VERBS[values['verbs']])
    traits += use.get('traits', [])
    parts = [f'.group = {_text(group)}'] if group else []
    parts += [f'.version = {_text(version)}', f'.name = {_text(name)}', f'.kind = {_text(kind)}']
    for key, member in (('short', 'short_names'), ('categories', 'categories'), ('subresources', 'subresources')):
        if key in values:
            parts.append(f'.{member} = {_text(values[key].replace(",", " "))}')
    if traits:
        parts.append(f'.traits = {" | ".join(traits)}')
    if 'names' in use:
        parts.append(f'.names = NameRule::{use["names"]}')
    if 'rules' in use:
        parts.append(f'.rules = {use["rules"]}')
    if 'stored_in' in use:
        parts.append(f'.stored_in = {_text(use["stored_in"])}')
    if 'gate' in use:
        parts.append(f'.gate = &KindGates::{use["gate"]}')
    return cpp.row(parts)


def _by_head(text):
    return {' '.join(line.split(' ')[:2]): line for line in text.splitlines() if line and not line.startswith('#')}


def left_out(text, uses, packages):
    """The types of the kinds of resources that the sandbox leaves out."""
    names = {api_version: name for name, (api_version, _) in packages.items()}
    return {f'{names[line.split(" ")[0]]}.{line.split(" ")[2]}' for head, line in _by_head(text).items()
            if 'left_out' in uses.get(head, {})}


def code(text, uses, place):
    headers = uses.pop('headers')
    lines = _by_head(text)
    for head in [head for head in lines if head not in uses]:
        raise Mistake(place, f'it has no entry for "{head}"', 'Add what the sandbox does with it, or left_out with the reason')
    for head in [head for head in uses if head not in lines]:
        raise Mistake(place, f'it has an entry for "{head}", which the release does not have', 'Remove it')
    rows = ''.join(_row(line, uses[head], place) for head, line in lines.items() if 'left_out' not in uses[head])
    return {'sandbox/kinds/builtin_table.cpp': cpp.table(
        ['sandbox/kinds/builtin_table.hpp', *headers], 'ResourceRow kRows', rows,
        'std::span<const ResourceRow> resource_rows() { return kRows; }', namespace='davit::sandbox')}
