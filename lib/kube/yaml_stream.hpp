/// A stream of several YAML documents, as kubectl takes it.
#pragma once

#include <string_view>
#include <vector>

namespace davit {

/// A document of a stream; a view of the stream's text.
struct YamlPart {
  std::string_view text;
  int line = 1;  ///< The line of the stream on which the text begins.

  friend bool operator==(const YamlPart&, const YamlPart&) = default;
};

/// Cuts a stream at its `---` lines, each of which begins a document. At least one, perhaps empty.
[[nodiscard]] std::vector<YamlPart> yaml_documents(std::string_view text);

}  // namespace davit
