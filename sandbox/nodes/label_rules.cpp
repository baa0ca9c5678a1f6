#include "sandbox/nodes/label_rules.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace davit::sandbox {
namespace {

std::optional<std::int64_t> integer(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool lists(const Json& values, const std::string& text) {
  const Json::Items& items = values.items();
  return std::any_of(items.begin(), items.end(),
                     [&text](const Json& each) { return each.text() == text; });
}

bool compares(const Json& expression, const Json* value) {
  if (value == nullptr || expression.get("values").size() != 1) return false;
  const auto have = integer(value->text());
  const auto bound = integer(expression.get("values").items().front().text());
  if (!have || !bound) return false;
  return expression.get("operator").text() == "Gt" ? *have > *bound : *have < *bound;
}

/// A term without any requirement matches no node.
bool term_holds(const Json& term, const Json& labels, std::string_view node_name) {
  const Json::Items& expressions = term.get("matchExpressions").items();
  const Json::Items& fields = term.get("matchFields").items();
  if (expressions.empty() && fields.empty()) return false;
  const Json name(node_name);
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const Json& each) {
                       return expression_holds(each, labels.find(each.get("key").text()));
                     }) &&
         std::all_of(fields.begin(), fields.end(), [&](const Json& each) {
           return expression_holds(each,
                                   each.get("key").text() == "metadata.name" ? &name : nullptr);
         });
}

}  // namespace

bool expression_holds(const Json& expression, const Json* value) {
  const std::string& op = expression.get("operator").text();
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  if (op == "In") return value != nullptr && lists(expression.get("values"), value->text());
  if (op == "NotIn") return value == nullptr || !lists(expression.get("values"), value->text());
  return (op == "Gt" || op == "Lt") && compares(expression, value);
}

bool accepts_labels(const Json& pod_spec, const Json& labels, std::string_view node_name) {
  for (const Json::Member& wanted : pod_spec.get("nodeSelector").members()) {
    const Json* value = labels.find(wanted.key);
    if (value == nullptr || *value != wanted.value) return false;
  }
  const Json* required =
      pod_spec.at({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  if (required == nullptr || required->is_null()) return true;
  const Json::Items& terms = required->get("nodeSelectorTerms").items();
  return std::any_of(terms.begin(), terms.end(),
                     [&](const Json& term) { return term_holds(term, labels, node_name); });
}

bool tolerates(const Json& tolerations, const Json& taint) {
  const Json::Items& items = tolerations.items();
  return std::any_of(items.begin(), items.end(), [&taint](const Json& each) {
    const std::string& effect = each.get("effect").text();
    if (!effect.empty() && effect != taint.get("effect").text()) return false;
    const std::string& key = each.get("key").text();
    const bool exists = each.get("operator").text() == "Exists";
    if (key.empty()) return exists;
    if (key != taint.get("key").text()) return false;
    return exists || each.get("value").text() == taint.get("value").text();
  });
}

}  // namespace davit::sandbox
