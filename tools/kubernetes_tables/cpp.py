"""The forms of the generated C++ files."""
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
