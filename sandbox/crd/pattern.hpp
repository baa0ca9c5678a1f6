/// Pattern: regular expressions in the syntax of RE2, which is what schemas and CEL use.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <string_view>
#include <vector>

namespace davit::sandbox {

/// Runs all alternatives side by side, so a match costs the text's length times the program's size
/// whatever the expression is. Works on bytes: a character beyond ASCII is matched by `.`, by
/// itself and by negated classes. Immutable.
class Pattern {
 public:
  /// kInvalid for what RE2 refuses, and for what would become too large a program.
  [[nodiscard]] static Result<Pattern> compile(std::string_view expression);

  /// Whether it matches anywhere in `text`.
  [[nodiscard]] bool matches(std::string_view text) const;

  enum class Op : std::uint8_t {
    kBytes,       ///< One byte of `bytes`, then `next`.
    kSplit,       ///< `next` or `other`.
    kTextStart,   ///< ^
    kTextEnd,     ///< $
    kWordEdge,    ///< \b
    kNoWordEdge,  ///< \B
    kMatch,
  };
  struct Step {
    Op op = Op::kMatch;
    std::uint32_t next = 0;
    std::uint32_t other = 0;
    std::bitset<256> bytes;
  };

 private:
  explicit Pattern(std::vector<Step> steps) : steps_(std::move(steps)) {}

  std::vector<Step> steps_;  // Starts at 0.
};

}  // namespace davit::sandbox
