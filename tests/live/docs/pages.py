"""Fenced blocks of Markdown pages, and the marks in comments before them.

  <!-- not run: REASON -->      the commands of the next block are checked, but cannot run in a test
  <!-- first: COMMAND -->       runs before the next block
  <!-- read: TEXT as: TEXT -->  replaces a text of the next block, such as a port or a name that differs in each run

A mark stands on the line before its block or before another mark. Readers of the page do not see it.
"""
import dataclasses
import re

FENCE = re.compile(r'^( *)```(.*)$')
COMMENT = re.compile(r'^ *<!-- (.*) -->$')
MARK = re.compile(r'(not run|first): (.{8,})|(read): (.+?) as: (.+)')


@dataclasses.dataclass
class Block:
    page: str
    line: int  # Of its first fence.
    kind: str
    content: str
    reason: str = ''  # Why it is not run.
    first: list = dataclasses.field(default_factory=list)
    read: list = dataclasses.field(default_factory=list)  # Pairs: a text, and what replaces it.
    findings: list = dataclasses.field(default_factory=list)

    def lines(self):
        """(number in the page, command): a line that ends with a backslash continues; a console shows output, too."""
        joined, start = '', 0
        for number, line in enumerate(self.content.splitlines(), self.line + 1):
            if self.kind == 'console' and not joined:
                if not line.startswith('$ '):
                    continue
                line = line[2:]
            start = start if joined else number
            if line.endswith('\\'):
                joined += line[:-1]
            elif (joined + line).strip():
                yield start, joined + line
                joined = ''


def read_marks(block, lines):
    """Takes the marks that end `lines`, which come before the block."""
    while lines and (comment := COMMENT.match(lines[-1])):
        lines = lines[:-1]
        mark = MARK.fullmatch(comment[1])
        if not mark:
            block.findings.append((block.line, f'unknown mark: {comment[1]}'))
        elif mark[3]:
            block.read.insert(0, (mark[4], mark[5]))
        elif mark[1] == 'first':
            block.first.insert(0, mark[2])
        else:
            block.reason = mark[2]


def blocks(page, text):
    lines = text.splitlines()
    start = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if not fence:
            continue
        if start is None:
            start, indent, kind = number, fence[1], fence[2].split(',')[0].strip()
        else:
            content = ''.join(each.removeprefix(indent) + '\n' for each in lines[start + 1:number])
            block = Block(page, start + 1, kind, content)
            read_marks(block, lines[:start])
            yield block
            start = None


def spans(text):
    """(line, code) of each span of code outside blocks."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            for code in re.findall(r'(?<!`)`([^`]+)`(?!`)', line):
                yield number, code
