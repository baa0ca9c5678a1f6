/// Label selectors as the query `labelSelector` spells them
/// (k8s.io/apimachinery/pkg/labels.Parse).
#pragma once

#include <davit/kube/label_match.hpp>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// A label selector; an object matches if all requirements hold. Immutable.
class LabelSelector {
 public:
  struct Requirement {
    std::string key;
    LabelOperator op = LabelOperator::kExists;
    std::vector<std::string> values;  ///< Sorted.
  };

  /// A key and its value each.
  using Labels = std::vector<std::pair<std::string, std::string>>;

  /// Selects everything.
  LabelSelector() = default;

  /// kInvalid with the message of the real server's parser.
  [[nodiscard]] static Result<LabelSelector> parse(std::string_view text);

  [[nodiscard]] bool empty() const { return requirements_.empty(); }
  /// `labels` are sorted by key.
  [[nodiscard]] bool matches(const Labels& labels) const;

 private:
  std::vector<Requirement> requirements_;
};

}  // namespace davit
