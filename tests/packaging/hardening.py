#!/usr/bin/env python3
"""Checks that ELF files are built as distributions harden them: hardening.py FILE...

Folders stand for all ELF files below them. Looks at what the linker and the compiler left in the files, with readelf. Exit code
1: a file lacks something, and each is named.
"""
import pathlib
import re
import subprocess
import sys

ENDBR64 = bytes.fromhex('f30f1efa')
ENDBR64_LEAST = 20  # Those of the compiler's own start files are fewer.


def readelf(path, *flags):
    return subprocess.run(['readelf', '--wide', *flags, path], capture_output=True, text=True, check=True,
                          env={'LC_ALL': 'C', 'PATH': '/usr/bin:/bin'}).stdout


def lacks(path):
    """What the file lacks, a line each."""
    header = readelf(path, '--file-header')
    segments = readelf(path, '--segments')
    dynamic = readelf(path, '--dynamic')
    symbols = readelf(path, '--dyn-syms')
    if not re.search(r'Type: +DYN', header):
        yield 'is not position independent'
    if 'GNU_RELRO' not in segments:
        yield 'has no read-only relocations (-z relro)'
    if not re.search(r'\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW', dynamic):
        yield 'binds symbols late (-z now)'
    stack = re.search(r'GNU_STACK.*', segments)
    if stack is None or re.search(r'\bRWE\b', stack.group()):
        yield 'has an executable stack'
    if re.search(r'LOAD.*\bRWE\b', segments):
        yield 'has memory that is writable and executable'
    if re.search(r'\((RPATH|RUNPATH)\)', dynamic):
        yield 'has an RPATH'
    if re.search(r'\(TEXTREL\)', dynamic):
        yield 'has relocations in its code'
    if '__stack_chk_fail' not in symbols:
        yield 'has no stack protector'
    # A small plugin may call nothing that could be fortified.
    if re.search(r' (memcpy|strcpy|sprintf|read|memmove)@', symbols) and not re.search(r' __\w+_chk@', symbols):
        yield 'calls no fortified function'
    # Targets of indirect calls are marked. The file's own mark (IBT, SHSTK in readelf --notes) is lost when Debian 12's crti.o,
    # which lacks it, is linked in.
    if 'X86-64' in header and path.read_bytes().count(ENDBR64) < ENDBR64_LEAST:
        yield 'has no targets for control-flow enforcement (-fcf-protection)'


def elf_files(arguments):
    for each in map(pathlib.Path, arguments):
        for path in sorted(each.rglob('*')) if each.is_dir() else [each]:
            if path.is_file() and not path.is_symlink():
                with path.open('rb') as file:
                    if file.read(4) == b'\x7fELF':
                        yield path


def main():
    files = list(elf_files(sys.argv[1:]))
    if not files:
        sys.exit('hardening.py: no ELF file there')
    bad = 0
    for path in files:
        for each in lacks(path):
            print(f'{path} {each}')
            bad += 1
    print(f'{len(files)} files, {bad} findings')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
