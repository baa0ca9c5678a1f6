/// Field selectors as the query `fieldSelector` spells them
/// (k8s.io/apimachinery/pkg/fields.ParseSelector).
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/kinds/resource.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// A field selector; an object matches if all terms hold. Immutable.
class FieldSelector {
 public:
  enum class Operator : std::uint8_t { kEquals, kNotEquals };
  struct Term {
    std::string field;
    Operator op = Operator::kEquals;
    std::string value;
  };

  /// Selects everything.
  FieldSelector() = default;

  /// kInvalid with the message of the real server's parser, or when `resource` knows no such field.
  [[nodiscard]] static Result<FieldSelector> parse(std::string_view text, const Resource& resource);
  /// The one object of that name.
  [[nodiscard]] static FieldSelector of_name(std::string name);

  [[nodiscard]] bool empty() const { return terms_.empty(); }
  /// Whether at most one object of a namespace can match, because a term requires its name.
  [[nodiscard]] bool selects_one() const;
  /// Whether a term is about more than the name and the namespace.
  [[nodiscard]] bool reads_content() const;
  [[nodiscard]] bool matches(const Version& object) const {
    return matches(object.ns, object.name, object.fields);
  }
  /// `fields` has the others than the name and the namespace.
  [[nodiscard]] bool matches(std::string_view ns, std::string_view name, const Pairs& fields) const;

 private:
  std::vector<Term> terms_;
};

}  // namespace davit::sandbox
