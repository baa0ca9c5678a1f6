"""One header for each word of the vocabulary, checked against the table "Where each rule stands" of docs/HACKING.md.

Each place in the table exists. No other header of the product has the name of a place: a second duration.hpp is where a second
rule begins. Code that only a second implementation of a rule would have is found, too.
"""
import os
import re

PAGE = 'docs/HACKING.md'
HEADING = '## Where each rule stands'
PRODUCT = ('cli/', 'host/', 'lib/', 'nodes/', 'plugins/', 'sandbox/', 'sdk/', 'testing/')
# A header that shares a name with a place and is about something else.
OTHERS = {
    'sdk/include/davit/time.hpp': 'the clocks and durations of C++, without text',
}
# Code of a rule, and the place that has it.
FNV = 'cbf29ce484222325|0*100000001b3|811c9dc5|0*1000193'
CODE = (
    (re.compile(r'\binet_(?:pton|ntop)\b'), 'sdk/include/davit/kube/ip.hpp'),
    (re.compile(r'"0123456789(?:abcdef|ABCDEF)+"'), 'sdk/include/davit/hex.hpp'),
    (re.compile(rf'(?i)\b0x(?:{FNV})u?l*\b|\b(?:2166136261|16777619|14695981039346656037|1099511628211)u?l*\b'),
     'sdk/include/davit/fnv.hpp'),
)


def places_of(page):
    """(line, path) of each place in the table."""
    lines = page.split('\n')
    if HEADING not in lines:
        return
    for number, line in enumerate(lines[lines.index(HEADING) + 1:], lines.index(HEADING) + 2):
        if line.startswith('## '):
            return
        found = re.match(r'\| [^|]+ \| `([\w/.]+)` \|', line)
        if found:
            yield number, found.group(1)


def code_findings(files):
    """A second implementation of a rule of CODE."""
    for file in files:
        if not file.path.startswith(PRODUCT) or not file.path.endswith(('.cpp', '.hpp')):  # C has none of the headers.
            continue
        for number, line in enumerate(file.text.split('\n'), 1):
            for code, place in CODE:
                if file.path != place and code.search(line.replace("'", '')):
                    yield file.path, number, f'has code of the rule that stands in {place}: use it'


def vocabulary_findings(files, others=None):
    others = OTHERS if others is None else others
    page = next((file.text for file in files if file.path == PAGE), '')
    places = list(places_of(page))
    if not places:
        yield PAGE, 1, f'has no places below "{HEADING}"'
        return
    headers = {file.path for file in files if file.path.startswith(PRODUCT) and file.path.endswith(('.hpp', '.h'))}
    places_by_name = {os.path.basename(path): path for _, path in places}
    for number, path in places:
        if path not in headers:
            yield PAGE, number, f'{path} is not a header of the product'
    for path in sorted(headers):
        place = places_by_name.get(os.path.basename(path), path)
        if place != path and path not in others:
            yield path, 1, f'has the name of {place}, where {PAGE} puts this rule; join them, or name this one after its subject'
    yield from code_findings(files)
    for path in sorted(others):
        if path not in headers or os.path.basename(path) not in places_by_name:
            yield 'tests/style/vocabulary.py', 1, f'{path} is on the list of exceptions and needs none'
