// The rules of k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation: validation.go and
// cel_validation.go.
#include "sandbox/crd/rule_checks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/cel/range.hpp"
#include "lib/cel/schema_type.hpp"
#include "sandbox/crd/compiled_rule.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kRules = "x-kubernetes-validations";
constexpr std::uint64_t kExpressionCostMax = 10'000'000;
constexpr std::uint64_t kDefinitionCostMax = 100'000'000;
constexpr std::size_t kExpensiveMax = 4;  // Rules that the error about the whole schema names.

bool has_line_break(const std::string& text) {
  return text.find_first_of("\n\r") != std::string::npos;
}

std::string cost_error(std::string_view what, std::uint64_t cost, std::uint64_t limit) {
  const double factor = static_cast<double>(cost) / static_cast<double>(limit);
  std::array<char, 64> text{};
  if (factor > 100) {
    std::snprintf(text.data(), text.size(), "more than 100x");
  } else if (factor < 1.5) {
    std::snprintf(text.data(), text.size(), "%fx", factor);
  } else {
    std::snprintf(text.data(), text.size(), "%.1fx", factor);
  }
  return std::string(what) + " exceeds budget by factor of " + text.data() +
         " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where "
         "arrays, maps, and strings are declared)";
}

/// The number of values of a schema in one object. Nothing: no limit.
using Cardinality = std::optional<std::uint64_t>;

/// The place of a schema, as the schemas above decide it.
struct Place {
  std::string path;
  Cardinality cardinality = 1;
  cel::ResourceRoot root = cel::ResourceRoot::kNo;
  std::string uncorrelatable;  ///< The schema whose parts have no old values; empty: none.
  bool compiles = true;        ///< Not inside of `not`, `anyOf` and their like.
};

/// The factor by which a schema multiplies its parts.
Cardinality parts_max(const SchemaNode& node) {
  if (node.type == "array") return node.items_max;
  const bool is_map = node.additional != nullptr || node.any_additional;
  return node.type == "object" && is_map ? Cardinality(node.members_max) : Cardinality(1);
}

class RuleChecks {
 public:
  RuleChecks(std::string root, FieldErrors& errors) : root_(std::move(root)), errors_(errors) {}

  void run(const Json& schema, const SchemaNode& node) {
    Place place;
    place.path = root_;
    place.root = cel::ResourceRoot::kYes;
    (void)visit(schema, node, place);
    errors_.insert(errors_.end(), compile_errors_.begin(), compile_errors_.end());
    whole_cost();
  }

 private:
  enum class Outcome : std::uint8_t { kWellFormed, kMalformed };

