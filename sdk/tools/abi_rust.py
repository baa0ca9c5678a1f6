#!/usr/bin/env python3
"""Makes sdk/rust/src/abi.rs from abi.h, and the module of an addition, such as cloud_abi.rs, from its header.

    abi_rust.py HEADER               prints the module
    abi_rust.py HEADER --check FILE  fails when FILE is not what would be printed
"""
import os
import re
import sys

HEAD = """//! `<davit/abi.h>` type by type: order, meaning and rules of lifetime are that header's. `sdk/tools/abi_rust.py` makes this
//! module from it, and a test fails when it is stale.
//!
//! `self` is `this` here. A function pointer that the plugin gives is an `Option`; the tables of the host have every function
//! of their revision. `new()` of a struct is all zero but for its size.
#![allow(non_camel_case_types, clippy::new_without_default)]

use std::ffi::c_void;
use std::mem::size_of;
"""
ADDITION = """//! `<davit/%s>` type by type, as `abi` has those of `<davit/abi.h>`. `sdk/tools/abi_rust.py` makes this module from it, and a
//! test fails when it is stale.
#![allow(non_camel_case_types, clippy::new_without_default)]

use crate::abi::*;
use std::ffi::c_void;
use std::mem::size_of;
"""
SIMPLE = {"int32_t": "i32", "uint32_t": "u32", "int64_t": "i64", "uint64_t": "u64", "uint16_t": "u16", "size_t": "usize",
          "double": "f64", "void": "c_void", "char": "u8"}
NAMES = {"self": "this", "type": "r#type"}
FUNCTION = re.compile(r"^(.*?)\(\*(\w*)\)\s*\((.*)\)$", re.S)
DECLARATION = re.compile(r"^((?:const\s+)?(?:struct\s+)?\w+)\s*(\**)\s*(\w*)$")
# The host gives these out whole; all other function pointers outside tables are the plugin's.
OF_THE_HOST = {"davit_call", "davit_context", "davit_sink"}


def fail(text):
    print(f"abi_rust.py: {text}", file=sys.stderr)
    sys.exit(1)


def rust_type(base, stars):
    """`base` as C writes it, maybe const, behind so many stars."""
    constant = base.startswith("const ")
    name = re.sub(r"^const\s+|struct\s+", "", re.sub(r"^const\s+", "", base)).strip()
    out = SIMPLE.get(name, name)
    for depth in range(len(stars)):
        out = ("*const " if constant and depth == 0 else "*mut ") + out
    return out


def declaration(text):
    """(name, Rust type) of a member or parameter."""
    found = DECLARATION.match(" ".join(text.split()))
    if not found:
        fail(f"cannot read the declaration: {text}")
    name = NAMES.get(found.group(3), found.group(3))
    return name, rust_type(found.group(1), found.group(2))


def function_type(result, parameters):
    given = [] if parameters.strip() == "void" else [declaration(each) for each in parameters.split(",")]
    text = "unsafe extern \"C\" fn(" + ", ".join(f"{name}: {kind}" if name else kind for name, kind in given) + ")"
    returned = "" if result.strip() == "void" else declaration(result)[1]
    return text + (f" -> {returned}" if returned else "")


def members(struct, body):
    """(name, type, zero) of each member; the zero of a function that must be there is None."""
    whole = struct in OF_THE_HOST or re.search(r"_v\d+$", struct)
    for text in body.split(";"):
        text = " ".join(text.split())
        if not text:
            continue
        if found := FUNCTION.match(text):
            kind = function_type(found.group(1), found.group(3))
            yield found.group(2), kind if whole else f"Option<{kind}>", None if whole else "None"
            continue
        name, kind = declaration(text)
        yield name, kind, zero_of(name, kind)


