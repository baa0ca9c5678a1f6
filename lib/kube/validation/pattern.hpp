/// Pattern: a regular expression as the API server, which uses Go's `regexp`, understands it.
#pragma once

#include <cstddef>
#include <davit/result.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace re2 {
class RE2;
}

namespace davit {

/// Matches in time linear in the text's length, with any expression (RE2). Immutable; any thread
/// may match.
class Pattern {
 public:
  /// kInvalid with Go's message for expressions that Go refuses, and for those that need too much
  /// memory.
  [[nodiscard]] static Result<Pattern> compile(std::string_view expression);

  /// Whether it matches anywhere in `text`, which is UTF-8.
  [[nodiscard]] bool matches(std::string_view text) const;
  /// The bounds of the first match that begins at `begin` or later; anchors see the whole text.
  [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> find(std::string_view text,
                                                                        std::size_t begin) const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> program) : program_(std::move(program)) {}

  std::shared_ptr<const re2::RE2> program_;  // Never null, unless moved from.
};

}  // namespace davit
