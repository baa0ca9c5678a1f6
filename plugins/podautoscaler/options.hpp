/// The configuration of the controller.
#pragma once

#include <davit/object.hpp>
#include <davit/result.hpp>
#include <davit/time.hpp>

#include "plugins/podautoscaler/replica_calculator.hpp"

namespace davit::podautoscaler {

/// Rule: docs/spec/hpa.md, sections 1 and 20.
struct Options {
  Duration period = std::chrono::seconds(15);  ///< Zero or less: at once.
  Duration downscale_window = std::chrono::minutes(5);
  CalculatorSettings calculator{};
  bool scale_to_zero = false;          ///< The gate HPAScaleToZero.
  bool configurable_tolerance = true;  ///< The gate HPAConfigurableTolerance.
  bool pod_level_resources = true;     ///< The gate PodLevelResources.
};

/// kInvalid: a member is unknown or has no value of its kind.
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::podautoscaler
