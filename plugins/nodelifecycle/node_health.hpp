/// When a node counts as dead: upstream's tryUpdateNodeHealth, with explicit time.
#pragma once

#include <cstdint>
#include <davit/kube/node.hpp>
#include <davit/time.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit::nodelifecycle {

/// The status of a Ready condition. Any other text is not True.
enum class Ready : std::uint8_t { kTrue, kFalse, kUnknown, kOther };

[[nodiscard]] Ready ready_from(std::string_view status);

/// The parts of a Ready condition that health reads. The times are compared, never computed with,
/// so they stay the server's text.
struct ReadyFacts {
  Ready status = Ready::kUnknown;
  std::string heartbeat{};
  std::string transition{};

  [[nodiscard]] static std::optional<ReadyFacts> from(const Node& node);
};

/// The parts of a Lease that health reads.
struct LeaseFacts {
  std::optional<WallTime> renewed{};  ///< Nothing when absent or unparsable.
};

/// The health of one node. Times are of the controller's own clock, so the clocks of kubelets do
/// not matter.
struct NodeHealth {
  Time probe{};                       ///< The last sign of life.
  Time ready_transition{};            ///< When Ready was last seen to change.
  std::optional<ReadyFacts> ready{};  ///< The latest one with a new heartbeat, or the one written.
  std::optional<LeaseFacts> lease{};  ///< The last one that counted.
};

/// The times for which a node may be silent.
struct GracePeriods {
  Duration monitor = std::chrono::seconds(50);  ///< With a Ready condition.
  Duration startup = std::chrono::minutes(1);   ///< Without.
};

/// One look at a node.
struct HealthInput {
  const std::optional<ReadyFacts>& ready;
  const std::optional<LeaseFacts>& lease;
  Time created;  ///< In terms of the controller's clock.
};

enum class Heartbeat : std::uint8_t { kAlive, kSilent };

/// Takes note of signs of life in `health`, which is made at the first look. Whether the node has
/// been silent for longer than its grace period at `now`.
[[nodiscard]] Heartbeat observe(std::optional<NodeHealth>& health, const HealthInput& input,
                                Time now, const GracePeriods& grace);

/// When a node that stays silent will have been so for too long.
[[nodiscard]] Time deadline(const NodeHealth& health, const GracePeriods& grace);

/// Whether a silent node is to be written: it is, unless its Ready is Unknown already.
[[nodiscard]] bool needs_unknown(const std::optional<ReadyFacts>& ready);

/// A strategic merge patch of the status of a silent node: Ready and the pressures become Unknown,
/// provided that the server still has this version.
[[nodiscard]] std::string unknown_patch(const Node& node, WallTime now);

/// After that patch was written.
void note_unknown(NodeHealth& health, const HealthInput& input, std::string_view created, Time now);

}  // namespace davit::nodelifecycle