def zero_of(name, kind):
    if name == "size":
        return "size_of::<Self>() as u32"
    if kind.startswith("*"):
        return "std::ptr::null()" if kind.startswith("*const") else "std::ptr::null_mut()"
    if kind in ("davit_str", "davit_value"):
        return f"{kind}::new()"
    return "0.0" if kind == "f64" else "0"


def struct_lines(name, body):
    found = list(members(name, body))
    yield "#[repr(C)]\n#[derive(Clone, Copy)]\npub struct " + name + " {"
    yield from (f"    pub {member}: {kind}," for member, kind, _ in found)
    yield "}\n"
    sized = found[0][0] == "size" or name in ("davit_str", "davit_value")
    if sized and all(zero is not None for _, _, zero in found):
        zeros = {name: zero if name != "size" or kind == "u32" else "0" for name, kind, zero in found}
        yield f"impl {name} {{\n    pub const fn new() -> Self {{\n        {name} {{"
        yield from (f"            {member}: {zero}," for member, zero in zeros.items())
        yield "        }\n    }\n}\n"


def module(header):
    text = re.sub(r"/\*.*?\*/", "", open(header, encoding="utf-8").read(), flags=re.S)
    is_addition = os.path.basename(header) != "abi.h"
    out = [ADDITION % os.path.basename(header) if is_addition else HEAD]
    pattern = re.compile(
        r"typedef struct (?P<struct>\w+) \{(?P<body>.*?)\n?\} (?P=struct);|enum \{(?P<enum>[^}]*)\};|"
        r"typedef struct (?P<opaque>\w+) (?P=opaque);|"
        r"typedef (?P<type>const davit_plugin \*|\w+)\s*\(\*(?P<function>\w+)\)\((?P<parameters>[^)]*)\);|"
        r"typedef (?P<base>\w+) (?P<alias>\w+);|"
        r"#define (?P<define>DAVIT_\w+) (?P<value>\"[^\"]*\"|\d+)\s*$", re.S | re.M)
    for found in pattern.finditer(text):
        part = found.groupdict()
        if part["struct"]:
            out += struct_lines(part["struct"], part["body"])
        elif part["enum"]:
            for each in part["enum"].split(","):
                name, value = (side.strip() for side in each.split("="))
                out.append(f"pub const {name}: i32 = {value};")
            out.append("")
        elif part["opaque"]:
            out.append(f"#[repr(C)]\npub struct {part['opaque']} {{\n    private: [u8; 0],\n}}\n")
        elif part["function"]:
            out.append(f"pub type {part['function']} = {function_type(part['type'], part['parameters'])};\n")
        elif part["alias"]:
            out.append(f"pub type {part['alias']} = {SIMPLE[part['base']]};\n")
        else:
            kind = "&str" if part["value"].startswith('"') else "u32"
            out.append(f"pub const {part['define']}: {kind} = {part['value']};\n")
    if not is_addition:
        out.append("// Constant tables of pointers to constants.\nunsafe impl Sync for davit_plugin {}\n"
                   "unsafe impl Sync for davit_row {}\n")
    names = re.findall(r"pub struct (\w+) \{\n(?!    private)", "\n".join(out))
    out.append("/// The size of each struct, for the test that compares them with C's.\npub const SIZES: &[(&str, usize)] = &[")
    out += [f'    ("{name}", size_of::<{name}>()),' for name in names]
    out.append("];")
    declared = len(re.findall(r"^typedef ", text, flags=re.M))
    made = sum(line.count("pub struct ") + line.count("pub type ") for line in out)
    if made != declared:
        fail(f"{header} has {declared} types, of which {made} were read")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip("\n") + "\n"


def main():
    text = module(sys.argv[1])
    if len(sys.argv) == 4 and sys.argv[2] == "--check":
        if open(sys.argv[3], encoding="utf-8").read() != text:
            fail(f"{sys.argv[3]} is stale: sdk/tools/abi_rust.py {sys.argv[1]} > {sys.argv[3]}")
        return
    print(text, end="")


if __name__ == "__main__":
    main()
