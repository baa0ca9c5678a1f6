/// Which fields OpenAPI calls required. That says less than validation does, and is not quite what
/// is written although empty: upstream marks the fields by hand.
#pragma once

#include <string_view>

namespace davit {

/// A line `package.Type: field field …` for each type that has any; a line that begins with a space
/// goes on with the one before.
[[nodiscard]] std::string_view required_facts();

}  // namespace davit