  /// Children first, as upstream reports them.
  Outcome visit(const Json& schema, const SchemaNode& node, const Place& place) {
    Outcome outcome = parts(schema, node, place);
    const Json::Items& rules = schema.get(kRules).items();
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const std::string path = rule_path(place, i);
      if (well_formed(read_validation_rule(rules[i]), node, path) == Outcome::kMalformed) {
        outcome = Outcome::kMalformed;
      }
    }
    // Messages about expressions make no sense while their schema is wrong.
    if (!rules.empty() && outcome == Outcome::kWellFormed && place.compiles) {
      compile_all(rules, node, place);
    }
    return outcome;
  }

  static std::string rule_path(const Place& place, std::size_t index) {
    return place.path + '.' + std::string(kRules) + '[' + std::to_string(index) + ']';
  }

  Outcome parts(const Json& schema, const SchemaNode& node, const Place& place) {
    Outcome out = Outcome::kWellFormed;
    const auto child = [&](const Json& json, const SchemaNode* part, const Place& at) {
      if (part == nullptr || !json.is_object()) return;
      if (visit(json, *part, at) == Outcome::kMalformed) out = Outcome::kMalformed;
    };
    child(schema.get("additionalProperties"), node.additional.get(),
          part_of(node, *(node.additional ? node.additional.get() : &node), place,
                  ".additionalProperties"));
    for (const auto& [name, json] : schema.get("properties").members()) {
      const SchemaNode* part = node.property(name);
      if (part == nullptr) continue;
      child(json, part, part_of(node, *part, place, ".properties[" + name + ']'));
    }
    conditions(schema, node, place, child);
    if (node.items != nullptr) {
      Place items = part_of(node, *node.items, place, ".items");
      if (node.list_type != "map" && items.uncorrelatable.empty()) {
        items.uncorrelatable = place.path;
      }
      child(schema.get("items"), node.items.get(), items);
    }
    return out;
  }

  static Place part_of(const SchemaNode& node, const SchemaNode& part, const Place& place,
                       const std::string& step) {
    Place out = place;
    out.path += step;
    out.root = part.embedded_resource ? cel::ResourceRoot::kYes : cel::ResourceRoot::kNo;
    const Cardinality factor = parts_max(node);
    out.cardinality = place.cardinality && factor
                          ? Cardinality(cel::bounded_product(*place.cardinality, *factor))
                          : std::nullopt;
    return out;
  }

  /// Rules below allOf and its like must be well formed; upstream compiles them when it validates
  /// objects.
  template <typename Child>
  static void conditions(const Json& schema, const SchemaNode& node, const Place& place,
                         const Child& child) {
    Place inner = place;
    inner.compiles = false;
    const auto all = [&](const std::string& name,
                         const std::vector<std::unique_ptr<SchemaNode>>& parts) {
      const Json::Items& items = schema.get(name).items();
      for (std::size_t i = 0; i < items.size() && i < parts.size(); ++i) {
        inner.path = place.path + '.' + name + '[' + std::to_string(i) + ']';
        child(items[i], parts[i].get(), inner);
      }
    };
    inner.path = place.path + ".not";
    child(schema.get("not"), node.negated.get(), inner);
    all("allOf", node.all_of);
    all("oneOf", node.one_of);
    all("anyOf", node.any_of);
  }

  Outcome well_formed(const ValidationRule& rule, const SchemaNode& node, const std::string& path) {
    const std::size_t before = errors_.size();
    const std::string message = trimmed(rule.message);
    if (trimmed(rule.rule).empty()) {
      errors_.push_back(field_required(path + ".rule", "rule is not specified"));
    } else if (!rule.message.empty() && message.empty()) {
      errors_.push_back(
          field_invalid(path + ".message", Json(rule.message), "must be non-empty if specified"));
    } else if (has_line_break(message)) {
      errors_.push_back(
          field_invalid(path + ".message", Json(rule.message), "must not contain line breaks"));
    } else if (has_line_break(trimmed(rule.rule)) && message.empty()) {
      errors_.push_back(field_required(path + ".message",
                                       "message must be specified if rule contains line breaks"));
    }
    if (!rule.message_expression.empty() && trimmed(rule.message_expression).empty()) {
      errors_.push_back(field_required(path + ".messageExpression",
                                       "messageExpression must be non-empty if specified"));
    }
    reason(rule, path);
    field_path(rule, node, path);
    return errors_.size() == before ? Outcome::kWellFormed : Outcome::kMalformed;
  }

  void reason(const ValidationRule& rule, const std::string& path) {
    const std::vector<std::string> reasons = {"FieldValueDuplicate", "FieldValueForbidden",
                                              "FieldValueInvalid", "FieldValueRequired"};
    if (rule.reason.empty()) return;
    if (std::find(reasons.begin(), reasons.end(), rule.reason) != reasons.end()) return;
    errors_.push_back(field_not_supported(path + ".reason", Json(rule.reason), reasons));
  }

  void field_path(const ValidationRule& rule, const SchemaNode& node, const std::string& path) {
    if (rule.field_path.empty()) return;
    const auto wrong = [&](std::string_view detail) {
      errors_.push_back(field_invalid(path + ".fieldPath", Json(rule.field_path), detail));
    };
    if (trimmed(rule.field_path).empty()) wrong("must be non-empty if specified");
    if (has_line_break(rule.field_path)) wrong("must not contain line breaks");
    if (!normalized_field_path(rule.field_path, node)) wrong("must be a valid path");
  }

  void compile_all(const Json::Items& rules, const SchemaNode& node, const Place& place) {
    const cel::SchemaTypePtr type = cel::schema_type(node, place.root, "selfType");
    if (type == nullptr) {
      compile_errors_.push_back(
          {"InternalError", place.path + '.' + std::string(kRules),
           "Internal error: internal error: failed to construct type information for "
           "x-kubernetes-validations rules: unable to convert structural schema to CEL "
           "declarations"});
      return;
    }
    // As many values as fit into a request, if nothing else limits them.
    const std::uint64_t most =
        place.cardinality.value_or(cel::kRequestBytesMax / (type->serialized_min + 1));
    for (std::size_t i = 0; i < rules.size(); ++i) {
      const CompiledRule rule = compile_rule(read_validation_rule(rules[i]), node, *type);
      report(rule, place, rule_path(place, i), most);
    }
  }

  /// The rule as the server shows it: with the members of its internal type.
  static Json shown(const ValidationRule& rule) {
    return Json::object(
        {{"Rule", rule.rule},
         {"Message", rule.message},
         {"MessageExpression", rule.message_expression},
         {"Reason", rule.reason.empty() ? Json() : Json(rule.reason)},
         {"FieldPath", rule.field_path},
         {"OptionalOldSelf", rule.optional_old_self ? Json(*rule.optional_old_self) : Json()}});
  }

  void report(const CompiledRule& rule, const Place& place, const std::string& path,
              std::uint64_t most) {
    expression_cost("estimated rule cost", cel::bounded_product(rule.rule.cost_max, most),
                    path + ".rule");
    if (!rule.rule.error.empty()) {
      compile_errors_.push_back(field_invalid(path + ".rule", shown(rule.source), rule.rule.error));
    }
    if (!rule.message.error.empty()) {
      compile_errors_.push_back(
          field_invalid(path + ".messageExpression", shown(rule.source), rule.message.error));
    } else if (rule.message.tree != nullptr) {
      expression_cost("estimated messageExpression cost", rule.message.cost_max,
                      path + ".messageExpression");
    }
    if (!rule.rule.uses_old_self) {
      if (!rule.source.optional_old_self) return;
      compile_errors_.push_back(field_invalid(path + ".optionalOldSelf",
                                              Json(*rule.source.optional_old_self),
                                              "may not be set if oldSelf is not used in rule"));
    } else if (!place.uncorrelatable.empty()) {
      compile_errors_.push_back(field_invalid(
          path + ".rule", Json(rule.source.rule),
          "oldSelf cannot be used on the uncorrelatable portion of the schema within " +
              place.uncorrelatable));
    }
  }

  void expression_cost(std::string_view what, std::uint64_t cost, const std::string& path) {
    if (cost > kExpressionCostMax) {
      compile_errors_.push_back(field_forbidden(path, cost_error(what, cost, kExpressionCostMax)));
    }
    total_ = cel::bounded_sum(total_, cost);
    if (cost < kDefinitionCostMax / 100) return;
    expensive_.emplace_back(cost, path);
    std::stable_sort(expensive_.begin(), expensive_.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    if (expensive_.size() > kExpensiveMax) expensive_.pop_back();
  }

  void whole_cost() {
    if (total_ <= kDefinitionCostMax) return;
    for (const auto& [cost, path] : expensive_) {
      errors_.push_back(field_forbidden(path,
                                        "contributed to estimated rule cost total exceeding cost "
                                        "limit for entire OpenAPIv3 schema"));
    }
    errors_.push_back(field_forbidden(
        root_, cost_error("x-kubernetes-validations estimated rule cost total for entire "
                          "OpenAPIv3 schema",
                          total_, kDefinitionCostMax)));
  }

  const std::string root_;
  FieldErrors& errors_;
  FieldErrors compile_errors_;  // Upstream lists them behind the errors of the schema.
  std::uint64_t total_ = 0;
  std::vector<std::pair<std::uint64_t, std::string>> expensive_;  // The most expensive first.
};

}  // namespace

void check_rules(const Json& schema, const SchemaNode& node, const std::string& path,
                 FieldErrors& errors) {
  RuleChecks(path, errors).run(schema, node);
}

}  // namespace davit::sandbox
