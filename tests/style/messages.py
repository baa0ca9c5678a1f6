"""The messages that docs/TROUBLESHOOT.md explains must be those of the code."""

import re

PAGE = 'docs/TROUBLESHOOT.md'
LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
PIECE = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def literals(text):
    """String literals as the compiler sees them: adjacent ones joined, quotes unescaped."""
    for match in LITERALS.finditer(text):
        yield ''.join(PIECE.findall(match.group())).replace('\\"', '"')


def quoted(page):
    """(line, piece) for each piece of text between the placeholders of a message in the first column of a table."""
    for number, line in enumerate(page.split('\n'), 1):
        if not line.startswith('| ') or line.startswith('| ---'):
            continue
        for message in re.findall(r'`([^`]+)`', line.split('|')[1]):
            for piece in message.split('…'):
                if len(piece.strip()) >= 8:
                    yield number, piece.strip()


def message_findings(files):
    """(path, line, text) of each piece that is in no string of the program."""
    page = next((file.text for file in files if file.path == PAGE), '')
    known = [each for file in files if file.path.startswith(('cli/', 'host/', 'lib/', 'plugins/', 'sdk/')) and file.path.endswith(('.cpp', '.hpp'))
             for each in literals(file.text)]
    for line, piece in quoted(page):
        if not any(piece in each for each in known):
            yield PAGE, line, f'no message of the program has these words: {piece}'
