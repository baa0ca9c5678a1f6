/// The forms of kinds that two resources show differently, though they share a collection. In
/// place; apiVersion and kind are the caller's business.
#pragma once

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// An Event of events.k8s.io/v1 as v1 has it, with what v1 always writes.
void event_to_core(Json& event);
/// An Event of v1 as events.k8s.io/v1 has it.
void event_from_core(Json& event);

/// A HorizontalPodAutoscaler of autoscaling/v2 as v1 has it: the CPU's metric as a number. Other
/// metrics, behaviour and conditions have no place there (upstream: annotations).
void autoscaler_to_v1(Json& autoscaler);
void autoscaler_to_v2(Json& autoscaler);
/// The metric of the CPU with this target in percent.
[[nodiscard]] Json cpu_metric(const Json& percent);

}  // namespace davit::sandbox
