/// `davit plugin validate`.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace davit::host {

struct PluginValidateOptions {
  enum class Output { kText, kJson };

  std::string file;
  std::optional<std::uint64_t> seed;  ///< Nothing: another one each time.
  int limit_seconds = 60;             ///< Of each check.
  std::vector<std::string> checks;    ///< Empty: all.
  Output output = Output::kText;
};

/// Puts a plugin through the checks, each in a process of its own. Returns 0 when all passed, 1
/// when one failed, 2 for usage mistakes and files that cannot be read. The process must have one
/// thread only.
[[nodiscard]] int run_plugin_validate(const PluginValidateOptions& options, std::ostream& out,
                                      std::ostream& err);

}  // namespace davit::host
