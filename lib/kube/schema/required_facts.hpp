/// The fields that OpenAPI marks as required. They are fewer than those that validation requires,
/// and not exactly those that are written although empty: upstream marks the fields by hand.
#pragma once

#include <string_view>

namespace davit {

/// A line `package.Type: field field …` for each type that has any; a line that begins with a space
/// continues the one before.
[[nodiscard]] std::string_view required_facts();

}  // namespace davit
