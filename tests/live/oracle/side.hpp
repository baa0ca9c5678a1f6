/// One way to run the scenarios: a server, nodes, and controllers.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/live/oracle/stage.hpp"

namespace davit::oracle {

enum class Cast {
  kOriginal,  ///< kube-controller-manager on a real server.
  kDavit,     ///< davit on a real server.
  kSandbox,   ///< davit on the sandbox.
};
[[nodiscard]] const char* name_of(Cast cast);

/// By the scenario's name.
using Transcripts = std::map<std::string, Transcript>;

/// Plays all scenarios, each in a namespace of its own, many at once. Blocks until the last one has
/// ended and the events about it have come.
[[nodiscard]] Transcripts play_all(Cast cast, const std::vector<Scenario>& scenarios,
                                   const KnownDifferences& known);

}  // namespace davit::oracle
