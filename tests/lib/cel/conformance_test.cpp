// The conformance vectors of github.com/google/cel-spec (tests/simple/testdata), an expression and
// its value in each line of tests/golden/cel/conformance.jsonl.
//
// The file leaves out: proto2, proto2_ext, proto3, enums, wrappers and dynamic, and single vectors
// elsewhere (protobuf messages, which Kubernetes does not have); type_deduction (the checker);
// unknowns (partial evaluation); containers of names; bindings_ext, block_ext, encoders_ext and
// math_ext (libraries that v1.36 does not have).
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "lib/base/text_file.hpp"
#include "lib/cel/evaluate.hpp"
#include "lib/cel/parser.hpp"
#include "lib/kube/json.hpp"

namespace davit::cel {
namespace {

/// Vectors that v1.36 answers otherwise, by the beginning of their id.
const std::map<std::string, std::string>& left_out() {
  static const std::map<std::string, std::string> kReasons = {
      {"string_ext.reverse", "reverse() is in version 3 of the library, v1.36 has version 2"},
      {"string_ext.format", "the directives of version 4 differ in numbers and precision"},
      {"fields.quoted_map_fields", "names in backquotes are not enabled"},
      {"fields.qualified_identifier_resolution", "no variable has a dotted name"},
      {"optionals.optionals.map_null_entry_no_such_key", "errors of presence tests are off"},
      {"optionals.optionals.map_present_key_invalid_field", "errors of presence tests are off"},
      {"namespace.qualified", "no variable has a dotted name"},
      {"string_ext.value_errors.indexof_out_of_range", "cel-go answers -1"},
      {"string_ext.value_errors.lastindexof_out_of_range", "cel-go answers -1"},
      {"timestamps.duration_converters.get_milliseconds", "cel-go answers all milliseconds"},
      {"network_ext", "cel-go's library; that of Kubernetes differs in names and messages"},
  };
  return kReasons;
}

bool is_left_out(const std::string& id) {
  for (const auto& [prefix, reason] : left_out()) {
    if (id.starts_with(prefix)) return true;
  }
  return false;
}

class TextVariables : public Variables {
 public:
  explicit TextVariables(const Json& bindings);
  [[nodiscard]] std::optional<Value> find(std::string_view name) const override {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::string, Value> values_;
  std::vector<Parsed> sources_;  // Literals borrow their text from the trees.
};

Value evaluated(const Parsed& parsed, const Variables& variables) {
  if (!parsed.root) return error_value(parsed.issues.front().message);
  return evaluate(*parsed.root, variables).value;
}

TextVariables::TextVariables(const Json& bindings) {
  for (const Json::Member& member : bindings.members()) {
    sources_.push_back(parse(member.value.text()));
    values_[member.key] = evaluated(sources_.back(), VariableList({}));
  }
}

bool is_nan(const Value& value) {
  const auto* real = value.get<double>();
  return real != nullptr && std::isnan(*real);
}

std::string described(const Value& value) {
  if (value.is_error()) return "error: " + std::string(value.error());
  const Result<Json> json = to_json(value);
  return type_name(value) + " " + (json ? to_text(*json) : json.error().message());
}

void check(const Json& vector) {
  const std::string expression = vector.text_at({"expr"});
  SCOPED_TRACE(vector.text_at({"id"}) + ": " + expression);
  const TextVariables variables(vector.get("bindings"));
  const Parsed parsed = parse(expression);
  const Value value = evaluated(parsed, variables);
  if (vector.contains("error")) {
    EXPECT_TRUE(value.is_error()) << described(value);
    return;
  }
  const Parsed expected_source = parse(vector.text_at({"value"}));
  const Value expected = evaluated(expected_source, VariableList({}));
  ASSERT_FALSE(expected.is_error()) << expected.error();
  EXPECT_TRUE((is_nan(value) && is_nan(expected)) ||
              (value.kind() == expected.kind() && equal(value, expected).is_true()))
      << described(value) << " instead of " << described(expected);
}

TEST(CelConformance, VectorsHaveTheirValues) {
  const Result<std::string> text =
      read_text_file(std::string(DAVIT_GOLDEN_DIR) + "/cel/conformance.jsonl");
  ASSERT_TRUE(text);
  std::size_t checked = 0;
  for (std::size_t at = 0; at < text->size();) {
    const std::size_t end = text->find('\n', at);
    const Result<Json> vector = parse_json(std::string_view(*text).substr(at, end - at));
    at = end + 1;
    ASSERT_TRUE(vector);
    if (is_left_out(vector->text_at({"id"}))) continue;
    check(*vector);
    ++checked;
  }
  EXPECT_GT(checked, 1'200U);
}

}  // namespace
}  // namespace davit::cel
