// The rules of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go.
#include "sandbox/crd/compiled_rule.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "lib/cel/checker.hpp"
#include "lib/cel/estimate.hpp"
#include "lib/cel/parser.hpp"
#include "lib/cel/planning.hpp"
#include "lib/cel/source.hpp"

namespace davit::sandbox {

namespace {

/// The words about an expression of the wrong type.
struct ExpressionWords {
  cel::TypeKind type;
  std::string_view failed;
  std::string_view unplanned;
  std::string_view wrong_type;
};
constexpr ExpressionWords kRuleWords = {cel::TypeKind::kBool,
                                        "compilation failed: ", "program instantiation failed: ",
                                        "cel expression must evaluate to a bool"};
constexpr ExpressionWords kMessageWords = {
    cel::TypeKind::kString, "messageExpression compilation failed: ",
    "messageExpression instantiation failed: ", "messageExpression must evaluate to a string"};

CompiledExpression compile(const std::string& text, const std::vector<cel::Variable>& variables,
                           const cel::SchemaType& type, const ExpressionWords& words) {
  CompiledExpression out;
  cel::Parsed parsed = cel::parse(text);
  if (!parsed.issues.empty()) {
    out.error = std::string(words.failed) + cel::display(text, std::move(parsed.issues));
    return out;
  }
  cel::Checked checked = cel::check(*parsed.root, variables);
  if (!checked.issues.empty()) {
    out.error = std::string(words.failed) + cel::display(text, std::move(checked.issues));
    return out;
  }
  if (checked.result->kind != words.type) {
    out.error = words.wrong_type;
    return out;
  }
  if (const std::string failed = cel::planning_error(*parsed.root); !failed.empty()) {
    out.error = std::string(words.unplanned) + failed;
    return out;
  }
  out.cost_max = cel::estimate_cost(*parsed.root, checked, type).max;
  out.uses_old_self = checked.variables.contains("oldSelf");
  out.tree = std::move(parsed.root);
  return out;
}

/// Reads paths such as `.spec.items['a.b']`.
class FieldPathReader {
 public:
  FieldPathReader(std::string_view text, const SchemaNode& schema)
      : rest_(text), schema_(&schema) {}

  std::optional<std::string> read() {
    while (!rest_.empty()) {
      std::optional<std::string> name = rest_.starts_with("['") ? quoted() : plain();
      if (!name || !step(*name)) return std::nullopt;
    }
    return out_;
  }

 private:
  std::optional<std::string> plain() {
    if (!rest_.starts_with('.')) return std::nullopt;
    rest_.remove_prefix(1);
    const std::size_t end = std::min(rest_.size(), rest_.find_first_of(".[]"));
    std::string out(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return out.empty() ? std::nullopt : std::optional(std::move(out));
  }

  std::optional<std::string> quoted() {
    rest_.remove_prefix(2);
    std::string out;
    while (!rest_.starts_with('\'')) {
      if (rest_.empty()) return std::nullopt;
      const bool escape = rest_.starts_with('\\');
      if (escape) rest_.remove_prefix(1);
      const std::optional<char> next = escape ? escaped() : rest_.front();
      if (!next) return std::nullopt;
      out += *next;
      rest_.remove_prefix(1);
    }
    rest_.remove_prefix(1);
    if (!rest_.starts_with(']')) return std::nullopt;
    rest_.remove_prefix(1);
    return out;
  }

  /// The character that the one behind a backslash stands for.
  [[nodiscard]] std::optional<char> escaped() const {
    constexpr std::string_view kNames = "abfnrtv'\\";
    constexpr std::string_view kCharacters = "\a\b\f\n\r\t\v'\\";
    const std::size_t at = rest_.empty() ? kNames.npos : kNames.find(rest_.front());
    return at == kNames.npos ? std::nullopt : std::optional(kCharacters[at]);
  }

  bool step(const std::string& name) {
    if (!schema_->properties.empty()) {
      schema_ = schema_->property(name);
      out_ += (out_.empty() ? "" : ".") + name;
    } else {
      schema_ = schema_->additional.get();
      out_ += '[' + name + ']';
    }
    return schema_ != nullptr;
  }

  std::string_view rest_;
  const SchemaNode* schema_;
  std::string out_;
};

}  // namespace

ValidationRule read_validation_rule(const Json& rule) {
  ValidationRule out;
  out.rule = rule.text_at({"rule"});
  out.message = rule.text_at({"message"});
  out.message_expression = rule.text_at({"messageExpression"});
  out.reason = rule.text_at({"reason"});
  out.field_path = rule.text_at({"fieldPath"});
  const Json& optional = rule.get("optionalOldSelf");
  if (optional.is_boolean()) out.optional_old_self = optional.boolean();
  return out;
}

CompiledRule compile_rule(ValidationRule source, const SchemaNode& schema,
                          const cel::SchemaType& type) {
  CompiledRule out;
  out.source = std::move(source);
  if (trimmed(out.source.rule).empty()) return out;
  const bool optional = out.source.optional_old_self.value_or(false);
  const std::vector<cel::Variable> variables = {
      {"self", type.type}, {"oldSelf", optional ? cel::optional_type(type.type) : type.type}};
  out.rule = compile(out.source.rule, variables, type, kRuleWords);
  if (!out.rule.error.empty()) return out;
  if (!out.source.message_expression.empty()) {
    out.message = compile(out.source.message_expression, variables, type, kMessageWords);
  }
  out.field_path = normalized_field_path(out.source.field_path, schema).value_or("");
  return out;
}

std::optional<std::string> normalized_field_path(const std::string& text,
                                                 const SchemaNode& schema) {
  return FieldPathReader(text, schema).read();
}

std::string trimmed(const std::string& text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  const std::size_t start = text.find_first_not_of(kSpace);
  if (start == std::string::npos) return "";
  return text.substr(start, text.find_last_not_of(kSpace) - start + 1);
}

}  // namespace davit::sandbox
