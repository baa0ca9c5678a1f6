/// The rules of Events, which two groups show in two forms: see conversion.hpp.
#pragma once

#include <memory>

#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

[[nodiscard]] std::shared_ptr<const KindRules> core_event_rules(const KindFacts& facts);
[[nodiscard]] std::shared_ptr<const KindRules> event_rules(const KindFacts& facts);

}  // namespace davit::sandbox
