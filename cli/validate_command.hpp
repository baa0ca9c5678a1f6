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

/// Runs the checks on a plugin, each in a separate process. Returns 0 if all passed, 1 if one
/// failed, 2 for usage errors and files that cannot be read. A signal ends it only after it has
/// cleaned up. The process must have only one thread.
[[nodiscard]] int run_plugin_validate(const PluginValidateOptions& options, std::ostream& out,
                                      std::ostream& err);

}  // namespace davit::host
