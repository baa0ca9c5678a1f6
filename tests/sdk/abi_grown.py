#!/usr/bin/env python3
"""Writes the abi.h of a mock 1.1: each struct and table that says its size has one more member.

    abi_grown.py HEADER > grown/davit/abi.h
"""
import re
import sys


def main():
    text = open(sys.argv[1], encoding="utf-8").read()
    text, grown = re.subn(r"(typedef struct (\w+) \{\n  uint32_t size;.*?\n)(\} \2;)", r"\1  uint64_t grown;\n\3", text,
                          flags=re.S)
    text, minors = re.subn(r"(#define DAVIT_ABI_MINOR) 0\n", r"\1 1\n", text)
    if grown < 30 or minors != 1:
        sys.exit("abi_grown.py: the header does not look as it did")
    print(text, end="")


if __name__ == "__main__":
    main()
