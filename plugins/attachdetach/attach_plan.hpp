/// The next step of a volume on a node. Rule: docs/spec/attachdetach.md, 8.
#pragma once

#include <chrono>
#include <cstdint>
#include <davit/time.hpp>
#include <optional>
#include <string>

#include "plugins/attachdetach/world.hpp"

namespace davit::attachdetach {

/// The time limit of one attach or detach.
inline constexpr Duration kOperationMax = std::chrono::minutes(2);

/// The node and the attachment as they are seen.
struct Facts {
  bool node_is_ready = false;
  bool node_is_out_of_service = false;
  bool is_in_use = true;  ///< The node's status names it.
  /// The source that the node's pods name allows it; another node's pods may name a
  /// PersistentVolume with other access modes.
  bool allows_many_nodes = false;

  bool is_there = false;  ///< The attachment; the rest counts if it is.
  bool is_its = false;    ///< It is of this volume and node.
  bool is_attached = false;
  bool is_being_deleted = false;
  std::optional<std::string> attach_error{};
  std::optional<std::string> detach_error{};
};

enum class Action : std::uint8_t {
  kNothing,      ///< Until something changes.
  kWait,         ///< For `after`.
  kRelease,      ///< Take it off the node's list.
  kDetach,       ///< If the node does not use it.
  kForceDetach,  ///< Whether or not the node uses it.
  kEndDetach,    ///< It has succeeded.
  kFailDetach,   ///< With `text`.
  kAttach,       ///< Create the attachment unless it exists.
  kEndAttach,    ///< It has succeeded.
  kFailAttach,   ///< With `text`.
  kLoseAttach,   ///< Another client deleted the attachment; try again later.
  kReportBusy,   ///< The volume is on another node and may be on one only.
  kForget,       ///< Nothing is left of the pair.
};

struct Step {
  Action action = Action::kNothing;
  Duration after{0};
  std::string text{};
};

/// The time after which a node that is not ready loses the volume. Nothing: it does not, or the
/// volume is wanted there.
[[nodiscard]] std::optional<Time> forced_from(const Pair& pair,
                                              const std::optional<Duration>& force_after);

/// Invariants:
/// - A volume that may be on one node only is not attached while another node has it, may have it,
///   or has an attachment that someone else made.
/// - A volume is detached only after the node's list is without it, and unless the node is out of
///   service, or not ready after `force_after`, only if the node does not use it.
///
/// `pair`: of the volume and the node. `pair.unwanted_since` is set if it is not wanted.
[[nodiscard]] Step next_step(const VolumeState& volume, const std::string& node, const Pair& pair,
                             const Facts& facts, const std::optional<Duration>& force_after,
                             Time now);

/// The pair is in none of its operations any more; another try waits, twice as long each time.
void fail(Pair& pair, Time now);

/// The text of the Multi-Attach Event for a pod of the namespace `ns` on `node`.
[[nodiscard]] std::string busy_text(const VolumeState& volume, const std::string& node,
                                    const std::string& ns);

}  // namespace davit::attachdetach
