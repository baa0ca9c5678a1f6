/// NodeSelector: the nodes that a pod may run on by their names and labels, after its nodeSelector
/// and its required node affinity (k8s.io/component-helpers/scheduling/corev1/nodeaffinity,
/// RequiredNodeAffinity).
#pragma once

#include <algorithm>
#include <davit/kube/label_match.hpp>
#include <davit/kube/label_syntax.hpp>
#include <davit/names.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// The rules of one PodSpec, parsed once for all nodes. Owns what it needs. Its functions take
/// davit::Value, or a type that reads another tree in the same way.
class NodeSelector {
 public:
  /// Accepts every node.
  NodeSelector() = default;
  /// Terms that cannot be read accept no node, as do terms without a requirement.
  template <typename V>
  explicit NodeSelector(V pod_spec) {
    for (const auto& each : pod_spec["nodeSelector"].members()) {
      labels_.emplace_back(each.key, each.value.string());
    }
    const V required =
        pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    if (required.is_absent() || required.kind() == decltype(required.kind())::kNull) return;
    terms_.emplace();
    for (const V each : required["nodeSelectorTerms"].elements()) {
      if (std::optional<Term> term = parse_term(each)) terms_->push_back(std::move(*term));
    }
  }

  /// `labels`: the object in the Node's metadata.
  template <typename V>
  [[nodiscard]] bool accepts(std::string_view node_name, V labels) const {
    const bool has_labels = std::all_of(labels_.begin(), labels_.end(), [&](const auto& each) {
      return labels[each.first].text() == each.second;
    });
    if (!has_labels) return false;
    if (!terms_) return true;
    const auto label_holds = [&](const Requirement& each) {
      return label_matches(each.op, each.values, labels[each.key].text());
    };
    const auto field_holds = [&](const Requirement& each) {
      const std::string_view value = each.key == kNodeNameField ? node_name : std::string_view();
      return label_matches(each.op, each.values, value);
    };
    return std::any_of(terms_->begin(), terms_->end(), [&](const Term& term) {
      return std::all_of(term.labels.begin(), term.labels.end(), label_holds) &&
             std::all_of(term.fields.begin(), term.fields.end(), field_holds);
    });
  }

 private:
  static constexpr std::string_view kNodeNameField = "metadata.name";

  struct Requirement {
    std::string key;
    LabelOperator op;
    std::vector<std::string> values;
  };
  /// All of both must hold.
  struct Term {
    std::vector<Requirement> labels;
    std::vector<Requirement> fields;
  };

  [[nodiscard]] static std::optional<LabelOperator> parse_operator(std::string_view text) {
    if (text == "In") return LabelOperator::kIn;
    if (text == "NotIn") return LabelOperator::kNotIn;
    if (text == "Exists") return LabelOperator::kExists;
    if (text == "DoesNotExist") return LabelOperator::kDoesNotExist;
    if (text == "Gt") return LabelOperator::kGreater;
    if (text == "Lt") return LabelOperator::kLess;
    return std::nullopt;
  }

  [[nodiscard]] static bool fits(LabelOperator op, const std::vector<std::string>& values) {
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

  /// Without its rules: only the operator has to be known.
  template <typename V>
  [[nodiscard]] static std::optional<Requirement> parse_requirement(V value) {
    const std::optional<LabelOperator> op = parse_operator(value[&Names::op].string());
    if (!op) return std::nullopt;
    Requirement parsed{std::string(value[&Names::key].string()), *op, {}};
    for (const V each : value[&Names::values].elements()) {
      parsed.values.emplace_back(each.string());
    }
    return parsed;
  }

  template <typename V>
  [[nodiscard]] static std::optional<Requirement> parse_expression(V value) {
    std::optional<Requirement> parsed = parse_requirement(value);
    if (!parsed) return std::nullopt;
    const bool well_formed = is_label_key(parsed->key) &&
                             std::all_of(parsed->values.begin(), parsed->values.end(),
                                         [](const auto& each) { return is_label_value(each); });
    return well_formed && fits(parsed->op, parsed->values) ? parsed : std::nullopt;
  }

  template <typename V>
  [[nodiscard]] static std::optional<Requirement> parse_field(V value) {
    std::optional<Requirement> parsed = parse_requirement(value);
    if (!parsed || parsed->values.size() != 1) return std::nullopt;
    const bool known = parsed->op == LabelOperator::kIn || parsed->op == LabelOperator::kNotIn;
    return known ? parsed : std::nullopt;
  }

  template <typename V>
  [[nodiscard]] static std::optional<Term> parse_term(V value) {
    Term parsed;
    for (const V each : value[&Names::match_expressions].elements()) {
      std::optional<Requirement> requirement = parse_expression(each);
      if (!requirement) return std::nullopt;
      parsed.labels.push_back(std::move(*requirement));
    }
    for (const V each : value["matchFields"].elements()) {
      std::optional<Requirement> requirement = parse_field(each);
      if (!requirement) return std::nullopt;
      parsed.fields.push_back(std::move(*requirement));
    }
    if (parsed.labels.empty() && parsed.fields.empty()) return std::nullopt;
    return parsed;
  }

  std::vector<std::pair<std::string, std::string>> labels_;
  std::optional<std::vector<Term>> terms_;  // One must hold; nothing: no affinity is required.
};

}  // namespace davit
