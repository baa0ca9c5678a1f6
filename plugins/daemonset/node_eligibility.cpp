#include "plugins/daemonset/node_eligibility.hpp"

#include <algorithm>
#include <davit/kube/label_syntax.hpp>
#include <string_view>

#include "plugins/daemonset/daemon_tolerations.hpp"

namespace davit::daemonset {
namespace {

constexpr std::string_view kNodeNameField = "metadata.name";

std::optional<LabelOperator> parse_operator(std::string_view text) {
  if (text == "In") return LabelOperator::kIn;
  if (text == "NotIn") return LabelOperator::kNotIn;
  if (text == "Exists") return LabelOperator::kExists;
  if (text == "DoesNotExist") return LabelOperator::kDoesNotExist;
  if (text == "Gt") return LabelOperator::kGreater;
  if (text == "Lt") return LabelOperator::kLess;
  return std::nullopt;
}

bool fits(LabelOperator op, const std::vector<std::string>& values) {
  switch (op) {
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      return values.empty();
    case LabelOperator::kGreater:
    case LabelOperator::kLess:
      return values.size() == 1 && label_number(values.front()).has_value();
    default:
      return !values.empty();
  }
}

std::vector<std::string> texts(Value array) {
  std::vector<std::string> out;
  for (const Value each : array.elements()) out.emplace_back(each.string());
  return out;
}

}  // namespace

NodeRules::NodeRules(Value pod_template) {
  const Value spec = pod_template[&Names::spec];
  node_name_ = spec[&Names::node_name].string();
  for (const Member& each : spec["nodeSelector"].members()) {
    node_selector_.emplace_back(each.key, each.value.string());
  }
  const Value required =
      spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  if (!required.is_absent() && required.kind() != Kind::kNull) {
    terms_.emplace();
    for (const Value each : required["nodeSelectorTerms"].elements()) {
      if (std::optional<Term> term = parse_term(each)) terms_->push_back(std::move(*term));
    }
  }
  tolerations_ = daemon_tolerations(spec);
}

Eligibility NodeRules::judge(const Node& node) const {
  if (!node_name_.empty() && node_name_ != node.name()) return {};
  if (!selects(node)) return {};
  Eligibility wanted{.run = true, .keep = true};
  for (const Value each : node.taints().elements()) {
    const Taint taint = Taint::from(each);
    if (taint.effect != kNoSchedule && taint.effect != kNoExecute) continue;
    if (tolerates(taint)) continue;
    wanted.run = false;
    if (taint.effect == kNoExecute) wanted.keep = false;
  }
  return wanted;
}

std::optional<NodeRules::Term> NodeRules::parse_term(Value term) {
  Term parsed;
  for (const Value each : term[&Names::match_expressions].elements()) {
    std::optional<Requirement> requirement = parse_expression(each);
    if (!requirement) return std::nullopt;
    parsed.labels.push_back(std::move(*requirement));
  }
  for (const Value each : term["matchFields"].elements()) {
    std::optional<Requirement> requirement = parse_field(each);
    if (!requirement) return std::nullopt;
    parsed.fields.push_back(std::move(*requirement));
  }
  if (parsed.labels.empty() && parsed.fields.empty()) return std::nullopt;  // Matches nothing.
  return parsed;
}

std::optional<NodeRules::Requirement> NodeRules::parse_expression(Value expression) {
  const std::optional<LabelOperator> op = parse_operator(expression[&Names::op].string());
  if (!op) return std::nullopt;
  Requirement parsed{std::string(expression[&Names::key].string()), *op,
                     texts(expression[&Names::values])};
  const bool well_formed = is_label_key(parsed.key) &&
                           std::all_of(parsed.values.begin(), parsed.values.end(),
                                       [](const auto& each) { return is_label_value(each); });
  if (!well_formed || !fits(*op, parsed.values)) return std::nullopt;
  return parsed;
}

std::optional<NodeRules::Requirement> NodeRules::parse_field(Value field) {
  const std::optional<LabelOperator> op = parse_operator(field[&Names::op].string());
  if (op != LabelOperator::kIn && op != LabelOperator::kNotIn) return std::nullopt;
  Requirement parsed{std::string(field[&Names::key].string()), *op, texts(field[&Names::values])};
  if (parsed.values.size() != 1) return std::nullopt;
  return parsed;
}

bool NodeRules::selects(const Node& node) const {
  const Value labels = node.labels();
  const bool has_labels =
      std::all_of(node_selector_.begin(), node_selector_.end(),
                  [&](const auto& each) { return labels[each.first].text() == each.second; });
  if (!has_labels) return false;
  if (!terms_) return true;
  const auto label_holds = [&](const Requirement& each) {
    return label_matches(each.op, each.values, labels[each.key].text());
  };
  const auto field_holds = [&](const Requirement& each) {
    const std::string_view value = each.key == kNodeNameField ? node.name() : std::string_view();
    return label_matches(each.op, each.values, value);
  };
  return std::any_of(terms_->begin(), terms_->end(), [&](const Term& term) {
    return std::all_of(term.labels.begin(), term.labels.end(), label_holds) &&
           std::all_of(term.fields.begin(), term.fields.end(), field_holds);
  });
}

bool NodeRules::tolerates(const Taint& taint) const {
  return std::any_of(tolerations_.begin(), tolerations_.end(),
                     [&taint](const Toleration& each) { return each.tolerates(taint); });
}

}  // namespace davit::daemonset
