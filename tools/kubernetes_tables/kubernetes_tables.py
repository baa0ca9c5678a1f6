#!/usr/bin/env python3
"""Makes davit's tables of upstream's facts from the documents of a Kubernetes release.

  documents --assets DIR --source DIR --to FOLDER   fetches what a server, kube-controller-manager and the source say
  facts --documents FOLDER                          strips them to facts/*.txt, which the tree stores
  code [--check]                                    makes the sources from the facts; --check only compares
  compare --assets DIR [--source DIR]               fetches the documents and compares their facts with facts/*.txt

Exit codes: 0; 1 for a difference or a mistake in the input; 2 for a mistake in the command line.
"""
import argparse
import difflib
import pathlib
import re
import sys
import tempfile
import tomllib

import columns_table
import documents
import flags_table
import gates_table
import resources_table
import roles_table
import schemas_table
import types_table
from report import Mistake

HERE = pathlib.Path(__file__).resolve().parent
FACTS = HERE / 'facts'
SELECTION = HERE / 'selection.toml'
ROOT = HERE.parent.parent
FLAGS = ROOT / 'host' / 'upstream' / 'flags.toml'
CONSTRAINTS = ROOT / 'lib' / 'kube' / 'schema' / 'constraint_facts.cpp'
RESOURCES = ROOT / 'sandbox' / 'kinds' / 'resources.toml'
CONTROLLERS = ROOT / 'host' / 'upstream' / 'controllers.toml'
VERSION = re.compile(r'Kubernetes (v\d+\.\d+)\.\d+\S*\n?')
AGAIN = 'Make the facts again: kubernetes_tables.py facts --documents FOLDER'


def _read(path, remedy):
    try:
        return path.read_text(encoding='utf-8')
    except OSError as error:
        raise Mistake(path, error.strerror, remedy) from error


def _minor_version(text, place):
    found = VERSION.fullmatch(text)
    if not found:
        raise Mistake(place, 'it does not hold a version', 'Fetch the documents of a release')
    return found[1]


def _head(version):
    return f'# Facts of Kubernetes {version}. Made by tools/kubernetes_tables; do not edit.\n'


def make_facts(folder):
    """name → text of each file of facts that the documents suffice for."""
    path = folder / 'version.txt'
    head = _head(_minor_version(_read(path, 'Fetch the documents: kubernetes_tables.py documents'), path))
    schemas, packages = schemas_table.read_documents(folder)
    vendor = read_selection()['vendor']
    types_text = _facts_text('types.txt')
    out = {}
    if (folder / 'source').is_dir():
        types_text = out['types.txt'] = types_table.facts(folder, packages)
    _, types = types_table.read(types_text, FACTS / 'types.txt')
    out |= {
        'schemas.txt': schemas_table.facts(schemas, packages, types),
        'flags.txt': flags_table.facts(folder, vendor['controllers']),
        'gates.txt': gates_table.facts(folder, vendor['gates']),
        'resources.txt': resources_table.facts(folder, schemas_table.load),
        'columns.txt': columns_table.facts(folder, schemas_table.load),
        'roles.txt': roles_table.facts(folder, vendor['roles'], schemas_table.load),
    }
    return {name: head + text for name, text in out.items()}


def _read_toml(path):
    try:
        return tomllib.loads(_read(path, 'Restore it'))
    except tomllib.TOMLDecodeError as error:
        raise Mistake(path, f'it is not TOML: {error}', 'Mend it') from error


def read_selection():
    out = _read_toml(SELECTION)
    missing = {'files', 'roots', 'vendor', 'roles'} - set(out)
    if missing:
        raise Mistake(SELECTION, f'it has no {", ".join(sorted(missing))}', 'Mend it')
    return out


def _facts_text(name):
    path = FACTS / name
    text = _read(path, AGAIN)
    if not text.startswith('# Facts of Kubernetes v'):
        raise Mistake(path, 'its first line does not name a version', AGAIN)
    return text


def _one_version(names):
    heads = {_facts_text(name).splitlines()[0] for name in names}
    if len(heads) > 1:
        raise Mistake(FACTS, f'the files are of several versions: {sorted(heads)}', AGAIN)


