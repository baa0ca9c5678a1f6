/// The report of `davit plugin inspect` on a file, as text and as JSON.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/loading/elf_findings.hpp"
#include "host/loading/note.hpp"

namespace davit::host {

/// Facts about a plugin file; those that could not be read are empty.
struct PluginReport {
  std::filesystem::path path;
  std::string digest;
  std::optional<ElfFile> elf;
  std::vector<Finding> findings;
  std::optional<PluginDeclaration> declaration;
  std::string refusal;  ///< Why it would not be loaded; empty when it would.

  [[nodiscard]] Grade grade() const {
    return refusal.empty() ? overall(findings) : Grade::kRefused;
  }
};

/// "a, b", or `none` for an empty list.
[[nodiscard]] std::string joined(const std::vector<std::string>& items, const std::string& none);

/// The optional capabilities, and which of them this host lacks.
[[nodiscard]] std::string optional_text(const PluginDeclaration& declaration);

[[nodiscard]] std::string report_text(const PluginReport& report);
/// One JSON object with a line break at its end.
[[nodiscard]] std::string report_json(const PluginReport& report);

}  // namespace davit::host
