"""The table of what OpenAPI says about types: kinds, required fields, defaults, enums, and how patches merge.

Facts: facts/schemas.txt. A line `TYPE` with the words `kind`, `atomic` and `required=FIELD,…`, and below it a line for each
field with the words `merge=KEY`, `merge` (a list of values), `replace`, `retainKeys`, `set`, `map=KEY,…`, `atomic`, `granular`,
`default=VALUE` (JSON; only where it is not what types_table.implied_default says) and `enum=A|B`, with %20 for a blank. A list
without a word is atomic. Code: lib/kube/schema/required_facts.cpp, merge_facts.cpp and value_facts.cpp.
"""
import json
import re

import cpp
import types_table
from report import Mistake

QUOTED = re.compile(r'"[^"]*"')


def load(path):
    try:
        return json.loads(path.read_text(encoding='utf-8'))
    except OSError as error:
        raise Mistake(path, error.strerror, 'Fetch the documents again') from error
    except ValueError as error:
        raise Mistake(path, f'it is not JSON: {error}', 'Fetch the documents again') from error


def short_name(name):
    """core.v1.Pod for io.k8s.api.core.v1.Pod."""
    return '.'.join(name.split('.')[-3:])


def read_documents(folder):
    """All schemas by short name, and the packages of the served group versions: name → (API version, name in OpenAPI)."""
    paths = sorted((folder / 'openapi').glob('*.json'))
    if not paths:
        raise Mistake(folder / 'openapi', 'it has no documents', 'Fetch the documents again')
    schemas, packages = {}, {'meta.v1': ('', 'io.k8s.apimachinery.pkg.apis.meta.v1')}
    for path in paths:
        api_version = path.stem.removeprefix('apis__').removeprefix('api__').replace('__', '/')
        try:
            found = load(path)['components']['schemas']
        except (KeyError, TypeError) as error:
            raise Mistake(path, 'it has no components.schemas', 'Fetch the documents again') from error
        for name, schema in found.items():
            if '.k8s.' not in f'.{name}':
                continue
            schemas.setdefault(short_name(name), {}).update(schema)
            kinds = schema.get('x-kubernetes-group-version-kind', [])
            if len(kinds) == 1 and '/'.join(filter(None, (kinds[0]['group'], kinds[0]['version']))) == api_version:
                openapi = name.rpartition('.')[0]
                packages[short_name(name).rpartition('.')[0]] = (api_version, openapi)
    return schemas, packages


def _words(prop, implied):
    out = []
    strategy = prop.get('x-kubernetes-patch-strategy', '').split(',')
    key = prop.get('x-kubernetes-patch-merge-key')
    if 'merge' in strategy:
        out.append(f'merge={key}' if key else 'merge')
    elif key:
        out.append(f'merge={key}')
    out += [word for word in ('replace', 'retainKeys') if word in strategy]
    list_type = prop.get('x-kubernetes-list-type', '')
    if list_type == 'map':
        out.append('map=' + ','.join(prop['x-kubernetes-list-map-keys']))
    elif list_type == 'set' or list_type == 'atomic' and out:
        out.append(list_type)
    if 'x-kubernetes-map-type' in prop:
        out.append(prop['x-kubernetes-map-type'])
    if (default := json.dumps(prop.get('default'))) != json.dumps(implied):
        out.append('default=' + default.replace(' ', '%20'))
    values = prop.get('enum') or prop.get('items', {}).get('enum')
    if values:
        out.append('enum=' + '|'.join(value.replace(' ', '%20') for value in values))
    return out


def facts(schemas, packages, types):
    """`types`: those of types_table.read."""
    out = ['\n']
    for name, schema in sorted(schemas.items()):
        is_list = set(schema.get('properties', {})) == {'apiVersion', 'items', 'kind', 'metadata'}
        if name.rpartition('.')[0] not in packages or is_list:
            continue
        words = []
        if 'x-kubernetes-group-version-kind' in schema and not name.startswith('meta.'):
            words.append('kind')
        if schema.get('x-kubernetes-map-type') == 'atomic':
            words.append('atomic')
        if schema.get('required'):
            words.append('required=' + ','.join(schema['required']))
        implied = types_table.implied_defaults(name, types)
        lines = [f'  {field}: {" ".join(found)}\n' for field, prop in sorted(schema.get('properties', {}).items())
                 if (found := _words(prop, implied.get(field)))]
        if words or lines:
            out.append(f'{name} {" ".join(words)}'.rstrip() + '\n' + ''.join(lines))
    return ''.join(out)


