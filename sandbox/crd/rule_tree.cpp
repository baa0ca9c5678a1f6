#include "sandbox/crd/rule_tree.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "lib/cel/evaluate.hpp"
#include "lib/cel/limits.hpp"
#include "lib/cel/schema_value.hpp"
#include "lib/kube/validation/list_types.hpp"

namespace davit::sandbox {

namespace {

using cel::kCallCostMax;
using cel::kMessageBytesMax;
using cel::kOutOfBudget;
using cel::kRunBudget;

bool has_rules(const Json& schema) {
  if (!schema.is_object()) return false;
  if (schema.get("x-kubernetes-validations").size() != 0) return true;
  if (has_rules(schema.get("items")) || has_rules(schema.get("additionalProperties"))) return true;
  const Json::Members& properties = schema.get("properties").members();
  return std::any_of(properties.begin(), properties.end(),
                     [](const Json::Member& each) { return has_rules(each.value); });
}

cel::ResourceRoot root_of(const SchemaNode& schema) {
  return schema.embedded_resource ? cel::ResourceRoot::kYes : cel::ResourceRoot::kNo;
}

/// The rule as errors name it.
std::string rule_text(const ValidationRule& rule) {
  return trimmed(rule.message.empty() ? rule.rule : rule.message);
}

/// A value, the one that it replaces, and whether rules may pass over it.
struct Judged {
  const Json& value;
  const Json* old = nullptr;  ///< Null: none.
  /// The nearest pair of a value and the one that it replaces, at this place or above: where both
  /// are equal, rules without oldSelf do not count.
  const Json* near_value = nullptr;
  const Json* near_old = nullptr;
  const SchemaNode* near_schema = nullptr;

  /// A part of this value. Parts without counterpart keep the pair of this value.
  [[nodiscard]] Judged part(const Json& inner, const Json* inner_old,
                            const SchemaNode& schema) const {
    if (inner_old != nullptr) return {inner, inner_old, &inner, inner_old, &schema};
    return {inner, nullptr, near_value, near_old, near_schema};
  }
};

}  // namespace

/// One validation of an object.
class RuleRun {
 public:
  explicit RuleRun(FieldErrors& errors) : errors_(errors) {}

  void visit(const RuleTree& tree, const Judged& at, const FieldPath& path) {
    if (at.value.is_null() || is_over()) return;
    judge(tree, at, path);
    for (const auto& each : tree.conditions_) {
      if (is_over()) return;
      visit(*each, at, path);
    }
    if (at.value.is_array() && tree.items_ != nullptr) elements(tree, at, path);
    if (at.value.is_object()) members(tree, at, path);
  }

 private:
  [[nodiscard]] bool is_over() const { return budget_ < 0; }

  void elements(const RuleTree& tree, const Judged& at, const FieldPath& path) {
    const Counterparts counterparts(*tree.schema_, at.old);
    for (std::size_t i = 0; i < at.value.size() && !is_over(); ++i) {
      const Json& element = at.value.items()[i];
      visit(*tree.items_, at.part(element, counterparts.of(element), *tree.items_->schema_),
            path.index(i));
    }
  }

  void members(const RuleTree& tree, const Judged& at, const FieldPath& path) {
    for (const auto& [name, value] : at.value.members()) {
      if (is_over()) return;
      const Json* old = at.old == nullptr ? nullptr : at.old->find(name);
      if (tree.additional_ != nullptr) {
        visit(*tree.additional_, at.part(value, old, *tree.additional_->schema_), path.key(name));
      }
      const auto found = tree.properties_.find(name);
      if (found != tree.properties_.end()) {
        visit(*found->second, at.part(value, old, *found->second->schema_), path.child(name));
      }
    }
  }

  void invalid(const RuleTree& tree, const FieldPath& path, std::string_view detail) {
    errors_.push_back(field_invalid(place(path), Json(tree.schema_->type), detail));
  }
  static std::string place(const FieldPath& path) {
    std::string out = path.text();
    return out.empty() ? "<nil>" : out;
  }

  void judge(const RuleTree& tree, const Judged& at, const FieldPath& path) {
    if (tree.rules_.empty()) return;
    if (budget_ == 0) {
      budget_ = -1;
      return invalid(tree, path, kOutOfBudget);
    }
    for (const CompiledRule& each : tree.rules_) {
      if (is_over()) return;
      judge_one(tree, each, at, path);
    }
  }

