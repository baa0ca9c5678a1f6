/// Strict JSON (RFC 8259) to the same tree as YAML, for small texts such as a plugin's note.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/yaml.hpp"

namespace davit {

/// At most one mistake, with its place. Duplicate keys, invalid UTF-8, lone surrogates and deep
/// nesting are mistakes. `file` is only for the mistake's text; `first_line` is the number of the
/// text's first line.
[[nodiscard]] YamlDocument parse_strict_json(std::string_view text, const std::string& file,
                                             int first_line = 1);

}  // namespace davit
