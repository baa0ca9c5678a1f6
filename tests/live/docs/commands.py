#!/usr/bin/env python3
"""commands.py ROOT BUILD_DIR WORK_DIR [PAGE…]: what the pages say about commands holds.

Each block of commands runs on a sandbox, with a host beside it, unless a mark before it says why it cannot (pages.py). Of every
command, also of those in the text, the subcommand, the flags and the files have to exist (checks.py). The manifests of the
pages are judged by `davit manifest check`. A block whose kind is not known is an error.
"""
import pathlib
import re
import subprocess
import sys
import time

import checks
import pages
import world

COMMANDS = ('sh', 'console')
OTHERS = set('c cmake cpp diff go json rust text yaml'.split())
HISTORY = ('CHANGELOG.md', 'docs/decisions/', 'docs/spec/')
# sdk.PluginGuideHolds follows these pages from their first line to their last.
FOLLOWED = ('docs/PLUGIN_GUIDE.md', 'docs/PLUGIN_REFERENCE.md')


def files_of(root):
    for file in sorted(root.rglob('*.md')):
        name = file.relative_to(root).as_posix()
        if not name.startswith(HISTORY + ('build/', '.')):
            yield name, file.read_text()


def manifest_findings(tree, block, scratch):
    if not re.match(r'(# yaml-language-server.*\n)?apiVersion: davit\.dev/', block.content):
        return
    file = scratch / 'manifest.yaml'
    file.write_text(block.content)
    result = subprocess.run([tree.davit, 'manifest', 'check', file], capture_output=True, text=True)
    if result.returncode != 0:
        yield block.line, (result.stdout + result.stderr).strip()


def block_findings(tree, block, scratch):
    """(line, text) of what is wrong with a block, as far as one can tell without running it."""
    yield from block.findings
    if block.page in FOLLOWED and block.kind in COMMANDS:
        return
    if block.kind in COMMANDS:
        for line, command in block.lines():
            try:
                yield from ((line, each) for each in checks.command_findings(tree, command))
                if not block.reason:
                    yield from ((line, each) for each in checks.power_findings(command))
            except ValueError as error:
                yield line, f'no shell reads this: {error}'
    elif block.kind not in OTHERS:
        yield block.line, (f'unknown kind of block {block.kind!r}: `sh` for commands, which run here; `console` for commands after $ '
                           'with their output; `text` for everything else')
    elif block.reason or block.first or block.read:
        yield block.line, 'a mark for commands stands before something else'
    elif block.kind == 'yaml':
        yield from manifest_findings(tree, block, scratch)


def span_findings(tree, text):
    for line, code in pages.spans(text):
        if re.match(r'(kubectl )?davit [a-z]', code):
            try:
                yield from ((line, each) for each in checks.command_findings(tree, code))
            except ValueError:
                pass  # A part of a line of shell.


def run_page(tree, name, blocks, folder):
    """(line, text) of the first block of the page whose commands fail. Blocks of YAML that begin with `# NAME:` are files."""
    runs = [each for each in blocks if each.kind in COMMANDS and not each.reason]
    if not runs:
        return
    place = world.World(tree, folder)
    try:
        place.open(any('$SERVER' in each.content for each in runs))
        for block in blocks:
            if block.kind == 'yaml' and (named := re.match(r'# ([\w-]+\.yaml):', block.content)):
                (folder / named[1]).write_text(block.content)
        for block in runs:
            if output := place.run(block):
                yield block.line, f'the commands fail:\n{output}'
                return
    except RuntimeError as error:
        yield 1, f'{error}: look into {folder}'
    finally:
        place.close()


def main():
    root, build, work = (pathlib.Path(each).resolve() for each in sys.argv[1:4])
    tree = checks.Tree(root, build)
    work.mkdir(parents=True, exist_ok=True)
    failed = ran = 0
    for name, text in files_of(root):
        if sys.argv[4:] and name not in sys.argv[4:]:
            continue
        blocks = list(pages.blocks(name, text))
        findings = [each for block in blocks for each in block_findings(tree, block, work)] + list(span_findings(tree, text))
        if not findings and name not in FOLLOWED:
            begin = time.monotonic()
            findings = list(run_page(tree, name, blocks, work / name.replace('/', '_')))
            ran += sum(each.kind in COMMANDS and not each.reason for each in blocks)
            if time.monotonic() - begin > 0.1:
                print(f'{name}: {time.monotonic() - begin:.1f} s', flush=True)
        for line, finding in findings:
            print(f'{name}:{line}: {finding}', flush=True)
        failed += len(findings)
    print(f'{ran} blocks of commands ran')
    sys.exit(failed != 0)


if __name__ == '__main__':
    main()
