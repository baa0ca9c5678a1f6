/// The forms of kinds that two resources show differently, though they share a collection. In
/// place; apiVersion and kind are the caller's business.
#pragma once

#include <cstdint>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// An Event of events.k8s.io/v1 as v1 has it, with what v1 always writes.
void event_to_core(Json& event);
/// An Event of v1 as events.k8s.io/v1 has it.
void event_from_core(Json& event);

/// A HorizontalPodAutoscaler of autoscaling/v2 as v1 has it: one metric of the CPU is a number, and
/// annotations hold the other metrics, behaviour, conditions and current metrics as JSON.
void autoscaler_to_v1(Json& autoscaler);
/// The reverse. A malformed annotation is dropped.
void autoscaler_to_v2(Json& autoscaler);
/// Removes those annotations.
void drop_autoscaler_annotations(Json& autoscaler);

/// The members of v1 that its annotations hold.
enum class AutoscalerPart : std::uint8_t { kSpec, kStatus };
/// Puts the annotations of one part back as `old` has them. Both are of v1.
void keep_autoscaler_annotations(Json& autoscaler, const Json& old, AutoscalerPart part);

/// Utilization of the CPU in percent: the target of an autoscaler without metrics.
inline constexpr std::int64_t kAutoscalerCpuPercent = 80;
/// The metric of the CPU with this target in percent.
[[nodiscard]] Json cpu_metric(const Json& percent);

}  // namespace davit::sandbox
