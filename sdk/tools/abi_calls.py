#!/usr/bin/env python3
"""Makes docs/abi-calls.md from the @call marks of abi.h.

    abi_calls.py HEADER           prints the page
    abi_calls.py HEADER --check PAGE   fails when PAGE is not what would be printed, or a mark is missing
"""
import re
import sys

HEAD = """# Where ABI functions may be called

This page lists, for each function of the C ABI, where it may be called from and whether it may block.
`sdk/tools/abi_calls.py` generates the page from the `@call` marks of [`abi.h`](../sdk/include/davit/abi.h); a test fails if
it is stale.

| called from | meaning |
| --- | --- |
| init | the thread that runs the InitFunc, before it returns |
| handler | the controller's dispatcher, inside `on_event` |
| sync | a worker, inside `sync` or a timer's `fire` |
| any | all of the above, the functions of the optional sides, and `destroy` |
| free | any thread of the plugin, even outside of a call from the host |
| host | a function of the plugin that the host calls |
"""

CALLERS = {"init", "handler", "sync", "any", "free", "host"}
BLOCKS = {"nonblocking", "blocking"}
FUNCTION = re.compile(r"\(\*(\w+)\)\s*\(|^DAVIT_EXPORT .*?\b(davit_\w+)\(")


def fail(text):
    print(f"abi_calls.py: {text}", file=sys.stderr)
    sys.exit(1)


def read(path):
    """Yields (struct or None, function, callers, blocks) in the order of the header."""
    struct, mark = None, None
    comment = None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if comment is None and line.lstrip().startswith("/*"):
            comment = ""
        if comment is not None:
            comment += line
            if "*/" in line:
                found = re.search(r"@call\(([^;)]*);\s*(\w+)\)", comment)
                # The page's own head describes the marks; it comes before any declaration.
                mark = (found.group(1), found.group(2)) if found and "<callers>" not in comment else None
                comment = None
            continue
        opened = re.match(r"typedef struct (\w+) \{", line)
        if opened:
            struct, mark = opened.group(1), None
        if line.startswith("}"):
            struct = None
        function = FUNCTION.search(line)
        if not function:
            continue
        name = function.group(1) or function.group(2)
        if name.endswith("_fn") or (struct == "davit_sink" and name == "write"):
            if name != "davit_init_fn":
                continue
        if mark is None:
            fail(f"{path}:{number}: {name} has no @call mark")
        callers = [each.strip() for each in mark[0].split(",")]
        if not set(callers) <= CALLERS or mark[1] not in BLOCKS:
            fail(f"{path}:{number}: {name} has an unknown mark {mark}")
        yield struct, name, ", ".join(callers), mark[1]


def page(path):
    lines = [HEAD]
    current = ""
    for struct, name, callers, blocks in read(path):
        section = struct or "The plugin"
        if section != current:
            lines.append(f"## {section}\n\n| function | called from | |\n| --- | --- | --- |")
            current = section
        lines.append(f"| `{name}` | {callers} | {blocks} |")
    text = "\n".join(lines) + "\n"
    return re.sub(r"\|\n## ", "|\n\n## ", text)


def main():
    text = page(sys.argv[1])
    if len(sys.argv) == 4 and sys.argv[2] == "--check":
        if open(sys.argv[3], encoding="utf-8").read() != text:
            fail(f"{sys.argv[3]} is stale: sdk/tools/abi_calls.py {sys.argv[1]} > {sys.argv[3]}")
        return
    print(text, end="")


if __name__ == "__main__":
    main()
