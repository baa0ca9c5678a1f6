/// `davit plugin validate`.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/progress_line.hpp"
#include "cli/validate/validator.hpp"

namespace davit::host {

/// The command line of `davit plugin validate`.
struct PluginValidateOptions {
  /// Whether results are printed for people, or as one JSON document.
  enum class Output { kText, kJson };

  std::string file;                    ///< The plugin.
  std::optional<std::uint64_t> seed;   ///< Nothing: another one each time.
  int limit_seconds = 60;              ///< For each check.
  std::vector<std::string> checks;     ///< Empty: all.
  std::vector<std::string> configs{};  ///< See read_controller_configs().
  std::string definitions{};           ///< Folder of CustomResourceDefinitions; empty: none.
  std::string objects{};               ///< Folder of objects; empty: none.
  Output output = Output::kText;
};

/// Prints the progress and the result of each check of `davit plugin validate`.
class ValidationView {
 public:
  /// `out` is borrowed.
  ValidationView(std::ostream& out, ProgressLine::Screen screen) : out_(out), line_(out, screen) {}

  /// Says how far the check that runs has come.
  void show(const CheckProgress& running);
  /// Prints what a check came to, in place of its progress.
  void show(const CheckResult& result);

 private:
  std::ostream& out_;
  ProgressLine line_;
};

/// Puts a plugin through the checks, each in a process of its own. Returns 0 when all passed, 1
/// when one failed, 2 for usage mistakes and files that cannot be read. A signal that ends it does
/// so after nothing is left behind. The process must have one thread only.
[[nodiscard]] int run_plugin_validate(const PluginValidateOptions& options, std::ostream& out,
                                      std::ostream& err);

}  // namespace davit::host
