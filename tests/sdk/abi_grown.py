#!/usr/bin/env python3
"""Writes the abi.h of a mock 1.1: each struct and table that says its size has one more member.

    abi_grown.py HEADER > grown/davit/abi.h
    abi_grown.py --rust CRATE OUTPUT               the sources of the Rust crate for it, without abi.rs
"""
import os
import re
import sys


def grow_rust(crate, output):
    """Each place of the crate that makes a struct, but for those that take the rest from new(). abi.rs comes from the header.
    Ctx::grown() gives what the crate has read as the grown members of the host's tables, context and call."""
    grown = 0
    for folder, _, names in os.walk(crate):
        place = os.path.join(output, os.path.relpath(folder, crate))
        os.makedirs(place, exist_ok=True)
        for name in names:
            if name == 'abi.rs':
                continue
            with open(os.path.join(folder, name), encoding='utf-8') as file:
                text = file.read()
            text, made = re.subn(r'(\bsize: std::mem::size_of::<[\w:$]+>\(\) as u32,)', r'\1 grown: 0,', text)
            grown += made
            if name == 'host.rs':
                text += grown_members(text)
            with open(os.path.join(place, name), 'w', encoding='utf-8') as file:
                file.write(text)
    if grown < 4:
        sys.exit('abi_grown.py: the crate does not look as it did')


def grown_members(host):
    """Ctx::grown() for the tables of `struct Host` that abi.h has."""
    body = re.search(r'struct Host \{\n(.*?)\n\n', host, flags=re.S).group(1)
    found = re.findall(r'(\w+): (Option<)?davit_(?!cloud_)\w+', body)
    if len(found) < 16:
        sys.exit('abi_grown.py: Host does not look as it did')
    tables = ''.join(f'self.host().{name}.map_or(0, |table| table.grown) | ' if optional else f'self.host().{name}.grown | '
                     for name, optional in found)
    return ("\nimpl crate::Ctx<'_> {\n    pub fn grown(&self) -> u64 {\n"
            f"        {tables}unsafe {{ crate::sized::read_sized(self.raw()) }}.map_or(0, |call: davit_call| call.grown)\n"
            "    }\n}\n")


def main():
    if sys.argv[1] == '--rust':
        grow_rust(sys.argv[2], sys.argv[3])
        return
    text = open(sys.argv[1], encoding="utf-8").read()
    text, grown = re.subn(r"(typedef struct (\w+) \{\n  uint32_t size;.*?\n)(\} \2;)", r"\1  uint64_t grown;\n\3", text,
                          flags=re.S)
    text, minors = re.subn(r"(#define DAVIT_ABI_MINOR) 0\n", r"\1 1\n", text)
    if grown < 30 or minors != 1:
        sys.exit("abi_grown.py: the header does not look as it did")
    print(text, end="")


if __name__ == "__main__":
    main()
