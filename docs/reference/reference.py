"""reference.py DOXYGEN SOURCE OUTPUT: writes the reference of the SDK and checks it.

Fails when a type, a function, constant or alias of a namespace, or a function of a C table lacks its documentation, or when a
reference leads nowhere. Members whose names say all, such as accessors of typed views and fields of options, may go without.
"""
import pathlib
import re
import shutil
import subprocess
import sys

from doc_comments import for_doxygen

UNDOCUMENTED = re.compile(r'(?:Compound|Member) (.*?)(?: \(\w+\) of namespace (\S+))? is not documented')
OPTIONS = re.compile(r'(Options|_options)$')  # The function that takes them says what they are for.
IN_CLASS = re.compile(r'Member .* of (?:class|struct|union) ')


def is_function_of_a_table(warning):
    """Whether the declaration at the warning's place is a pointer to a function."""
    file, line = warning.split(':')[:2]
    return file.endswith('.h') and '(*' in pathlib.Path(file).read_text().splitlines()[int(line) - 1]


def name_of(missing):
    """The name of an undocumented declaration, with its namespace."""
    name = re.sub(r'\(.*', '', missing.group(1))
    return f'{missing.group(2)}::{name}' if missing.group(2) else name


def findings(warnings, allowed):
    """The warnings that count."""
    for line in warnings.splitlines():
        missing = UNDOCUMENTED.search(line)
        if missing:
            if name_of(missing) in allowed or OPTIONS.search(name_of(missing)):
                continue
            if IN_CLASS.search(line) and not is_function_of_a_table(line):
                continue
            if '::detail' in line:
                continue
        if 'std::hash<' in line:  # Doxygen does not know the primary template.
            continue
        yield line


def main():
    doxygen, source, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    headers = output / 'headers'
    shutil.rmtree(output, ignore_errors=True)
    include = source / 'sdk/include'
    for file in include.rglob('*.h*'):
        copy = headers / file.relative_to(include)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(for_doxygen(file))
    log = output / 'warnings.txt'
    config = (source / 'docs/reference/Doxyfile').read_text().replace(' headers', f' {headers}')
    config += f'\nOUTPUT_DIRECTORY = "{output}"\nWARN_LOGFILE = "{log}"\nSTRIP_FROM_PATH = "{headers}"\n'
    subprocess.run([doxygen, '-'], input=config, text=True, cwd=source, check=True, stdout=subprocess.DEVNULL)
    # Declarations that explain themselves or wait for a comment. The list only gets shorter.
    allowed = (source / 'docs/reference/undocumented.txt').read_text().split('\n')
    found = sorted(set(findings(log.read_text(), allowed)))
    for line in found:
        print(line.replace(f'{headers}', 'sdk/include'))
    pages = len(list((output / 'html').glob('*.html')))
    print(f'{pages} pages, {len(found)} findings')
    sys.exit(1 if found or pages < 50 else 0)


if __name__ == '__main__':
    main()
