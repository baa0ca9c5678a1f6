/// The rules of Events, which two groups show in two shapes: v1 and events.k8s.io/v1. They are
/// stored in the shape of v1, and rules, selectors and columns see that one only; see
/// KindRules::to_stored().
#pragma once

#include <memory>

#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

[[nodiscard]] std::shared_ptr<const KindRules> core_event_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> event_rules(const KindFacts& facts);

/// From the shape of events.k8s.io/v1 to that of v1, and back. What v1 always writes is written.
void event_to_core(Json& event);
void event_from_core(Json& event);

}  // namespace davit::sandbox
