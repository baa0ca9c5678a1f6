"""Headers as Doxygen reads them.

Comments of the C headers are plain; here those before and beside a declaration become documentation comments. Angle brackets in
comments are texts, not tags.
"""
import re


def documented(text):
    """C: `/* text */` at the begin of a line documents what follows, and behind code what stands before it."""
    text = re.sub(r'^(\s*)/\* (?!-{3}|clang-format)', r'\1/** ', text, flags=re.M)
    return re.sub(r'^(?=.*\S.*/\* )(\s*[^\s/*].*?)/\* ', r'\1/**< ', text, flags=re.M)


def quoted(line):
    comment = re.search(r'//[/!].*|/\*\*.*|^\s+\*.*', line)
    if not comment:
        return line
    at = comment.start()
    body = re.sub(r'@call\(([^)]*)\)', r'\\par Callers: \1', line[at:])
    body = re.sub(r'(?<!/\*\*)<(?=[\w/])', '&lt;', body)
    return line[:at] + body


def for_doxygen(file):
    """The text of a header, with the same lines."""
    text = file.read_text()
    if file.suffix == '.h':
        text = documented(text)
    return '\n'.join(quoted(line) for line in text.split('\n'))
