/// Label selectors as the query `labelSelector` spells them
/// (k8s.io/apimachinery/pkg/labels.Parse).
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// All requirements must hold. Immutable.
class LabelSelector {
 public:
  enum class Operator : std::uint8_t { kIn, kNotIn, kExists, kMissing, kGreater, kLess };
  struct Requirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;  ///< Sorted.
  };

  /// Selects everything.
  LabelSelector() = default;

  /// kInvalid with the message of the real server's parser.
  [[nodiscard]] static Result<LabelSelector> parse(std::string_view text);

  [[nodiscard]] bool empty() const { return requirements_.empty(); }
  /// `labels` are sorted by key.
  [[nodiscard]] bool matches(const Pairs& labels) const;

 private:
  std::vector<Requirement> requirements_;
};

}  // namespace davit::sandbox
