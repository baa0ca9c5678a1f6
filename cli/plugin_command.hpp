/// `davit plugin inspect` and `davit plugin list`.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace davit::host {

struct PluginInspectOptions {
  std::string file;
  enum class Output { kText, kJson };
  Output output = Output::kText;
};

/// Prints what a plugin is, needs and may do, without running its code. Returns 0, or 2 when it
/// would not be loaded, with the reason on `err` after as much as could be read on `out`.
[[nodiscard]] int run_plugin_inspect(const PluginInspectOptions& options, std::ostream& out,
                                     std::ostream& err);

struct PluginListOptions {
  std::vector<std::string> directories;  ///< Empty: the installed one.
  bool outdated = false;                 ///< See run_plugin_outdated().
};

/// Prints one line for each plugin: name, version, grade, controllers, file. A file that is not a
/// plugin gets a line on `err` and makes the result 2.
[[nodiscard]] int run_plugin_list(const PluginListOptions& options, std::ostream& out,
                                  std::ostream& err);

}  // namespace davit::host
