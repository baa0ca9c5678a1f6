/// Label selectors, with upstream's semantics (metav1.LabelSelectorAsSelector, labels.Selector).
#pragma once

#include <algorithm>
#include <davit/kube/label_match.hpp>
#include <davit/kube/label_syntax.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit {

/// A parsed spec.selector; owns its text. All requirements must hold.
class Selector {
 public:
  /// An absent or null value matches nothing, an empty one everything. kInvalid: unknown operator,
  /// In or NotIn without values, Exists or DoesNotExist with values, malformed key or value.
  [[nodiscard]] static Result<Selector> parse(Value label_selector);

  /// The form of a labelSelector query, "app=web,tier in (back,front),!canary" (labels.Parse). An
  /// empty text matches everything. kInvalid with upstream's message.
  [[nodiscard]] static Result<Selector> parse_text(std::string_view text);

  /// A map of labels, as in Services and ReplicationControllers: all must be equal. An absent or
  /// empty map matches nothing. Invalid labels are accepted.
  [[nodiscard]] static Selector of_labels(Value labels) {
    Selector selector;
    for (const Member& label : labels.members()) {
      selector.requirements_.push_back(
          {std::string(label.key), Operator::kEquals, {std::string(label.value.string())}});
    }
    std::sort(selector.requirements_.begin(), selector.requirements_.end(),
              [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
    selector.nothing_ = selector.requirements_.empty();
    return selector;
  }

  /// Whether the selector was present and has no requirements, so that it matches every object.
  [[nodiscard]] bool matches_everything() const { return !nothing_ && requirements_.empty(); }
  [[nodiscard]] bool matches_nothing() const { return nothing_; }
  /// Whether it has no requirements or was absent. Searches for an orphan's owner skip such
  /// selectors.
  [[nodiscard]] bool empty() const { return requirements_.empty(); }

  /// A label and the one value that every matching object has for it; nothing if there is no such
  /// label. Views of this selector's text.
  [[nodiscard]] std::optional<std::pair<std::string_view, std::string_view>> equality() const {
    for (const Requirement& each : requirements_) {
      const bool is_one_of = each.op == Operator::kEquals || each.op == Operator::kIn;
      if (!is_one_of || each.values.size() != 1) continue;
      return std::pair<std::string_view, std::string_view>(each.key, each.values.front());
    }
    return std::nullopt;
  }
  /// `labels` is a metadata.labels value and may be absent.
  [[nodiscard]] bool matches(Value labels) const {
    if (nothing_) return false;
    return std::all_of(requirements_.begin(), requirements_.end(),
                       [labels](const Requirement& each) { return each.matches(labels); });
  }

  /// The form of a labelSelector query: "app=web,tier in (back,front),!canary", sorted by key.
  [[nodiscard]] std::string to_string() const {
    std::string out;
    for (const Requirement& each : requirements_) {
      if (!out.empty()) out.push_back(',');
      each.append_to(out);
    }
    return out;
  }

 private:
  using Operator = LabelOperator;

  struct Requirement {
    std::string key;
    Operator op;
    std::vector<std::string> values;  // Sorted.
    std::string_view sign = {};       // "!=", ">" or "<" if a text had it; a literal.

    [[nodiscard]] bool matches(Value labels) const {
      return label_matches(op, values, labels[key].text());
    }
    void append_to(std::string& out) const;
  };

  friend class SelectorText;

  [[nodiscard]] static Result<Requirement> parse_expression(Value expression);
  [[nodiscard]] static std::optional<Operator> parse_operator(std::string_view text);
  [[nodiscard]] static Status check_key(const std::string& key) {
    if (is_label_key(key)) return {};
    return Status(Code::kInvalid, "\"" + key + "\" is not a valid label key");
  }
  [[nodiscard]] static Status check_value(const std::string& value) {
    if (is_label_value(value)) return {};
    return Status(Code::kInvalid, "\"" + value + "\" is not a valid label value");
  }

  std::vector<Requirement> requirements_;  // Sorted by key.
  bool nothing_ = false;
};

inline Result<Selector> Selector::parse(Value label_selector) {
  Selector selector;
  if (label_selector.kind() != Kind::kObject) {
    selector.nothing_ = true;
    if (label_selector.is_absent() || label_selector.kind() == Kind::kNull) return selector;
    return Status(Code::kInvalid, "the label selector is not an object");
  }
  for (const Member& label : label_selector[&Names::match_labels].members()) {
    Requirement requirement{
        std::string(label.key), Operator::kEquals, {std::string(label.value.string())}};
    if (Status s = check_key(requirement.key); !s.ok()) return s;
    if (Status s = check_value(requirement.values.front()); !s.ok()) return s;
    selector.requirements_.push_back(std::move(requirement));
  }
  for (const Value each : label_selector[&Names::match_expressions].elements()) {
    Result<Requirement> requirement = parse_expression(each);
    if (!requirement) return requirement.error();
    selector.requirements_.push_back(std::move(*requirement));
  }
  std::stable_sort(selector.requirements_.begin(), selector.requirements_.end(),
                   [](const Requirement& a, const Requirement& b) { return a.key < b.key; });
  return selector;
}

inline std::optional<Selector::Operator> Selector::parse_operator(std::string_view text) {
  if (text == "In") return Operator::kIn;
  if (text == "NotIn") return Operator::kNotIn;
  if (text == "Exists") return Operator::kExists;
  if (text == "DoesNotExist") return Operator::kDoesNotExist;
  return std::nullopt;
}

inline Result<Selector::Requirement> Selector::parse_expression(Value expression) {
  const std::string_view op_text = expression[&Names::op].string();
  const std::optional<Operator> op = parse_operator(op_text);
  if (!op) {
    return Status(Code::kInvalid,
                  "\"" + std::string(op_text) + "\" is not a valid label selector operator");
  }
  Requirement requirement{std::string(expression[&Names::key].string()), *op, {}};
  if (Status s = check_key(requirement.key); !s.ok()) return s;
  for (const Value each : expression[&Names::values].elements()) {
    requirement.values.emplace_back(each.string());
    if (Status s = check_value(requirement.values.back()); !s.ok()) return s;
  }
  const bool wants_values = *op == Operator::kIn || *op == Operator::kNotIn;
  if (wants_values == requirement.values.empty()) {
    return Status(Code::kInvalid, "values of \"" + requirement.key + "\" must be " +
                                      (wants_values ? "given" : "empty") + " for operator " +
                                      std::string(op_text));
  }
  std::sort(requirement.values.begin(), requirement.values.end());
  return requirement;
}

inline void Selector::Requirement::append_to(std::string& out) const {
  if (op == Operator::kDoesNotExist) out.push_back('!');
  out.append(key);
  if (!sign.empty()) {
    out.append(sign).append(values.front());
    return;
  }
  switch (op) {
    case Operator::kExists:
    case Operator::kDoesNotExist:
      return;
    case Operator::kEquals:
      out.append("=").append(values.front());
      return;
    case Operator::kIn:
      out.append(" in (");
      break;
    case Operator::kNotIn:
      out.append(" notin (");
      break;
    case Operator::kGreater:
    case Operator::kLess:
      return;  // These have a sign.
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out.push_back(',');
    out.append(values[i]);
  }
  out.push_back(')');
}

}  // namespace davit
