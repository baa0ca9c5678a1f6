/// `davit plugin new`: a whole project for a plugin.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace davit::host {

struct PluginNewOptions {
  std::string name{};  ///< The project, the plugin and the begin of its controller's name.
  std::string language = "cpp";  ///< "cpp", "c" or "rust".
  /// VERSION/PLURAL of the core group, or GROUP/VERSION/PLURAL.
  std::string watches = "v1/pods";
  std::string kind{};        ///< The resource's kind; empty: known for built-in ones, else guessed.
  std::string directory{};   ///< Made for it; empty: the name, in the current directory.
  bool is_provider = false;  ///< The provider of a cloud, in C++ or Rust.
};

/// Writes the project and says on `out` what to do with it. 0; 2 for a name, resource or directory
/// that cannot be used, and then nothing is written; 1 when writing fails.
[[nodiscard]] int run_plugin_new(const PluginNewOptions& options, std::ostream& out,
                                 std::ostream& err);

/// A file of a new plugin project, compiled in from sdk/templates.
struct TemplateFile {
  std::string_view folder;  ///< "common", "provider", or that of a language.
  std::string_view path;    ///< Within the project: "tests/unit_test.cpp".
  std::string_view text;    ///< With @NAME@ and its like in it.
};

[[nodiscard]] std::span<const TemplateFile> plugin_template_files();

}  // namespace davit::host
