/// The configuration of the controller.
#pragma once

#include <chrono>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>

namespace davit::attachdetach {

/// Rule: docs/spec/attachdetach.md, 1.
struct Options {
  Duration verify_period = std::chrono::minutes(1);  ///< At least a second.
  bool verifies = true;
  bool forces_on_timeout = true;
};

/// kInvalid: a member is unknown or has no value of its kind.
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::attachdetach