  void judge_one(const RuleTree& tree, const CompiledRule& rule, const Judged& at,
                 const FieldPath& path) {
    if (!rule.rule.error.empty()) {
      return invalid(tree, path, "rule compile error: " + rule.rule.error);
    }
    const bool optional = rule.source.optional_old_self.value_or(false);
    if (rule.rule.tree == nullptr) return;
    if (rule.rule.uses_old_self && at.old == nullptr && !optional) return;
    const cel::VariableList variables(values(tree, at, optional));
    const cel::Evaluation result = cel::evaluate(*rule.rule.tree, variables, kCallCostMax);
    if (!pay(result.cost)) return invalid(tree, path, kOutOfBudget);
    if (result.cost_exceeded) {
      budget_ = -1;
      return invalid(tree, path,
                     quoted(cel::Evaluation::kCostExceeded) +
                         ": no further validation rules will be run due to call cost exceeds "
                         "limit for rule: " +
                         rule_text(rule.source));
    }
    if (result.value.is_error()) return failed(tree, rule, result.value.error(), path);
    if (result.value.is_true()) return;
    const bool passes_over = !rule.rule.uses_old_self && is_unchanged(at);
    FieldError error = broken(tree, rule, variables, at, path);
    if (!passes_over) errors_.push_back(std::move(error));
  }

  static std::string quoted(std::string_view text) {
    return std::string("'").append(text).append("'");
  }

  static std::vector<std::pair<std::string_view, cel::Value>> values(const RuleTree& tree,
                                                                     const Judged& at,
                                                                     bool optional) {
    std::vector<std::pair<std::string_view, cel::Value>> out;
    out.emplace_back("self", cel::schema_value(at.value, *tree.schema_, tree.root_));
    if (at.old == nullptr || at.old->is_null()) {
      if (optional) out.emplace_back("oldSelf", cel::optional_none());
      return out;
    }
    cel::Value old = cel::schema_value(*at.old, *tree.schema_, tree.root_);
    out.emplace_back("oldSelf", optional ? cel::optional_of(std::move(old)) : std::move(old));
    return out;
  }

  /// False when the budget does not suffice, which ends the run.
  bool pay(std::uint64_t cost) {
    if (cost > static_cast<std::uint64_t>(kRunBudget) ||
        static_cast<std::int64_t>(cost) > budget_) {
      budget_ = -1;
      return false;
    }
    budget_ -= static_cast<std::int64_t>(cost);
    return true;
  }

  void failed(const RuleTree& tree, const CompiledRule& rule, std::string_view error,
              const FieldPath& path) {
    const std::string text = rule_text(rule.source);
    if (error.starts_with("no such overload")) {
      return invalid(tree, path,
                     quoted(error) +
                         ": call arguments did not match a supported operator, function or macro "
                         "signature for rule: " +
                         text);
    }
    invalid(tree, path, std::string(error) + " evaluating rule: " + text);
  }

  /// The error of a rule that is false.
  FieldError broken(const RuleTree& tree, const CompiledRule& rule, const cel::Variables& variables,
                    const Judged& at, const FieldPath& path) {
    std::string field = place(path);
    if (!rule.field_path.empty()) {
      if (path.is_root()) {
        field = rule.field_path;
      } else {
        field += '.' + rule.field_path;
      }
    }
    std::string message;
    if (rule.message.tree != nullptr) {
      const std::optional<std::string> stop = evaluated_message(rule, variables, message);
      if (stop) return field_invalid(field, Json(tree.schema_->type), *stop);
    }
    if (message.empty()) {
      message = rule.source.message.empty() ? "failed rule: " + trimmed(rule.source.rule)
                                            : trimmed(rule.source.message);
    }
    return error_for(rule.source.reason, std::move(field), at.value, message);
  }

  static FieldError error_for(const std::string& reason, std::string field, const Json& value,
                              const std::string& message) {
    const bool shown = !value.is_object() && !value.is_array();
    if (reason == "FieldValueForbidden") return field_forbidden(std::move(field), message);
    if (reason == "FieldValueRequired") return field_required(std::move(field), message);
    if (reason == "FieldValueDuplicate") {
      return shown ? field_duplicate(std::move(field), value)
                   : FieldError{reason, std::move(field), "Duplicate value"};
    }
    if (shown) return field_invalid(std::move(field), value, message);
    return {"FieldValueInvalid", std::move(field), "Invalid value: " + message};
  }

