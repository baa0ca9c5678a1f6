/// Merge patches (RFC 7386) from two values.
#pragma once

#include <davit/object.hpp>
#include <string>

namespace davit {
/// The merge patch that turns `from` into `to`, both objects; empty if they are equal. Members that
/// `to` lacks are removed, and lists that differ are replaced.
[[nodiscard]] std::string merge_patch_between(Value from, Value to);

}  // namespace davit
