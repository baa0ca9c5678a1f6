/// The canonical text of resource quantities in an object (k8s.io/apimachinery/pkg/api/resource).
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>

namespace davit {

/// The precision of a quantity; finer values are rounded away from zero.
enum class Precision : std::uint8_t { kNano, kMilli };

/// Same as canonical_quantity() of schema.hpp, which has kNano. Resource lists have kMilli.
[[nodiscard]] Result<std::string> canonical_quantity(std::string_view text, Precision precision);

}  // namespace davit
