#include "plugins/clusterroleaggregation/aggregation_plan.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/kube/selector.hpp>
#include <unordered_set>
#include <utility>

namespace davit::clusterroles {
namespace {

/// The lists of a rule, in the order in which upstream writes them.
constexpr std::string_view kLists[] = {"verbs", "apiGroups", "resources", "resourceNames",
                                       "nonResourceURLs"};

}  // namespace

std::string rule_text(Value rule) {
  JsonWriter out;
  out.begin_object();
  for (const std::string_view name : kLists) {
    const Value list = rule[name];
    if (list.count() == 0) continue;
    out.key(name).begin_array();
    for (const Value each : list.elements()) out.string(each.string());
    out.end_array();
  }
  out.end_object();
  return std::move(out).text();
}

std::vector<std::string> rule_texts(Value rules) {
  std::vector<std::string> out;
  out.reserve(rules.count());
  for (const Value each : rules.elements()) out.push_back(rule_text(each));
  return out;
}

Result<std::vector<std::string>> aggregated_rules(const ClusterRole& role,
                                                  std::vector<ClusterRole> roles) {
  std::erase_if(roles, [&role](const ClusterRole& each) { return each.name() == role.name(); });
  std::sort(roles.begin(), roles.end(),
            [](const ClusterRole& a, const ClusterRole& b) { return a.name() < b.name(); });
  std::vector<std::string> out;
  std::unordered_set<std::string> seen;
  for (const Value each : role.selectors().elements()) {
    const Result<Selector> selector = Selector::parse(each);
    if (!selector) return selector.error();
    for (const ClusterRole& source : roles) {
      if (!selector->matches(source.labels())) continue;
      for (std::string& rule : rule_texts(source.rules())) {
        if (seen.insert(rule).second) out.push_back(std::move(rule));
      }
    }
  }
  return out;
}

std::string apply_body(std::string_view name, std::span<const std::string> rules) {
  JsonWriter body;
  body.begin_object().member("kind", ClusterRole::kResource.kind);
  body.member("apiVersion", ClusterRole::kResource.api_version());
  body.key("metadata").begin_object().member("name", name).end_object();
  if (!rules.empty()) {
    body.key("rules").begin_array();
    for (const std::string& each : rules) body.raw(each);
    body.end_array();
  }
  body.end_object();
  return std::move(body).text();
}

}  // namespace davit::clusterroles
