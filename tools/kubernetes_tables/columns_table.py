"""The table of the columns that a server shows for its resources.

Documents: tables/*.json. Facts: facts/columns.txt, a line `API-VERSION NAME: COLUMN TYPE|…` in the notation of KindColumns in
sandbox/kinds/columns.hpp. Code: sandbox/kinds/columns_table.cpp.
"""
import cpp
from report import Mistake

TYPES = {('string', ''): 's', ('string', 'name'): 'n', ('integer', ''): 'i', ('boolean', ''): 'b', ('date', ''): 'd'}
PLAIN = 'Name n|Created At d'


def facts(documents, load):
    out = ['\n']
    for path in sorted((documents / 'tables').glob('*.json')):
        columns = []
        for column in load(path).get('columnDefinitions', []):
            kind = TYPES.get((column['type'], column.get('format', '')))
            if kind is None:
                raise Mistake(path, f'the column {column["name"]} has the unknown type {column["type"]}',
                              'Extend sandbox/kinds/columns.cpp and tools/kubernetes_tables/columns_table.py')
            columns.append(f'{column["name"]} {kind}{"*" if column.get("priority") else ""}')
        if not columns:
            raise Mistake(path, 'it is not a Table', 'Fetch the documents again')
        api_version, _, name = path.stem.partition('__')[2].replace('__', '/').rpartition('/')
        out.append(f'{api_version} {name}: {"|".join(columns)}\n')
    if len(out) == 1:
        raise Mistake(documents / 'tables', 'it has no documents', 'Fetch the documents again')
    return ''.join(out)


def code(text):
    found = {}
    for line in text.splitlines():
        if line and not line.startswith('#'):
            head, _, columns = line.partition(': ')
            api_version, name = head.split(' ')
            key = (api_version.rpartition('/')[0], name)
            if found.setdefault(key, columns) != columns:
                raise Mistake('facts/columns.txt', f'the versions of {name} differ in their columns',
                              'Extend KindColumns by a version')
    rows = ''.join(cpp.row([f'"{group}"', f'"{name}"', f'"{columns}"']) for (group, name), columns in sorted(found.items())
                   if columns != PLAIN)
    return {'sandbox/kinds/columns_table.cpp': cpp.table(
        ['sandbox/kinds/columns.hpp'], 'KindColumns kKindColumns', rows,
        'std::span<const KindColumns> kind_columns() { return kKindColumns; }', namespace='davit::sandbox')}
