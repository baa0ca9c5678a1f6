/// The libraries that a plugin needs: their code runs as soon as the plugin is opened, so they are
/// found and judged before.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/plugin_signatures.hpp"
#include "host/loading/elf_findings.hpp"
#include "host/loading/elf_reader.hpp"

namespace davit::host {

/// Paths of libraries; each comes after those that it needs itself.
struct NeededLibraries {
  std::vector<std::filesystem::path> mapped;   ///< Already in this process.
  std::vector<std::filesystem::path> to_open;  ///< Opened by these paths before the plugin.
};

/// Finds what `plugin` needs. A library that this process has counts as it is. Any other:
///
/// - If signatures are required, it has a name that `settings` list, or one of the C and C++
///   runtimes, and comes from the system's folders, whatever LD_LIBRARY_PATH says.
/// - Else it comes from LD_LIBRARY_PATH or the system's folders; ld.so looks for what is in
/// neither.
///
/// Its file must be one that only root or this process's user can write (see check_trust()).
/// kForbidden, kNotFound: one line that says what to do and does not name the plugin.
[[nodiscard]] Result<NeededLibraries> find_needed(const ElfFile& plugin,
                                                  const SignatureSettings& settings);

/// Whether the text of ld.so's cache has a library of that name. ldconfig stores a name as the end
/// of a path, where there is one.
[[nodiscard]] bool lists_library(std::string_view cache, const std::string& name);

/// Says what ld.so would say: a library that this machine lacks (missing-library), or a version of
/// the C or C++ runtime (missing-version). Runs nothing of the plugin.
[[nodiscard]] std::vector<Finding> judge_needs(const ElfFile& plugin);

}  // namespace davit::host
