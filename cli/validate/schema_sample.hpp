/// Objects made from the schema of a CustomResourceDefinition.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::host {

/// A value that the OpenAPI v3 schema allows: defaults and first enum values where there are any,
/// numbers and lists within their limits, texts that match their format or pattern where that can
/// be found. Objects get what the schema requires or gives a default, and what `paths` (in the
/// grammar of a note's projection, relative to the value) lead to.
[[nodiscard]] Json sample_of(const Json& schema, const std::vector<std::string>& paths);

/// A text that matches a regular expression of literals, classes, groups, alternatives and
/// repetitions, with at least `shortest` characters if its repetitions allow that; empty for
/// anything else.
[[nodiscard]] std::string text_matching(std::string_view pattern, std::size_t shortest);

/// A value for a field of which only the name is known: 1 for "replicas", true for "enabled".
[[nodiscard]] Json guess_of(std::string_view name);

/// Fills what `paths` lead to below metadata.labels, metadata.annotations and spec, and the object
/// does not have, by guess.
void fill_by_guess(Json& object, const std::vector<std::string>& paths);

}  // namespace davit::host
