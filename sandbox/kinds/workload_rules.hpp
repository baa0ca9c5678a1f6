/// The rules of pods and of what creates them. Each makes the rules of the kind of its name.
#pragma once

#include <memory>

#include "sandbox/kinds/kind_rules.hpp"

namespace davit::sandbox {

[[nodiscard]] std::shared_ptr<const KindRules> pod_rules(const KindFacts& facts);

}  // namespace davit::sandbox
