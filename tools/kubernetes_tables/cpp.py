"""The forms of the generated C++ files."""
COLUMNS_MAX = 100
HEAD = """\
// Made by tools/kubernetes_tables from upstream's documents. Do not edit.
"""


def raw_string(include, function, constant, table, title='', namespace='davit'):
    """A source whose function returns `table`."""
    return f"""{title}{chr(10) if title else ''}{HEAD}#include "{include}"

namespace {namespace} {{

namespace {{

constexpr std::string_view {constant} = R"(
{table})";

}}  // namespace

std::string_view {function}() {{ return {constant}; }}

}}  // namespace {namespace}
"""


def table(includes, array, rows, function, namespace='davit'):
    """A source with a constant array of `rows` and the function that returns it. The first include is the source's own header."""
    own, *others = (f'#include "{name}"\n' for name in includes)
    return f"""{HEAD}{own}{chr(10) if others else ''}{''.join(others)}
namespace {namespace} {{

namespace {{

// clang-format off
constexpr {array}[] = {{
{rows}}};
// clang-format on

}}  // namespace

{function}

}}  // namespace {namespace}
"""


def row(parts):
    """A row of an array from its parts, in lines of at most COLUMNS_MAX; long texts are cut at blanks and dots, else at bars."""
    lines, line = [], '    {'
    for at, part in enumerate(parts):
        part += '},' if at + 1 == len(parts) else ','
        gap = '' if line.endswith('{') else ' '
        while len(line) + len(gap) + len(part) > COLUMNS_MAX:
            if line.strip() and not line.endswith('{'):
                lines.append(line)
                line, gap = '     ', ''
                continue
            end = COLUMNS_MAX - len(line) - 1
            cut = max(part.rfind(sign, 0, end) for sign in ' .')
            cut = part.rfind('|', 0, end) if cut < 0 else cut
            if cut < 0:
                raise ValueError(f'the row has no place for a line break: {part}')
            lines.append(f'{line}{part[:cut + 1]}"')
            line, part = '     ', '"' + part[cut + 1:]
        line += gap + part
    return '\n'.join([*lines, line]) + '\n'
