#include <algorithm>
#include <array>
#include <set>

#include "lib/base/lower_case.hpp"
#include "lib/kube/names.hpp"
#include "sandbox/kinds/age_text.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/conversion.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kRolePrefix = "node-role.kubernetes.io/";

std::string node_status(const Json& node) {
  std::string out = "Unknown";
  for (const Json& each : value_at(node, {"status", "conditions"}).items()) {
    if (each.get("type").text() != "Ready") continue;
    out = each.get("status").text() == "True" ? "Ready" : "NotReady";
  }
  if (value_at(node, {"spec", "unschedulable"}).boolean()) out += ",SchedulingDisabled";
  return out;
}

std::string node_roles(const Json& node) {
  std::set<std::string> roles;
  for (const Json::Member& label : value_at(node, {"metadata", "labels"}).members()) {
    if (label.key.starts_with(kRolePrefix) && label.key.size() > kRolePrefix.size()) {
      roles.insert(label.key.substr(kRolePrefix.size()));
    } else if (label.key == "kubernetes.io/role" && !label.value.text().empty()) {
      roles.insert(label.value.text());
    }
  }
  return roles.empty() ? "<none>" : join_texts({roles.begin(), roles.end()}, ",");
}

std::string node_address(const Json& node, std::string_view type) {
  for (const Json& each : value_at(node, {"status", "addresses"}).items()) {
    if (each.get("type").text() == type) return each.get("address").text();
  }
  return "<none>";
}

std::string kernel(const Json& node) {
  std::string out = text_or(node, {"status", "nodeInfo", "kernelVersion"}, "<unknown>");
  const std::string& architecture = node.text_at({"status", "nodeInfo", "architecture"});
  return architecture.empty() ? out : out + " (" + architecture + ')';
}

Json::Items namespace_cells(const Json& object, WallTime now) {
  return {name_of(object), object.text_at({"status", "phase"}), age_of(object, now)};
}

Json::Items lease_cells(const Json& object, WallTime now) {
  return {name_of(object), object.text_at({"spec", "holderIdentity"}), age_of(object, now)};
}

Json::Items priority_class_cells(const Json& object, WallTime now) {
  return {name_of(object), number_at(object, {"value"}), object.get("globalDefault").boolean(),
          age_of(object, now), object.get("preemptionPolicy").text()};
}

/// "cpu: 1/2, pods: 3/10"
Json::Items quota_cells(const Json& object, WallTime now) {
  std::set<std::string> names;
  const Json& hard = value_at(object, {"status", "hard"});
  for (const Json::Member& each : hard.members()) names.insert(each.key);
  std::vector<std::string> requests;
  std::vector<std::string> limits;
  for (const std::string& each : names) {
    std::string text =
        each + ": " + text_or(object, {"status", "used", each}, "0") + '/' + hard.get(each).text();
    (each.starts_with("limits.") ? limits : requests).push_back(std::move(text));
  }
  return {name_of(object), join_texts(requests, ", "), join_texts(limits, ", "),
          age_of(object, now)};
}

Json::Items api_service_cells(const Json& object, WallTime now) {
  const Json& service = value_at(object, {"spec", "service"});
  std::string available = "Unknown";
  for (const Json& each : value_at(object, {"status", "conditions"}).items()) {
    if (each.get("type").text() != "Available") continue;
    available = each.get("status").text();
    if (available != "True") available += " (" + each.get("reason").text() + ')';
  }
  return {name_of(object),
          service.is_object() ? service.get("namespace").text() + '/' + service.get("name").text()
                              : std::string("Local"),
          available, age_of(object, now)};
}

Json::Items component_status_cells(const Json& object, WallTime) {
  for (const Json& each : value_at(object, {"conditions"}).items()) {
    if (each.get("type").text() != "Healthy") continue;
    const char* status = each.get("status").text() == "True" ? "Healthy" : "Unhealthy";
    return {name_of(object), status, each.get("message").text(), each.get("error").text()};
  }
  return {name_of(object), "Unknown", "", ""};
}

Json::Items runtime_class_cells(const Json& object, WallTime now) {
  return {name_of(object), object.get("handler").text(), age_of(object, now)};
}

std::string event_source(const Json& event) {
  std::string out = text_or(event, {"source", "component"}, event.get("reportingComponent").text());
  const std::string host =
      text_or(event, {"source", "host"}, event.get("reportingInstance").text());
  return host.empty() ? out : out + ", " + host;
}

std::string trimmed(const std::string& text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

constexpr std::array kClusterCells = std::to_array<KindCells>({
    {"", "nodes", node_cells},
    {"", "namespaces", namespace_cells},
    {"", "events", event_cells},
    {"events.k8s.io", "events", event_cells},
    {"coordination.k8s.io", "leases", lease_cells},
    {"scheduling.k8s.io", "priorityclasses", priority_class_cells},
    {"", "resourcequotas", quota_cells},
    {"apiregistration.k8s.io", "apiservices", api_service_cells},
    {"node.k8s.io", "runtimeclasses", runtime_class_cells},
    {"", "componentstatuses", component_status_cells},
});

}  // namespace

Json::Items node_cells(const Json& node, WallTime now) {
  return {name_of(node),
          node_status(node),
          node_roles(node),
          age_of(node, now),
          node.text_at({"status", "nodeInfo", "kubeletVersion"}),
          node_address(node, "InternalIP"),
          node_address(node, "ExternalIP"),
          text_or(node, {"status", "nodeInfo", "osImage"}, "<unknown>"),
          kernel(node),
          text_or(node, {"status", "nodeInfo", "containerRuntimeVersion"}, "<unknown>")};
}

Json::Items event_cells(const Json& event, WallTime now) {
  if (event.get("apiVersion").text() == "events.k8s.io/v1") {
    Json core = event;
    event_to_core(core);
    core.set("apiVersion", "v1");
    return event_cells(core, now);
  }
  const std::string& object = event.text_at({"involvedObject", "name"});
  const std::string kind = lower_case(event.text_at({"involvedObject", "kind"}));
  const std::string first =
      human_age(text_or(event, {"firstTimestamp"}, event.get("eventTime").text()), now);
  const std::string& last_timestamp = event.get("lastTimestamp").text();
  std::string last = last_timestamp.empty() ? first : human_age(last_timestamp, now);
  std::int64_t count = std::max<std::int64_t>(number_at(event, {"count"}), 1);
  if (const Json& series = event.get("series"); series.is_object()) {
    last = human_age(series.get("lastObservedTime").text(), now);
    count = number_at(series, {"count"});
  }
  return {last,
          event.get("type").text(),
          event.get("reason").text(),
          object.empty() ? kind : kind + '/' + object,
          event.text_at({"involvedObject", "fieldPath"}),
          event_source(event),
          trimmed(event.get("message").text()),
          first,
          count,
          name_of(event)};
}

std::span<const KindCells> cluster_cells() { return kClusterCells; }

}  // namespace davit::sandbox
