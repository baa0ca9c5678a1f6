/// Reads the properties of a shared library without loading it. Checks every offset and size in the
/// file: damaged input leads to an error, never to an invalid read. Time and memory are linear in
/// the size of the file, regardless of its content. Works on stripped files.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::host {

/// A dynamic symbol.
struct ElfSymbol {
  enum class Binding { kGlobal, kWeak, kUnique };
  std::string name;
  Binding binding = Binding::kGlobal;
  bool is_function = false;
};

/// A version of a library's interface, such as GLIBC_2.34 of libc.so.6.
struct ElfVersion {
  std::string library;
  std::string version;
};

/// The facts of an ELF64 shared library, copied out of the file; texts can be shown on a terminal
/// (see printable()).
struct ElfFile {
  std::uint16_t machine = 0;  ///< EM_*
  std::vector<ElfSymbol> exports;
  std::vector<std::string> imports;
  std::string soname;
  std::vector<std::string> needed;        ///< Also those of DT_FILTER and DT_AUXILIARY.
  std::vector<ElfVersion> versions;       ///< Those that it needs (DT_VERNEED).
  std::vector<std::string> run_paths;     ///< DT_RPATH and DT_RUNPATH, as they are in the file.
  std::string build_id;                   ///< Hex; empty when there is none.
  std::optional<std::string> note;        ///< The text of .note.davit without its NUL.
  std::vector<std::uint32_t> note_types;  ///< Types of all notes of owner "davit".
  bool static_tls = false;                ///< DF_STATIC_TLS
  bool text_relocations = false;          ///< DT_TEXTREL or DF_TEXTREL
  bool no_delete = false;                 ///< DF_1_NODELETE
  bool executable_stack = false;          ///< PT_GNU_STACK with PF_X, or none at all
  bool own_cxx_runtime = false;           ///< A C++ runtime that was linked statically.
  bool go_runtime = false;                ///< Notes or sections that Go's linker leaves.

  [[nodiscard]] bool imports_symbol(std::string_view name) const;
};

/// The highest of the needed versions that begin with `prefix`, without it: "2.34" of "GLIBC_".
/// Empty if no version has that prefix. The plugin does not load with an older library.
[[nodiscard]] std::string lowest_version(const ElfFile& elf, std::string_view prefix);

/// "x86-64", "aarch64", or "machine 243".
[[nodiscard]] std::string machine_name(std::uint16_t machine);
/// The machine that this program was built for.
[[nodiscard]] std::uint16_t own_machine();

/// `image` is the whole file. kInvalid with one line ("not an ELF file", "damaged: ...") that does
/// not name the file. A library for another machine of the same byte order and word size is read.
[[nodiscard]] Result<ElfFile> read_elf(std::string_view image);

}  // namespace davit::host
