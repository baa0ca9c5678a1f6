/// Strict JSON (RFC 8259) to the same tree as YAML, for small texts such as a plugin's note.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/kube/yaml.hpp"

namespace davit {

/// The most values of a text: a hostile one may take that many nodes of memory.
inline constexpr std::size_t kStrictValuesMax = 100'000;

/// At most one mistake, with its place. Duplicate keys, invalid UTF-8, lone surrogates, deep
/// nesting and more than `values_max` values are mistakes. `file` is only for the text of a
/// mistake; `first_line` is the number of the text's first line.
[[nodiscard]] YamlDocument parse_strict_json(std::string_view text, const std::string& file,
                                             int first_line = 1,
                                             std::size_t values_max = kStrictValuesMax);

}  // namespace davit
