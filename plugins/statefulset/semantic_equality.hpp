/// Whether an older server's spelling of a pod template means the present one. Pure.
#pragma once

#include <davit/object.hpp>

namespace davit::statefulset {

/// Compares the template of a stored revision with the present one, which has the defaults of the
/// present server: null members do not count, and the present one may have more members if their
/// values are the API's defaults. Everything else must be equal; when in doubt it is not.
/// Rule: docs/spec/statefulset.md, 9.2.
[[nodiscard]] bool restores_to(Value stored_template, Value present_template);

}  // namespace davit::statefulset