def read(text, place):
    """Type → (words, field → words)."""
    out, current = {}, None
    for line in text.splitlines():
        if line.startswith('  ') and current is not None:
            field, _, words = line.strip().partition(': ')
            current[1][field] = words.split(' ')
        elif line and not line.startswith('#'):
            name, *words = line.split(' ')
            if name.count('.') != 2:
                raise Mistake(place, f'the line is not a type: {line}', 'Make the file again from the documents')
            current = out[name] = (words, {})
    return out


def kinds(schemas):
    return {name for name, (words, _) in schemas.items() if 'kind' in words}


def check_choices(text, schemas, place):
    """Refuses a choice in the hand-written table of constraints that OpenAPI does not list. The table may say less."""
    types = []
    for line in text.partition('R"(')[2].partition(')"')[0].splitlines():
        if not line.startswith(' '):
            types = line.split()
            continue
        fields, _, words = line.strip().partition(': ')
        choices = {choice for word in QUOTED.sub('', words).split() if '|' in word for choice in word.split('|')}
        for name, field in ((name, field) for name in types for field in fields.split()):
            enums = [word.removeprefix('enum=').split('|') for word in schemas.get(name, ((), {}))[1].get(field, ())
                     if word.startswith('enum=')]
            if enums and (unknown := choices - set(enums[0])):
                raise Mistake(place, f'{name}.{field} allows {min(unknown)}, which upstream does not list', 'Mend the line')


def _required_lines(schemas, selected):
    for name in sorted(selected):
        for word in schemas.get(name, ((), {}))[0]:
            if word.startswith('required='):
                yield types_table.wrapped(f'{name}: {word.removeprefix("required=").replace(",", " ")}')


def _declaring(name, field, types):
    """The type that declares the field: `name`, or one that it inlines."""
    declared = types[name].partition(': ')[2].split(', ')
    if any(each.split(' ')[1].partition(':')[0].removesuffix('[]') == field for each in declared):
        return name
    for each in declared:
        if each.endswith('^'):
            inlined = next(types_table.references(name, {name: f'x: {each}'}))
            if found := _declaring(inlined, field, types):
                return found
    return None


def merge_rows(schemas, types, selected):
    """(type, field) → (words of strategic merge, words of server-side apply); the field is empty for the type as a whole."""
    rows = {}
    for name in sorted(selected & set(schemas)):
        words, fields = schemas[name]
        if 'atomic' in words:
            rows[name, ''] = ('', 'atomic')
        for field, found in sorted(fields.items()):
            strategic, apply = [], ''
            for word in found:
                if word.startswith('merge'):
                    strategic.append(word.partition('=')[2] or 'primitives')
                elif word in ('replace', 'retainKeys'):
                    strategic.append(word)
                elif word in ('set', 'atomic', 'granular'):
                    apply = word
                elif word.startswith('map='):
                    apply = word.replace('=', ' ').replace(',', ' ')
            if strategic or apply:
                owner = _declaring(name, field, types)
                if owner is None:
                    raise Mistake('facts/schemas.txt', f'{name} has no field {field} in facts/types.txt',
                                  'Make both files from the documents of one release')
                rows[owner, field] = (' '.join(strategic), apply)
    return rows


def _value_rows(schemas, selected):
    for name in sorted(selected & set(schemas)):
        for field, words in sorted(schemas[name][1].items()):
            found = dict(word.split('=', 1) for word in words if word.startswith(('default=', 'enum=')))
            if found:
                parts = [name, field, found.get('default', ''), found.get('enum', '')]
                yield cpp.row([json.dumps(part.replace('%20', ' ')) for part in parts])


def code(schemas, types, selected):
    table = ''.join(_required_lines(schemas, selected))
    rows = ''
    for (name, field), (strategic, apply) in sorted(merge_rows(schemas, types, selected).items()):
        row = f'    {{"{name}", "{field}", "{strategic}", "{apply}"}},'
        rows += (row if len(row) <= types_table.COLUMNS_MAX else row.replace(f' "{apply}"', f'\n     "{apply}"')) + '\n'
    return {
        'lib/kube/schema/required_facts.cpp': cpp.raw_string(
            'lib/kube/schema/required_facts.hpp', 'required_facts', 'kRequiredFacts', table),
        'lib/kube/schema/merge_facts.cpp': cpp.table(
            ['lib/kube/schema/merge_facts.hpp'], 'MergeFact kMergeFacts', rows,
            'std::span<const MergeFact> merge_facts() { return kMergeFacts; }'),
        'lib/kube/schema/value_facts.cpp': cpp.table(
            ['lib/kube/schema/value_facts.hpp'], 'ValueFact kValueFacts', ''.join(_value_rows(schemas, selected)),
            'std::span<const ValueFact> value_facts() { return kValueFacts; }'),
    }
