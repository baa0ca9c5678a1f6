#!/usr/bin/env python3
"""Writes a C program that prints size, alignment and member offsets of every struct in abi.h or another header of the contract.

    abi_layout.py HEADER > layout.c
"""
import os
import re
import sys


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def members(body):
    """The member names of a struct body, in order."""
    for declaration in body.split(";"):
        declaration = " ".join(declaration.split())
        if not declaration:
            continue
        function = re.search(r"\(\*(\w+)\)", declaration)
        if function:
            yield function.group(1)
            continue
        for name in declaration.split(","):
            yield re.search(r"(\w+)$", name.strip()).group(1)


def main():
    text = without_comments(open(sys.argv[1], encoding="utf-8").read())
    print(f"#include <davit/{os.path.basename(sys.argv[1])}>\n#include <stddef.h>\n#include <stdio.h>\n")
    print("int main(void) {")
    for name, body in re.findall(r"typedef struct (\w+) \{(.*?)\n?\} \1;", text, flags=re.S):
        print(f'  printf("{name} size %zu align %zu\\n", sizeof({name}), _Alignof({name}));')
        for member in members(body):
            print(f'  printf("  {member} %zu\\n", offsetof({name}, {member}));')
    for name in re.findall(r"^  (DAVIT_\w+) = ", text, flags=re.M):
        print(f'  printf("{name} %d\\n", {name});')
    print("  return 0;\n}")


if __name__ == "__main__":
    main()
