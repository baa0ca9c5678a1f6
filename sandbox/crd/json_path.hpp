/// JsonPath: the JSONPath that printer columns, selectable fields and scale paths use.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// `.spec.list[0]`, `['a.b']`, `[*]`, `[?(@.type=="Ready")]` and `\.` in a name. Immutable.
class JsonPath {
 public:
  /// kInvalid for anything else.
  [[nodiscard]] static Result<JsonPath> parse(std::string_view text);

  /// The values that the path selects, in order; they live as long as `json`.
  [[nodiscard]] std::vector<const Json*> find(const Json& json) const;
  /// The first of them, or null.
  [[nodiscard]] const Json* first(const Json& json) const;
  /// The member names, when it consists of nothing else; empty otherwise.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  enum class Kind : std::uint8_t { kMember, kIndex, kEach, kFilter };
  struct Step {
    Kind kind = Kind::kMember;
    std::string name;                 ///< kMember
    std::int64_t index = 0;           ///< kIndex; negative from the end.
    std::vector<std::string> filter;  ///< kFilter: members of an element ...
    Json wanted;                      ///< ... that must have this value.
  };
  class Parser;

  std::vector<Step> steps_;
};

/// A value in the form of kubectl's JSONPath printer: text without quotes, else JSON.
[[nodiscard]] std::string printed(const Json& value);

}  // namespace davit::sandbox
