"""C and C++ code that stands twice in the product. Logic belongs into one function, in the lowest layer that needs it.

Comments, blank lines, lone punctuation, includes and using declarations do not count, and white space is folded.
"""
import re

from cpp_text import LITERAL, blank

LINES_MIN = 15
PRODUCT = ('cli/', 'host/', 'lib/', 'nodes/', 'plugins/', 'sandbox/', 'sdk/include/', 'testing/')
SOURCES = ('.cpp', '.hpp', '.c', '.h')
NO_LOGIC = re.compile(r'#\s*(?:include|pragma)\b|using\b|\W*$')
# Pairs of files that may share a run of lines, each with its reason: {('host/a.cpp', 'lib/b.cpp'): 'why'}.
ALLOWED = {}


def without_comments(text):
    return LITERAL.sub(lambda found: blank(found) if found.group().startswith('/') else found.group(), text)


def lines_of(text):
    """(line number, code) of each line that counts."""
    for number, line in enumerate(without_comments(text).split('\n'), 1):
        code = ' '.join(line.split())
        if not NO_LOGIC.match(code):
            yield number, code


def runs(files):
    """((path, line), (path, line), length) of each run of equal lines; a longer run is found once."""
    code = {file.path: list(lines_of(file.text)) for file in files
            if file.path.startswith(PRODUCT) and file.path.endswith(SOURCES)}
    first, inside = {}, set()
    for path, lines in sorted(code.items()):
        for at in range(len(lines) - LINES_MIN + 1):
            window = tuple(line for _, line in lines[at:at + LINES_MIN])
            where = first.setdefault(window, (path, at))
            if where == (path, at) or (path, at, where) in inside:
                continue
            other, start = where
            length = 0
            while (at + length < len(lines) and start + length < len(code[other])
                   and lines[at + length][1] == code[other][start + length][1]):
                inside.add((path, at + length, (other, start + length)))
                length += 1
            yield (other, code[other][start][0]), (path, lines[at][0]), length


def repeat_findings(files, allowed=None):
    """(path, line, text) of each run that stands twice, and of each entry of `allowed` that nothing needs."""
    allowed = ALLOWED if allowed is None else allowed
    needed = set()
    for (other, start), (path, line), length in runs(files):
        if (other, path) in allowed:
            needed.add((other, path))
        else:
            yield path, line, f'{length} lines stand at {other}:{start} too: join them'
    for pair in allowed:
        if pair not in needed:
            yield pair[1], 1, f'{pair[0]}: is on the list of exceptions and needs none'
