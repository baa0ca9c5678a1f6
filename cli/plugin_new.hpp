/// `davit plugin new`: a whole project for a plugin.
#pragma once

#include <iosfwd>
#include <string>

namespace davit::host {

struct PluginNewOptions {
  std::string name{};  ///< The project, the plugin and the begin of its controller's name.
  std::string language = "cpp";  ///< "cpp", "c" or "rust".
  /// VERSION/PLURAL of the core group, or GROUP/VERSION/PLURAL.
  std::string watches = "v1/pods";
  std::string kind{};       ///< The resource's kind; empty: known for built-in ones, else guessed.
  std::string directory{};  ///< Made for it; empty: the name, in the current directory.
};

/// Writes the project and says on `out` what to do with it. 0; 2 for a name, resource or directory
/// that cannot be used, and then nothing is written; 1 when writing fails.
[[nodiscard]] int run_plugin_new(const PluginNewOptions& options, std::ostream& out,
                                 std::ostream& err);

}  // namespace davit::host
