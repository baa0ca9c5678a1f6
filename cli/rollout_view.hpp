/// A Deployment and what hangs below it, as text. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::host {

/// The known objects of one Deployment's namespace. Keys are the reflectors' keys.
struct RolloutState {
  Json deployment;
  std::map<std::string, Json> sets;
  std::map<std::string, Json> pods;
};

enum class Colour { kOff, kAnsi };

/// The tree Deployment → ReplicaSets → Pods, a line each, ReplicaSets in the order of their
/// revisions. Sets without pods are left out, but the newest.
[[nodiscard]] std::vector<std::string> draw_tree(const RolloutState& state, Colour colour);

/// One line for an output that is not a terminal: "web: 4 wanted, 2 updated, 3 available; web-7d9c
/// 2/2, …".
[[nodiscard]] std::string draw_line(const RolloutState& state);

/// Whether the controllers are done with the latest spec, and no old pod is left.
[[nodiscard]] bool rolled_out(const RolloutState& state);

}  // namespace davit::host
