/// The facts about a pod that the rules read.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/kube/pod.hpp>
#include <string_view>

namespace davit::statefulset {

struct PodState {
  std::int64_t ordinal = -1;
  std::string_view phase = {};  ///< Empty: the API server has not stored the pod yet.
  bool terminating = false;
  bool ready = false;      ///< In any phase.
  bool available = false;  ///< Ready for minReadySeconds.
  /// The name of its ControllerRevision; empty without the label.
  std::string_view revision = {};

  [[nodiscard]] bool is_created() const { return !phase.empty(); }
  [[nodiscard]] bool is_pending() const { return phase == "Pending"; }
  [[nodiscard]] bool is_finished() const { return phase == "Failed" || phase == "Succeeded"; }
  [[nodiscard]] bool is_running_and_ready() const { return phase == "Running" && ready; }
  [[nodiscard]] bool is_unavailable() const { return !available || terminating; }
};

/// The state at `now`; lives like the pod.
[[nodiscard]] PodState pod_state(const Pod& pod, std::chrono::seconds min_ready, WallTime now);

}  // namespace davit::statefulset
