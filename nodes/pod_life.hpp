/// The life of a simulated pod as a state machine. Pure: takes the pod and the time, and has no
/// clock and no I/O.
#pragma once

#include <optional>
#include <string>

#include "lib/kube/json.hpp"
#include "nodes/pod_settings.hpp"
#include "nodes/stamp.hpp"

namespace davit::sandbox {

///   Bound ─▶ Creating ─▶ Init ─▶ Running ◀─▶ Ready       all containers move together
///               │▲                 ▲  │ exit  │
///               ▼│                 │  ▼       ▼
///          PullFailed           BackOff ◀── (restart?) ──▶ Ended
///
///   any, when deletion is asked for: Stopping ─▶ Stopped, and the pod can be removed
enum class PodStage {
  kBound,       ///< The node has not processed it yet.
  kCreating,    ///< Pulling images, creating containers.
  kPullFailed,  ///< An image cannot be had.
  kInit,        ///< One of the init containers runs.
  kRunning,     ///< Not ready yet.
  kReady,
  kBackOff,   ///< Exited; will be started again.
  kEnded,     ///< Succeeded or failed for good.
  kStopping,  ///< Asked to stop; still runs.
  kStopped,   ///< Nothing runs any more; what is left is the API object.
};

/// The record of an exit.
struct ContainerExit {
  int code = 0;
  WallTime started{};
  WallTime finished{};
};

/// The node's knowledge of a pod.
struct PodLife {
  PodStage stage = PodStage::kBound;
  Time since{};     ///< When it came to this stage.
  Time reported{};  ///< When its facts were last reported: nothing follows from them earlier.
  std::size_t init_done = 0;  ///< Init containers that have ended.
  std::int64_t restarts = 0;
  Time started_at{};  ///< The containers' last start, and what the wall showed then.
  WallTime started{};
  std::optional<ContainerExit> exit;  ///< The last one.

  [[nodiscard]] bool runs() const {
    return stage == PodStage::kRunning || stage == PodStage::kReady || stage == PodStage::kStopping;
  }
};

/// The facts of a pod that determine its life.
struct PodFacts {
  PodSettings settings;
  RestartPolicy restart_policy = RestartPolicy::kAlways;
  std::size_t init_containers = 0;  ///< Those that end; sidecars do not count.
  std::optional<Duration> grace;    ///< Set: the pod is being deleted, with this time to stop.
  /// From when on the pod's volumes are mounted and its devices prepared; nothing: not before
  /// something changes.
  std::optional<Time> prepared = Time::min();
};
[[nodiscard]] PodFacts pod_facts(const Json& pod, const PodDefaults& defaults);

/// The life of a pod that a node sees for the first time, restored from the reports of an earlier
/// process.
[[nodiscard]] PodLife resume_life(const Json& pod, const Moment& moment);

/// Takes `life` through everything that is due at `moment`. Says whether it moved.
bool advance(PodLife& life, const PodFacts& facts, const Moment& moment);

/// When advance() has something to do if the pod stays as it is; Time::max(): never.
[[nodiscard]] Time next_due(const PodLife& life, const PodFacts& facts, Time now);

}  // namespace davit::sandbox
