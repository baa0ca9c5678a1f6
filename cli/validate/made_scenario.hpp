/// The scenario by which a plugin is explored when its author gives none.
#pragma once

#include <davit/result.hpp>
#include <filesystem>

#include "cli/validate/trial_host.hpp"
#include "testing/explore/scenario.hpp"
#include "testing/explore/subject.hpp"

namespace davit::host {

/// Two objects of each resource that the plugin watches come into the cluster, change, and one of
/// them is deleted, with a rest after each step. The user's own objects take their place where
/// `content` has some of a kind. Definitions are there before the controllers start.
///
/// Opens the plugin, in a copy below `scratch`, and starts threads that have ended when this
/// returns. kInvalid: the plugin watches nothing, or the server refuses a definition.
[[nodiscard]] Result<explore::Scenario> made_scenario(const std::filesystem::path& file,
                                                      const std::filesystem::path& scratch,
                                                      const TrialContent& content);

/// The plugin's controllers with their configurations, which belong to its sum.
[[nodiscard]] Result<explore::Subject> configured_subject(const explore::OpenPlugins& plugins,
                                                          const explore::Scenario& scenario,
                                                          const TrialContent& content);

}  // namespace davit::host
