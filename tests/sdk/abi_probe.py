#!/usr/bin/env python3
"""Writes a C library with one exported function for each public type of abi.h, for abidiff to look at.

    abi_probe.py HEADER > probe.c
"""
import re
import sys

from abi_layout import without_comments


def main():
    text = without_comments(open(sys.argv[1], encoding='utf-8').read())
    print('#include <davit/abi.h>\n')
    types = re.findall(r'^typedef struct (\w+) \{', text, flags=re.M)
    types += re.findall(r'^typedef .*\(\*(\w+)\)\(', text, flags=re.M)
    types += re.findall(r'^typedef (?!struct)[\w ]+ (\w+);', text, flags=re.M)
    for name in types:
        print(f'DAVIT_EXPORT void probe_{name}(const {name} *value);')
        print(f'void probe_{name}(const {name} *value) {{ (void)value; }}')
    print('const davit_plugin *davit_plugin_v1(void) { return 0; }')


if __name__ == '__main__':
    main()
