/// The files beside the source that `davit dev` follows: configuration, definitions, objects.
#pragma once

#include <davit/result.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/controller_config.hpp"
#include "cli/dev/dev_parts.hpp"
#include "cli/dev/source_watch.hpp"
#include "cli/dev_command.hpp"

namespace davit::host {

/// One thread.
class DevInputs {
 public:
  /// Paths of the options are relative to the working directory.
  explicit DevInputs(const DevOptions& options);

  /// Reads everything once. The error has a line for each mistake, with file and line.
  [[nodiscard]] Status read();
  /// Begins to follow the files. kUnavailable: a folder cannot be watched.
  [[nodiscard]] Status watch();
  /// Their paths, which the watch of the source leaves out.
  [[nodiscard]] std::vector<std::filesystem::path> paths() const;

  /// Readable when one of the files may have changed; as many as the options name.
  [[nodiscard]] std::vector<int> fds() const;
  struct Saved {
    std::string config;   ///< A file of the configuration; empty: none.
    std::string content;  ///< A file of the sandbox's content; empty: none.
  };
  /// One of the files that were saved since the last call, if any.
  [[nodiscard]] Saved take();

  /// Those of the last read() that succeeded.
  [[nodiscard]] const std::vector<ControllerConfig>& configs() const { return configs_; }
  /// Reads them again. After an error configs() stays as it is.
  [[nodiscard]] Status read_configs();
  [[nodiscard]] const SandboxContent& content() const { return content_; }

 private:
  enum class Role { kConfig, kContent };
  struct Followed {
    SourceWatch watch;
    std::string file;  // The only one of the folder; empty: all.
    Role role;
  };
  [[nodiscard]] Status follow(const std::filesystem::path& path, Role role);

  const std::vector<std::string> flags_;
  const SandboxContent content_;
  std::vector<ControllerConfig> configs_;
  std::vector<Followed> followed_;
};

}  // namespace davit::host
