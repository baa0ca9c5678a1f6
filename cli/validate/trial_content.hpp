/// The objects and configurations that a plugin's author gives for its trial.
#pragma once

#include <davit/result.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/cluster_objects.hpp"
#include "cli/controller_config.hpp"

namespace davit::host {

struct TrialContent {
  std::vector<ClusterObject> objects;  ///< In the order in which a server takes them.
  std::vector<ControllerConfig> configs;
};

/// Reads the configurations of `configs` (see read_controller_configs()) and the objects of two
/// files or folders; an empty path: none. `definitions` may have CustomResourceDefinitions only.
/// kInvalid: a line for each mistake, with its place.
[[nodiscard]] Result<TrialContent> read_trial_content(const std::vector<std::string>& configs,
                                                      const std::filesystem::path& definitions,
                                                      const std::filesystem::path& objects);

}  // namespace davit::host
