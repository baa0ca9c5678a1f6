#include "plugins/shared/pods/selector_text.hpp"

#include <map>

namespace davit::pods {

std::string selector_text(Value label_selector) {
  std::map<std::string_view, std::string_view> labels;
  for (const Member& each : label_selector[&Names::match_labels].members()) {
    labels.emplace(each.key, each.value.string());
  }
  std::string out = "&LabelSelector{MatchLabels:map[string]string{";
  for (const auto& [key, value] : labels) out.append(key).append(": ").append(value).append(",");
  out += "},MatchExpressions:[]LabelSelectorRequirement{";
  for (const Value each : label_selector[&Names::match_expressions].elements()) {
    out.append("LabelSelectorRequirement{Key:").append(each[&Names::key].string());
    out.append(",Operator:").append(each[&Names::op].string()).append(",Values:[");
    bool is_first = true;
    for (const Value value : each[&Names::values].elements()) {
      if (!is_first) out += ' ';
      is_first = false;
      out += value.string();
    }
    out += "],},";
  }
  return out + "},}";
}

}  // namespace davit::pods
