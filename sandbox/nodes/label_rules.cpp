#include "sandbox/nodes/label_rules.hpp"

#include <algorithm>
#include <davit/kube/label_match.hpp>
#include <optional>
#include <string>
#include <vector>

namespace davit::sandbox {
namespace {

std::optional<LabelOperator> parse_operator(std::string_view text) {
  if (text == "In") return LabelOperator::kIn;
  if (text == "NotIn") return LabelOperator::kNotIn;
  if (text == "Exists") return LabelOperator::kExists;
  if (text == "DoesNotExist") return LabelOperator::kDoesNotExist;
  if (text == "Gt") return LabelOperator::kGreater;
  if (text == "Lt") return LabelOperator::kLess;
  return std::nullopt;
}

/// A matchExpressions or matchFields item of a NodeSelectorTerm. An unknown operator never holds.
bool expression_holds(const Json& expression, std::optional<std::string_view> value) {
  const std::optional<LabelOperator> op = parse_operator(expression.get("operator").text());
  if (!op) return false;
  std::vector<std::string_view> values;
  for (const Json& each : expression.get("values").items()) values.emplace_back(each.text());
  return label_matches(*op, values, value);
}

std::optional<std::string_view> label_of(const Json& labels, const std::string& key) {
  const Json* value = labels.find(key);
  if (value == nullptr) return std::nullopt;
  return value->text();
}

/// A term without any requirement matches no node.
bool term_holds(const Json& term, const Json& labels, std::string_view node_name) {
  const Json::Items& expressions = term.get("matchExpressions").items();
  const Json::Items& fields = term.get("matchFields").items();
  if (expressions.empty() && fields.empty()) return false;
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const Json& each) {
                       return expression_holds(each, label_of(labels, each.get("key").text()));
                     }) &&
         std::all_of(fields.begin(), fields.end(), [&](const Json& each) {
           const bool is_name = each.get("key").text() == "metadata.name";
           return expression_holds(each, is_name ? std::optional(node_name) : std::nullopt);
         });
}

}  // namespace

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
