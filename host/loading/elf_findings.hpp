/// Judges what the ELF reader found: can this library be swapped, loaded once, or not at all?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/loading/elf_reader.hpp"

namespace davit::host {

enum class Grade {
  kSwappable,  ///< Leaves the process when closed.
  kLoadOnce,   ///< Runs, but stays mapped or leaves something behind when closed.
  kRefused,    ///< Is not loaded.
};

[[nodiscard]] std::string_view to_string(Grade grade);

struct Finding {
  Grade grade = Grade::kLoadOnce;
  std::string id;    ///< "gnu-unique", "static-tls", ...; stable, for programs.
  std::string text;  ///< One line: what it means and what to do.
};

/// Everything noteworthy; empty for a library that davit_plugin() builds. Does not check the
/// content of the note.
[[nodiscard]] std::vector<Finding> judge(const ElfFile& elf);

/// The worst of all; kSwappable for none.
[[nodiscard]] Grade overall(const std::vector<Finding>& findings);

}  // namespace davit::host
