"""Reads generated.proto (wire numbers and types) and types.go (the tags of struct fields): facts only, no comments."""
import dataclasses
import re

from report import Mistake

COMMENT = re.compile(r'^/\*.*?\*/', re.DOTALL | re.MULTILINE)
MESSAGE = re.compile(r'message (\w+) \{')
FIELD = re.compile(r'(optional|repeated) ([\w.]+) (\w+) = (\d+);')
MAP = re.compile(r'map<string, ([\w.]+)> (\w+) = (\d+);')
PACKAGE = re.compile(r'package ([\w.]+);')
STRUCT = re.compile(r'type (\w+) struct \{')
TAGGED = re.compile(r'(\w+(?:\.\w+)?\s+)?([*\[\]\w.]+)\s+`([^`]*)`')
PROTOBUF = re.compile(r'protobuf:"[^",]*,(\d+),')
JSON = re.compile(r'json:"([^"]*)"')


@dataclasses.dataclass
class Field:
    """A field of a protobuf message. `type` is a scalar of protobuf, or the full name of a message."""
    number: int
    name: str
    type: str
    shape: str = ''  # '', 'list' or 'map'
    pointer: bool = False
    omitted_if_empty: bool = True
    inlined: bool = False


def _lines(path):
    try:
        text = path.read_text(encoding='utf-8')
    except OSError as error:
        raise Mistake(path, error.strerror, "Fetch the documents again, with the release's source.") from error
    return COMMENT.sub(lambda found: '\n' * found[0].count('\n'), text).splitlines()


def read_proto(path):
    """The package's name, and its messages: name → list of Field."""
    package, messages, current = '', {}, None
    for number, line in enumerate(_lines(path), 1):
        text = line.strip()
        if text.startswith('//'):
            continue
        if not text or text.startswith(('syntax', 'import ', 'option ')):
            continue
        if found := PACKAGE.fullmatch(text):
            package = found[1]
        elif found := MESSAGE.fullmatch(text):
            current = messages.setdefault(found[1], [])
        elif text == '}':
            current = None
        elif current is not None and (found := FIELD.fullmatch(text)):
            current.append(Field(int(found[4]), found[3], found[2].lstrip('.'), 'list' if found[1] == 'repeated' else ''))
        elif current is not None and (found := MAP.fullmatch(text)):
            current.append(Field(int(found[3]), found[2], found[1].lstrip('.'), 'map'))
        else:
            raise Mistake(f'{path}:{number}', 'the line is not one of the protobuf forms that the tool reads',
                          'Extend tools/kubernetes_tables/source_files.py')
    if not package:
        raise Mistake(path, 'it has no package', "Fetch the documents again, with the release's source.")
    for fields in messages.values():
        for field in fields:
            if '.' not in field.type and field.type in messages:
                field.type = f'{package}.{field.type}'
    return package, messages


def read_tags(path):
    """The tags of a Go file's structs: struct → number of the field → (JSON's name and options, pointer)."""
    structs, current = {}, None
    for line in _lines(path):
        text = line.strip()
        if found := STRUCT.match(text):
            current = structs.setdefault(found[1], {})
        elif line.startswith('}'):
            current = None
        elif current is not None and not text.startswith('//') and (found := TAGGED.match(text)):
            number, json = PROTOBUF.search(found[3]), JSON.search(found[3])
            if number and json:
                current[int(number[1])] = (json[1].split(','), found[2].startswith('*'))
    return structs


def read_package(folder):
    """A package's messages in full: generated.proto with what the tags of types.go add."""
    package, messages = read_proto(folder / 'generated.proto')
    tags = {}
    for path in sorted(folder.glob('types*.go')):
        if not path.name.endswith(('_test.go', '_generated.go')):
            tags.update(read_tags(path))
    for name, fields in messages.items():
        for field in fields:
            tag = tags.get(name, {}).get(field.number)
            if tag is None:
                continue  # A list type: proto wraps it in a message without a struct.
            (json, *options), field.pointer = tag
            field.inlined = json == '' and 'inline' in options
            field.name = json or field.name
            field.omitted_if_empty = 'omitempty' in options or 'omitzero' in options
            if field.type not in SCALARS and field.shape == '' and not field.pointer and 'omitzero' not in options:
                field.omitted_if_empty = False  # Go omits an empty struct only for `omitzero`.
        fields.sort(key=lambda field: field.number)
    return package, messages


SCALARS = {'string': 's', 'int32': 'i', 'int64': 'l', 'double': 'd', 'bool': 'b', 'bytes': 'y'}
