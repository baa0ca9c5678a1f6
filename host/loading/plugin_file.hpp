/// A plugin as it lies on disk: found, read and judged, without running its code.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "host/loading/elf_findings.hpp"
#include "host/loading/elf_reader.hpp"
#include "host/loading/note.hpp"
#include "host/loading/staging.hpp"

namespace davit::host {

struct PluginFile {
  std::filesystem::path path;  ///< The operator's.
  std::string digest;
  ElfFile elf;
  std::vector<Finding> findings;
  PluginDeclaration declaration;
};

/// The name of the build in reports and metrics: the first 12 digits of its digest.
[[nodiscard]] inline std::string build_id(const PluginFile& file) {
  return file.digest.substr(0, 12);
}

/// The reasons against loading a file, or against unloading it later.
struct Judgement {
  PluginFile file;  ///< Its findings are complete; its declaration is empty where there is none.
  Code code = Code::kUnsupported;  ///< The code of the first finding that refuses it.

  /// The texts of those that refuse it; empty: it may be loaded.
  [[nodiscard]] std::vector<std::string> refusals() const;
};

/// Whether judge_needs() is part of the judgement: not of a file that is to be loaded, because the
/// loader finds what it needs, nor of one that is for another machine.
enum class Needs { kLeft, kJudged };

/// The whole judgement, for reports. kInvalid: this is not an ELF file, or a damaged one.
[[nodiscard]] Result<Judgement> judge_wholly(const std::filesystem::path& path,
                                             const std::string& content, std::string digest,
                                             Needs needs);

/// Judges the content of the file at `path` (which is not read again): not ELF, another machine, no
/// symbol, no note, malformed note, newer ABI, unknown capability, refused by the ELF findings.
/// One line that names the file, everything that forbids loading it, and what to do.
[[nodiscard]] Result<PluginFile> judge_plugin(const std::filesystem::path& path,
                                              const std::string& content, std::string digest,
                                              Needs needs = Needs::kLeft);

/// Reads and checks a file regardless of its owner, for `davit plugin inspect`, rbac and checks, or
/// a file that read_trusted() reads.
[[nodiscard]] Result<PluginFile> inspect_plugin(const std::filesystem::path& path,
                                                Trust trust = Trust::kIgnored,
                                                Needs needs = Needs::kLeft);

/// The default folder of plugins: ../lib/davit/plugins beside the program, or the `plugins` folder
/// of the build tree that contains the program. Both may be missing.
[[nodiscard]] std::filesystem::path default_plugin_directory();
/// Same as default_plugin_directory(), for the program at `executable`.
[[nodiscard]] std::filesystem::path plugin_directory_for(const std::filesystem::path& executable);

/// <name>.so in the first directory that has it. kNotFound names every directory looked in.
[[nodiscard]] Result<std::filesystem::path> find_plugin(
    const std::string& name, const std::vector<std::string>& directories);

/// Every *.so of the directories, by name; of the same name the first directory wins. A directory
/// that is missing or cannot be read is an error.
[[nodiscard]] Result<std::vector<std::filesystem::path>> list_plugins(
    const std::vector<std::string>& directories);

}  // namespace davit::host
