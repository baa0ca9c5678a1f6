/// A label selector as Go prints it, for the text of an Event.
#pragma once

#include <davit/object.hpp>
#include <string>

namespace davit::pods {

/// "&LabelSelector{MatchLabels:map[string]string{app: x,},MatchExpressions:[]…{},}".
/// Rule: docs/spec/disruption.md, section 10.
[[nodiscard]] std::string selector_text(Value label_selector);

}  // namespace davit::pods