def make_code():
    """path below the root → text of each generated source."""
    selection = read_selection()
    _one_version(['types.txt', 'schemas.txt', 'flags.txt', 'gates.txt', 'roles.txt', 'resources.txt',
                  'columns.txt'])
    packages, types = types_table.read(_facts_text('types.txt'), FACTS / 'types.txt')
    schemas = schemas_table.read(_facts_text('schemas.txt'), FACTS / 'schemas.txt')
    kinds = schemas_table.kinds(schemas)
    resources, uses = _facts_text('resources.txt'), _read_toml(RESOURCES)
    for name in selection['files']:
        if name not in packages:
            raise Mistake(SELECTION, f'files names the package {name}, which the release does not have', 'Remove the entry')
    roots = (kinds - resources_table.left_out(resources, uses, packages)) | set(selection['roots'])
    selected = types_table.needed(roots, types, FACTS / 'types.txt')
    schemas_table.check_choices(_read(CONSTRAINTS, 'Restore it'), schemas, CONSTRAINTS)
    groups, controllers = flags_table.read(_facts_text('flags.txt'))
    return {**types_table.code(packages, types, selected, selection['files']),
            **schemas_table.code(schemas, types, selected),
            **flags_table.flags_code(groups, _read_toml(FLAGS), FLAGS),
            **flags_table.controllers_code(controllers, _read_toml(CONTROLLERS), CONTROLLERS),
            **gates_table.code(_facts_text('gates.txt')),
            **resources_table.code(resources, uses, RESOURCES),
            **columns_table.code(_facts_text('columns.txt')),
            **roles_table.code(_facts_text('roles.txt'), selection['roles'], SELECTION)}


def _compare(wanted, folder, what):
    """Prints how the files in `folder` differ from `wanted`. Whether any does."""
    differs = False
    for name, text in sorted(wanted.items()):
        path = folder / name
        found = path.read_text(encoding='utf-8') if path.is_file() else ''
        if found != text:
            differs = True
            sys.stderr.writelines(difflib.unified_diff(found.splitlines(True), text.splitlines(True), str(path), what))
    return differs


def _write(texts, folder):
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')


def fetch(options):
    folder = pathlib.Path(options.to)
    documents.from_server(options.assets, folder)
    documents.from_source(options.source, folder)
    return 0


def facts(options):
    _write(make_facts(pathlib.Path(options.documents)), FACTS)
    return 0


def code(options):
    texts = make_code()
    if not options.check:
        _write(texts, ROOT)
        return 0
    if _compare(texts, ROOT, 'made from facts/'):
        print('The sources above are not what tools/kubernetes_tables makes from its facts. Run kubernetes_tables.py code.',
              file=sys.stderr)
        return 1
    return 0


def compare(options):
    version = _minor_version(documents.version_of(options.assets), options.assets)
    if not _facts_text('flags.txt').startswith(_head(version)):
        raise Mistake(options.assets, f'the programs are of {version}, and the facts of another version',
                      f'Use the programs of that version, or follow {version} as docs/HACKING.md says')
    with tempfile.TemporaryDirectory(prefix='kubernetes-tables-') as scratch:
        folder = pathlib.Path(scratch)
        documents.from_server(options.assets, folder)
        if options.source:
            documents.from_source(options.source, folder)
        texts = make_facts(folder)
    if _compare(texts, FACTS, 'made from the documents'):
        print(f'{FACTS} is not what the documents say. If the release is the wanted one, run kubernetes_tables.py facts.',
              file=sys.stderr)
        return 1
    return 0


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar='COMMAND')
    for name, action, flags in (('documents', fetch, ('assets', 'source', 'to')), ('facts', facts, ('documents',)),
                                ('code', code, ()), ('compare', compare, ('assets',))):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        for flag in flags:
            command.add_argument(f'--{flag}', required=True)
        if name == 'code':
            command.add_argument('--check', action='store_true')
        if name == 'compare':
            command.add_argument('--source')
    options = parser.parse_args(arguments)
    try:
        return options.action(options)
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
