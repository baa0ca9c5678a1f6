"""The table of types: fields, wire numbers, and what Go writes although empty.

Facts: facts/types.txt, in the notation of lib/kube/schema/fields/fields.hpp, a line `package NAME API-VERSION OPENAPI-NAME`
before the types of each package. Code: lib/kube/schema/fields/*.cpp, with the types that the kinds of the sandbox need.
"""
import re
import textwrap

import cpp
from report import Mistake
from source_files import SCALARS, read_package

COLUMNS_MAX = 100
VALUES = {
    'k8s.io.apimachinery.pkg.apis.meta.v1.Time': 'Time',
    'k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime': 'MicroTime',
    'k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1': 'FieldsV1',
    'k8s.io.apimachinery.pkg.api.resource.Quantity': 'Quantity',
    'k8s.io.apimachinery.pkg.util.intstr.IntOrString': 'IntOrString',
    'k8s.io.apimachinery.pkg.runtime.RawExtension': 'RawExtension',
}
# Values of one package, by the end of the name.
OWN_VALUES = {'JSON': 'JSON', 'JSONSchemaPropsOrArray': 'SchemaOrArray', 'JSONSchemaPropsOrBool': 'SchemaOrBool',
              'JSONSchemaPropsOrStringArray': 'SchemaOrStrings', 'ExtraValue': 'ExtraValue'}
VALUE_NAMES = set(VALUES.values()) | set(OWN_VALUES.values()) | set(SCALARS.values())
ZEROS = {'s': '', 'i': 0, 'l': 0, 'd': 0, 'b': False}
FIELD = re.compile(r'\d+ ([^:]+?)(\[\])?:(\{?[\w.]+\}?)([?!^]*)$')
REFERENCE = re.compile(r'\d+ [^:,]+:\{?([\w.]+)\}?')


def proto_package(openapi):
    """k8s.io.api.core.v1 for io.k8s.api.core.v1."""
    return openapi.replace('io.k8s.', 'k8s.io.', 1).replace('-', '_')


def proto_folder(openapi):
    """The folder of the package below the root of the source."""
    return 'staging/src/k8s.io/' + openapi.removeprefix('io.k8s.').replace('.', '/')


def _type_text(field_type, package):
    if field_type in SCALARS:
        return SCALARS[field_type]
    if field_type in VALUES:
        return VALUES[field_type]
    owner, _, name = field_type.rpartition('.')
    if name in OWN_VALUES:
        return OWN_VALUES[name]
    if owner == package:
        return name
    group, version = owner.split('.')[-2:]
    if version != 'v1':
        raise Mistake(field_type, 'the notation refers to types of v1 only', 'Extend lib/kube/schema/fields/fields.hpp')
    return f'{group}.{name}'


def _field_text(field, package):
    text = _type_text(field.type, package)
    if field.shape == 'map':
        text = '{' + text + '}'
    flags = ''
    if field.inlined:
        flags = '^'
    elif field.name != 'metadata':  # Always written, by rule.
        always = not field.omitted_if_empty
        flags = ('?' if field.pointer and (always or field.type in SCALARS) else '') + ('!' if always else '')
    return f'{field.number} {field.name}{"[]" if field.shape == "list" else ""}:{text}{flags}'


def _is_list(name, fields):
    return name.endswith('List') and [field.name for field in fields] == ['metadata', 'items']


def wrapped(text):
    """`text` in lines; further lines begin with two blanks. A number stays with its field."""
    glued = re.sub(r'(\d+) ', '\\1\0', text)
    lines = textwrap.wrap(glued, COLUMNS_MAX, subsequent_indent='  ', break_long_words=False, break_on_hyphens=False)
    return ''.join(line.replace('\0', ' ') + '\n' for line in lines)


