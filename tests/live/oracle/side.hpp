/// One way to run the scenarios: a server, nodes, and controllers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/live/oracle/stage.hpp"

namespace davit::oracle {

enum class Cast {
  kOriginal,           ///< kube-controller-manager on a real server.
  kOriginalOnSandbox,  ///< The same on the sandbox, which injects faults.
  kDavit,              ///< davit on a real server.
  kSandbox,            ///< davit on the sandbox.
};
[[nodiscard]] const char* name_of(Cast cast);

/// Whether kube-controller-manager is at work, whose plays the others are compared with.
[[nodiscard]] bool is_original(Cast cast);

/// Whether this side plays the scenario. Real servers inject no faults, so kube-controller-manager
/// plays each scenario on one server: the sandbox if there are faults, else the real one.
[[nodiscard]] bool plays(Cast cast, const Scenario& scenario);

/// The key is the scenario's name.
using Transcripts = std::map<std::string, Transcript>;

/// Plays those of the scenarios that this side plays, each in a namespace of its own, many at once.
/// Blocks until the last one has ended and the events about it have come.
[[nodiscard]] Transcripts play_all(Cast cast, const std::vector<Scenario>& scenarios,
                                   const KnownDifferences& known);

}  // namespace davit::oracle
