"""One header for each word of the vocabulary, checked against the table "Where each rule stands" of docs/HACKING.md.

Each place in the table exists. No other header of the product has the name of a place: a second duration.hpp is where a second
rule begins.
"""
import os
import re

PAGE = 'docs/HACKING.md'
HEADING = '## Where each rule stands'
PRODUCT = ('cli/', 'host/', 'lib/', 'plugins/', 'sandbox/', 'sdk/', 'testing/')
# A header that shares a name with a place and is about something else.
OTHERS = {
    'sdk/include/davit/time.hpp': 'the clocks and durations of C++, without text',
}


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
    for path in sorted(others):
        if path not in headers or os.path.basename(path) not in places_by_name:
            yield 'tests/style/vocabulary.py', 1, f'{path} is on the list of exceptions and needs none'