def facts(documents, packages):
    """`packages`: name → (API version, name in OpenAPI)."""
    out = []
    for name, (api_version, openapi) in sorted(packages.items()):
        package, messages = read_package(documents / 'source' / proto_folder(openapi))
        if package != proto_package(openapi):
            raise Mistake(documents / 'source' / proto_folder(openapi), f'its package is {package}',
                          'Extend tools/kubernetes_tables/types_table.py')
        out.append(f'\npackage {name} {api_version or "-"} {openapi}\n')
        for message, fields in sorted(messages.items()):
            if not _is_list(message, fields) and message not in OWN_VALUES:
                fields_text = ', '.join(_field_text(field, package) for field in fields)
                out.append(wrapped(f'{message}: {fields_text}'.rstrip()))
    return ''.join(out)


def read(text, place):
    """The packages, name → (API version, name in OpenAPI), and the types: full name → line without breaks."""
    packages, types, package = {}, {}, None
    for line in text.replace('\n  ', ' ').splitlines():
        if line.startswith('package '):
            _, package, api_version, openapi = line.split()
            packages[package] = ('' if api_version == '-' else api_version, openapi)
        elif line and not line.startswith('#'):
            if package is None or ':' not in line:
                raise Mistake(place, f'the line is not a type: {line}', 'Make the file again from the documents')
            types[f'{package}.{line.partition(":")[0]}'] = line
    return packages, types


def references(full_name, types):
    """The types that the fields of a type name."""
    package = full_name.rpartition('.')[0]
    for name in REFERENCE.findall(types[full_name].partition(':')[2]):
        bare = name.rpartition('.')[2]
        if bare.startswith('SchemaOr'):
            yield f'{package}.JSONSchemaProps'
        elif bare not in VALUE_NAMES:
            yield f'{name.rpartition(".")[0]}.v1.{bare}' if '.' in name else f'{package}.{name}'


def implied_defaults(full_name, types):
    """Field → the default that upstream's OpenAPI has because Go always writes the field: the zero of a scalar, {} of a struct."""
    out = {}
    for declared in filter(None, types.get(full_name, ':').partition(':')[2].strip().split(', ')):
        name, is_list, type_name, flags = FIELD.match(declared).groups()
        if '^' in flags:
            out |= implied_defaults(next(references(full_name, {full_name: f'x: {declared.rstrip("^")}'})), types)
        elif not is_list and '?' not in flags and ('!' in flags or name == 'metadata'):
            if type_name in ZEROS or type_name not in VALUE_NAMES and not type_name.startswith('{'):
                out[name] = ZEROS.get(type_name, {})
    return out


def needed(roots, types, place):
    """The types that `roots` consist of, themselves included."""
    seen, waiting = set(), sorted(roots)
    while waiting:
        name = waiting.pop()
        if name not in types:
            raise Mistake(place, f'the type {name} is missing', 'Make the facts again from the documents of one release')
        if name not in seen:
            seen.add(name)
            waiting.extend(references(name, types))
    return seen


def code(packages, types, selected, files):
    """lib/kube/schema/fields/*.cpp and packages.cpp: `files` has the name of each package's file."""
    out, rows = {}, ''
    for package in sorted(packages):
        names = sorted(name for name in selected if name.rpartition('.')[0] == package)
        if not names:
            continue
        if package not in files:
            raise Mistake('selection.toml', f'files has no entry for the package {package}',
                          'Name its file there, and add it to lib/kube/schema: fields/fields.hpp and CMakeLists.txt')
        stem = files[package]
        table = ''.join(wrapped(types[name]) for name in names)
        constant = 'k' + ''.join(part.capitalize() for part in stem.split('_')) + 'Fields'
        out[f'lib/kube/schema/fields/{stem}.cpp'] = cpp.raw_string(
            'lib/kube/schema/fields/fields.hpp', f'{stem}_fields', constant, table, f'// {package.replace(".", " ")}.')
        api_version, openapi = packages[package]
        rows += f'    {{"{package}", "{api_version}",\n     "{openapi}", {stem}_fields}},\n'
    out['lib/kube/schema/packages.cpp'] = cpp.table(
        ['lib/kube/schema/packages.hpp', 'lib/kube/schema/fields/fields.hpp'], 'Package kPackages', rows,
        'std::span<const Package> packages() { return kPackages; }')
    return out
