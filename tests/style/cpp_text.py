"""C++ source as the style rules see it: code without comments and literals, and its functions."""
import re

LITERAL = re.compile(
    r'//[^\n]*|/\*.*?\*/'                                   # comments
    r'|R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"'        # raw strings
    r'|"(?:\\.|[^"\\\n])*"'                                 # strings
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",                # characters, not digit separators
    re.S)
DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.M)
NO_FUNCTION = re.compile(r'^(?:extern\b|namespace\b|(?:typedef\s+)?(?:class|struct|enum|union)\b)')
# "Name(...) : member" or ", member" before a brace: the initializer of a member, not the body.
MEMBER_INIT = re.compile(r'\)\s*(?:noexcept\s*)?:(?!:)(?:.*[^:])?\b(?!const\b|noexcept\b|override\b)\w+$', re.S)


def blank(match):
    return re.sub(r'[^\n]', ' ', match.group())


def code_of(text):
    """`text` with comments and literals replaced by spaces; offsets and lines stay."""
    return LITERAL.sub(blank, text)


def functions(text):
    """(first line, lines) of each outermost function body together with its head."""
    code = DIRECTIVE.sub(blank, code_of(text))
    out, stack, head = [], [], 0
    for match in re.finditer(r'[{};()]', code):
        mark, at = match.group(), match.start()
        inside = any(kind == 'function' for kind, _ in stack)
        if mark == '(':
            stack.append(('parens', head))
        elif mark == ')':
            if stack and stack[-1][0] == 'parens':
                stack.pop()
        elif mark == '{':
            kind = 'nested' if inside else kind_of(code[head:at])
            stack.append((kind, head))
            if kind != 'initializer':
                head = at + 1
        elif mark == '}':
            if not stack:
                continue
            kind, begin = stack.pop()
            if kind == 'function':
                begin += len(code[begin:at]) - len(code[begin:at].lstrip())
                first = code.count('\n', 0, begin) + 1
                out.append((first, code.count('\n', 0, at) + 2 - first))
            if kind != 'initializer':
                head = at + 1
        elif not (stack and stack[-1][0] == 'parens'):
            head = at + 1
    return out


def kind_of(head):
    head = re.sub(r'^(?:\s|public:|private:|protected:|\[\[\w+\]\])*', '', head).rstrip()
    head = re.sub(r'^template\s*<[^{;]*?>\s*(?=class|struct)', '', head)
    if NO_FUNCTION.match(head):
        return 'scope'
    if MEMBER_INIT.search(head):
        return 'initializer'
    if '(' in head and not re.search(r'(?<![=!<>])=\s*(?!.*\))[\w:<>]*$', head, re.S):
        return 'function'
    return 'scope'
