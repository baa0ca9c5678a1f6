#include "sandbox/metrics/metric_discovery.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace davit::sandbox {

namespace {

/// Resources without a namespace of their own, of which custom metrics may be.
constexpr std::string_view kClusterScoped[] = {"namespaces", "nodes", "persistentvolumes"};

/// The resource and the metric of each rule of this type, sorted.
std::set<std::pair<std::string, std::string>> known_metrics(const MetricRules& rules,
                                                            MetricRuleType type) {
  std::set<std::pair<std::string, std::string>> out;
  for (const auto& each : rules) {
    const MetricRule& rule = each->rule;
    if (rule.type != type) continue;
    out.emplace(rule.group.empty() ? rule.resource : rule.resource + '.' + rule.group, rule.metric);
  }
  return out;
}

Json texts_json(const std::vector<std::string_view>& texts) {
  Json out = Json::array();
  for (const std::string_view each : texts) out.push_back(Json(each));
  return out;
}

Json version_json(std::string_view group, std::string_view version) {
  return Json::object(
      {{"groupVersion", std::string(group) + '/' + std::string(version)}, {"version", version}});
}

Json kind_json(std::string_view group, std::string_view version, std::string_view kind) {
  return Json::object({{"group", group}, {"version", version}, {"kind", kind}});
}

}  // namespace

MetricDiscovery::MetricDiscovery(const MetricBoard* board) {
  if (board == nullptr) return;
  const std::shared_ptr<const MetricRules> rules = board->rules();
  const MetricOptions& options = board->options();
  if (options.resource) {
    groups_.push_back({kResourceMetrics,
                       {"v1beta1"},
                       {"get", "list"},
                       {{"nodes", "", "NodeMetrics", false}, {"pods", "", "PodMetrics", true}}});
  }
  if (options.custom) {
    Group group{kCustomMetrics, {"v1beta2", "v1beta1"}, {"get"}, {}};
    for (const auto& [resource, metric] : known_metrics(*rules, MetricRuleType::kCustom)) {
      const bool cluster = std::ranges::find(kClusterScoped, resource) != std::end(kClusterScoped);
      group.entries.push_back({resource, metric, "MetricValueList", !cluster});
    }
    groups_.push_back(std::move(group));
  }
  if (options.external) {
    Group group{kExternalMetrics, {"v1beta1"}, {"get"}, {}};
    for (const auto& [resource, metric] : known_metrics(*rules, MetricRuleType::kExternal)) {
      group.entries.push_back({metric, "", "ExternalMetricValueList", true});
    }
    groups_.push_back(std::move(group));
  }
}

void MetricDiscovery::append_groups(Json& groups) const {
  for (const Group& each : groups_) groups.push_back(group_json(each));
}

void MetricDiscovery::append_aggregated(Json& items) const {
  for (const Group& each : groups_) {
    Json item = Json::object(
        {{"metadata", Json::object({{"name", each.name}, {"creationTimestamp", Json()}})}});
    for (const std::string_view version : each.versions) {
      item["versions"].push_back(Json::object({{"version", version},
                                               {"resources", aggregated_resources(each, version)},
                                               {"freshness", "Current"}}));
    }
    items.push_back(std::move(item));
  }
}

std::optional<Json> MetricDiscovery::group(std::string_view name) const {
  const auto found = std::ranges::find(groups_, name, &Group::name);
  if (found == groups_.end()) return std::nullopt;
  Json out = Json::object({{"kind", "APIGroup"}, {"apiVersion", "v1"}});
  Json entry = group_json(*found);
  for (Json::Member& each : entry.make_object()) out.set(each.key, std::move(each.value));
  return out;
}

std::optional<Json> MetricDiscovery::resource_list(std::string_view group,
                                                   std::string_view version) const {
  const auto found = std::ranges::find(groups_, group, &Group::name);
  if (found == groups_.end()) return std::nullopt;
  if (std::ranges::find(found->versions, version) == found->versions.end()) return std::nullopt;
  Json list = Json::array();
  for (const Entry& each : found->entries) {
    list.push_back(Json::object(
        {{"name", each.metric.empty() ? each.resource : each.resource + '/' + each.metric},
         {"singularName", ""},
         {"namespaced", each.namespaced},
         {"kind", each.kind},
         {"verbs", texts_json(found->verbs)}}));
  }
  return Json::object({{"kind", "APIResourceList"},
                       {"apiVersion", "v1"},
                       {"groupVersion", std::string(group) + '/' + std::string(version)},
                       {"resources", std::move(list)}});
}

Json MetricDiscovery::group_json(const Group& group) {
  Json out = Json::object({{"name", group.name}});
  for (const std::string_view each : group.versions) {
    out["versions"].push_back(version_json(group.name, each));
  }
  out["preferredVersion"] = version_json(group.name, group.versions.front());
  return out;
}

Json MetricDiscovery::aggregated_resources(const Group& group, std::string_view version) {
  Json out = Json::array();
  for (std::size_t i = 0; i < group.entries.size(); ++i) {
    const Entry& entry = group.entries[i];
    const bool whole = entry.metric.empty();
    const bool again = i > 0 && group.entries[i - 1].resource == entry.resource;
    if (!again) {
      // A resource that has nothing but metrics is shown without a kind and verbs, as the
      // original's aggregator shows it.
      Json made = Json::object({{"resource", entry.resource},
                                {"responseKind", whole ? kind_json(group.name, version, entry.kind)
                                                       : kind_json("", "", "")},
                                {"scope", entry.namespaced ? "Namespaced" : "Cluster"},
                                {"singularResource", ""},
                                {"verbs", whole ? texts_json(group.verbs) : Json()}});
      out.push_back(std::move(made));
    }
    if (whole) continue;
    Json& parent = out.make_array().back();
    parent["subresources"].push_back(
        Json::object({{"subresource", entry.metric},
                      {"responseKind", kind_json(group.name, version, entry.kind)},
                      {"verbs", texts_json(group.verbs)}}));
  }
  return out;
}

}  // namespace davit::sandbox
