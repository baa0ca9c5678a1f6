/// Builds the plugin of a project with CMake and Ninja.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/dev/tool.hpp"
#include "cli/dev_command.hpp"

namespace davit::host {

class PluginBuild {
 public:
  /// Paths are absolute afterwards.
  explicit PluginBuild(const DevOptions& options);

  struct Outcome {
    enum class What {
      kBuilt,
      kUnchanged,  ///< The plugin is what it was.
      kFailed,     ///< The next save may mend it.
      kNoTool,     ///< cmake or ninja is not there.
      kStopped,
    };
    What what = What::kFailed;
    /// The tools' output without progress lines: errors, or warnings of a successful build.
    std::vector<std::string> lines;
    std::chrono::milliseconds time{0};

    [[nodiscard]] bool works() const { return what == What::kBuilt || what == What::kUnchanged; }
  };

  /// Runs cmake, finds the plugin among the targets, and builds it.
  [[nodiscard]] Outcome begin(ToolObserver& observer);
  /// Builds it again.
  [[nodiscard]] Outcome again(ToolObserver& observer);

  [[nodiscard]] const std::filesystem::path& source() const { return source_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return build_; }
  /// The plugin's file, after a build that worked.
  [[nodiscard]] const std::filesystem::path& plugin() const { return plugin_; }

 private:
  [[nodiscard]] Outcome run(const std::vector<std::string>& argv, ToolObserver& observer) const;
  [[nodiscard]] Outcome configure(ToolObserver& observer);
  [[nodiscard]] Outcome compile(ToolObserver& observer);

  const DevOptions options_;
  const std::filesystem::path source_;
  const std::filesystem::path build_;
  std::filesystem::path plugin_;
  std::string target_;  // Empty until cmake has worked.
  std::string digest_;  // The last build's.
};

}  // namespace davit::host