  /// Evaluates messageExpression into `message`, which stays empty if there is no usable one.
  /// Returns the error that ends the run, if there is one.
  std::optional<std::string> evaluated_message(const CompiledRule& rule,
                                               const cel::Variables& variables,
                                               std::string& message) {
    const cel::Evaluation result = cel::evaluate(*rule.message.tree, variables, kCallCostMax);
    if (!pay(result.cost)) {
      return "messageExpression evaluation failed due to running out of cost budget, no further "
             "validation rules will be run";
    }
    if (result.cost_exceeded) {
      budget_ = -1;
      return "no further validation rules will be run due to call cost exceeds limit for "
             "messageExpression: " +
             to_text(Json(rule.source.message_expression));
    }
    const std::string text = trimmed(std::string(result.value.text()));
    const bool usable = text.size() <= kMessageBytesMax && text.find('\n') == std::string::npos;
    if (usable) message = text;
    return std::nullopt;
  }

  bool is_unchanged(const Judged& at) {
    if (at.near_value == nullptr || at.near_old == nullptr) return false;
    const auto [found, added] = unchanged_.emplace(at.near_value, false);
    if (added) found->second = davit::is_unchanged(*at.near_value, *at.near_old, *at.near_schema);
    return found->second;
  }

  FieldErrors& errors_;
  std::unordered_map<const Json*, bool> unchanged_;  // Keys are values; many parts may ask for one.
  std::int64_t budget_ = kRunBudget;                 // Below 0: the run is over.
};

std::unique_ptr<RuleTree> RuleTree::build(const Json& json, const SchemaNode& schema,
                                          cel::ResourceRoot root) {
  struct Made : RuleTree {};  // The constructor is for this function alone.
  std::unique_ptr<RuleTree> out = std::make_unique<Made>();
  out->schema_ = &schema;
  out->root_ = root;
  const Json::Items& rules = json.get("x-kubernetes-validations").items();
  const cel::SchemaTypePtr type =
      rules.empty() ? nullptr : cel::schema_type(schema, root, "selfType");
  if (type != nullptr) {
    for (const Json& each : rules) {
      out->rules_.push_back(compile_rule(read_validation_rule(each), schema, *type));
    }
  }
  out->add_parts(json);
  const bool empty = out->rules_.empty() && out->conditions_.empty() && out->properties_.empty() &&
                     out->additional_ == nullptr && out->items_ == nullptr;
  return empty ? nullptr : std::move(out);
}

void RuleTree::add_parts(const Json& json) {
  const SchemaNode& schema = *schema_;
  for (const auto& [name, value] : json.get("properties").members()) {
    const SchemaNode* part = schema.property(name);
    if (part == nullptr) continue;
    auto tree = build(value, *part, root_of(*part));
    if (tree != nullptr) properties_.emplace(name, std::move(tree));
  }
  const Json& additional = json.get("additionalProperties");
  if (schema.additional != nullptr && additional.is_object()) {
    additional_ = build(additional, *schema.additional, root_of(*schema.additional));
  }
  if (schema.items != nullptr && json.get("items").is_object()) {
    items_ = build(json.get("items"), *schema.items, root_of(*schema.items));
  }
  // The rules below allOf are about this value.
  for (const Json& each : json.get("allOf").items()) {
    auto tree = build(each, schema, root_);
    if (tree != nullptr) conditions_.push_back(std::move(tree));
  }
}

std::unique_ptr<const RuleTree> RuleTree::compile(const Json& json, const SchemaNode& schema) {
  return has_rules(json) ? build(json, schema, cel::ResourceRoot::kYes) : nullptr;
}

void RuleTree::validate(const Json& object, const Json* old, FieldErrors& errors) const {
  const Judged whole = {object, old, &object, old, schema_};
  RuleRun(errors).visit(*this, whole, FieldPath());
}

void check_rules_of(const RuleTree* rules, const Json& object, const Json* old,
                    FieldErrors& errors) {
  if (rules == nullptr) return;
  constexpr std::array<std::string_view, 5> kBlocking = {
      "FieldValueNotSupported", "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany",
      "FieldValueTypeInvalid"};
  const bool blocked = std::any_of(errors.begin(), errors.end(), [&](const FieldError& each) {
    return std::find(kBlocking.begin(), kBlocking.end(), each.reason) != kBlocking.end();
  });
  if (!blocked) return rules->validate(object, old, errors);
  errors.push_back(field_invalid("<nil>", Json(),
                                 "some validation rules were not checked because the object was "
                                 "invalid; correct the existing errors to complete validation"));
}

}  // namespace davit::sandbox
