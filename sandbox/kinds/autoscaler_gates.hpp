/// The feature gates that change the rules of HorizontalPodAutoscalers.
#pragma once

#include <vector>

#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The defaults are those of v1.36. Rule: docs/spec/hpa.md, section 20.
struct AutoscalerGates {
  bool scale_to_zero = false;          ///< HPAScaleToZero: minReplicas may be 0.
  bool configurable_tolerance = true;  ///< HPAConfigurableTolerance: tolerances are kept.
};

/// Gives the autoscalers among `resources`, of both versions, the rules under these gates.
void apply_gates(std::vector<ResourcePtr>& resources, const AutoscalerGates& gates);

}  // namespace davit::sandbox
