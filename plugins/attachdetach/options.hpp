/// The configuration of the controller.
#pragma once

#include <chrono>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>
#include <optional>

namespace davit::attachdetach {

/// Rule: docs/spec/attachdetach.md, 1.
struct Options {
  Duration verify_period = std::chrono::minutes(1);  ///< At least a second.
  bool verifies = true;
  /// The time that a kubelet gets to unmount a volume before a node that is not ready loses it;
  /// nothing: it keeps it.
  std::optional<Duration> force_after = std::chrono::minutes(6);
};

/// kInvalid: a member is unknown or has no value of its kind.
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::attachdetach
