/// A stream of several YAML documents, as kubectl takes it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace davit {

/// Cuts a stream at its `---` lines. Each document keeps its line numbers: what comes before is
/// replaced by empty lines. At least one, perhaps empty.
[[nodiscard]] std::vector<std::string> yaml_documents(std::string_view text);

}  // namespace davit
