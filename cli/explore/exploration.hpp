/// Explores one plugin in a child process.
#pragma once

#include <chrono>
#include <davit/result.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::host {

struct ExplorationOptions {
  std::filesystem::path file;
  std::vector<std::string> configs{};   ///< See read_controller_configs().
  std::filesystem::path definitions{};  ///< CustomResourceDefinitions; empty: none.
  std::filesystem::path objects{};      ///< Objects for a made scenario; empty: none.
  std::filesystem::path scenarios{};    ///< A file of scenarios; empty: one is made.
  bool pairs = false;                   ///< Also two faults in one run.
  std::chrono::minutes limit{1};        ///< No run begins later.
  /// A run of a small scenario that takes so long is in a call without end; a large one has more.
  std::chrono::seconds run_limit{30};
  std::size_t runs_max = 0;  ///< The most runs of each set; 0: no limit.
  std::string replay{};      ///< Only the run of this line; empty: all.
  int stop_fd = -1;          ///< Readable as soon as it is to end, borrowed; -1: none.
};

/// Called about once a second: "made: 120 runs, 1 finding".
using ExplorationObserver =
    std::function<void(std::string_view progress, std::chrono::milliseconds time)>;

struct Exploration {
  std::string plugin;
  std::string version;
  std::string digest;  ///< The sum of the file.
  /// For each scenario its name, numbers and findings, as `-o json` prints them.
  Json scenarios = Json::array();
  std::vector<std::string> log{};     ///< The replayed run's, whole.
  std::string failure{};              ///< Why the plugin's process ended before it was done.
  std::vector<std::string> output{};  ///< The last lines that it printed then.

  [[nodiscard]] bool ok() const;
};

/// kNotFound, kForbidden, …: a file cannot be read. kInvalid: plugin, objects, configuration,
/// scenarios or line are wrong; a line for each mistake. kConflict: the line is of another build.
/// kCancelled: it was asked to end. The caller's process has one thread only. Nothing is left
/// behind.
[[nodiscard]] Result<Exploration> explore_plugin(const ExplorationOptions& options,
                                                 const ExplorationObserver& observer = {});

}  // namespace davit::host
