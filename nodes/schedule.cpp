#include "nodes/schedule.hpp"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "lib/kube/json_view.hpp"
#include "nodes/label_rules.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {
namespace {

/// Whether the node's taints of `effect` are all tolerated.
bool tolerates_all(const Json& tolerations, const Json& taints, std::string_view effect) {
  const Json::Items& items = taints.items();
  return std::all_of(items.begin(), items.end(), [&](const Json& taint) {
    return taint.get("effect").text() != effect || tolerates(tolerations, taint);
  });
}

/// `kubectl cordon` sets the field, and only later somebody adds the taint.
bool tolerates_cordon(const Json& tolerations) {
  return tolerates(tolerations, Json::object({{"key", "node.kubernetes.io/unschedulable"},
                                              {"effect", "NoSchedule"}}));
}

/// The reasons why `node` does not take the pod, as kube-scheduler words them; none: it does.
std::vector<std::string> unschedulable_reasons(const Json& pod_spec, const PodShare& share,
                                               const NodeCapacity& node) {
  const Json& tolerations = pod_spec.get("tolerations");
  if (node.unschedulable && !tolerates_cordon(tolerations)) return {"node(s) were unschedulable"};
  if (!tolerates_all(tolerations, node.taints, "NoSchedule") ||
      !tolerates_all(tolerations, node.taints, "NoExecute")) {
    return {"node(s) had untolerated taint(s)"};
  }
  if (!accepts_labels(pod_spec, node.labels, node.name)) {
    return {"node(s) didn't match Pod's node affinity/selector"};
  }
  for (const std::string& port : share.ports) {
    if (node.ports.contains(port)) {
      return {"node(s) didn't have free ports for the requested pod ports"};
    }
  }
  std::vector<std::string> out;
  if (node.pods >= node.pods_max) out.emplace_back("Too many pods");
  for (const auto& [name, amount] : share.requests) {
    Quantity sum = resource_amount(node.used, name);
    sum += amount;
    if (amount > Quantity() && sum > resource_amount(node.allocatable, name)) {
      out.push_back("Insufficient " + name);
    }
  }
  return out;
}

std::string refusal(std::size_t nodes, const std::map<std::string, int>& counts) {
  if (nodes == 0) return "no nodes available to schedule pods";
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [reason, count] : counts) parts.push_back(std::to_string(count) + " " + reason);
  std::sort(parts.begin(), parts.end());
  std::string text = "0/" + std::to_string(nodes) + " nodes are available: ";
  for (std::size_t i = 0; i < parts.size(); ++i) text += (i == 0 ? "" : ", ") + parts[i];
  return text + ".";
}

}  // namespace

PodShare pod_share(const Json& pod) {
  PodShare share;
  share.requests = pod_resources(JsonView(pod), ResourceSide::kRequests);
  for (const Json& container : pod.get("spec").get("containers").items()) {
    for (const Json& port : container.get("ports").items()) {
      const std::int64_t number = port.get("hostPort").integer_or(0);
      const std::string& protocol = port.get("protocol").text();
      if (number == 0) continue;
      share.ports.insert((protocol.empty() ? "TCP" : protocol) + "/" + std::to_string(number));
    }
  }
  for (PodClaim& each : pod_claims(pod)) share.claims.push_back(std::move(each.name));
  share.has_devices = pod.get("spec").get("resourceClaims").size() > 0;
  return share;
}

void NodeCapacity::add(const PodShare& share) {
  add_resources(used, share.requests);
  ++pods;
  ports.insert(share.ports.begin(), share.ports.end());
  claims.insert(share.claims.begin(), share.claims.end());
}

void NodeCapacity::remove(const PodShare& share) {
  subtract_resources(used, share.requests);
  --pods;
  const auto take_out = [](std::multiset<std::string>& from, const std::string& what) {
    const auto found = from.find(what);
    if (found != from.end()) from.erase(found);
  };
  for (const std::string& port : share.ports) take_out(ports, port);
  for (const std::string& claim : share.claims) take_out(claims, claim);
}

void update_capacity(NodeCapacity& capacity, const Json& node) {
  capacity.name = node.text_at({"metadata", "name"});
  capacity.labels = node.get("metadata").get("labels");
  capacity.taints = node.get("spec").get("taints");
  capacity.unschedulable = node.get("spec").get("unschedulable").boolean();
  const Json& allocatable = node.get("status").get("allocatable");
  capacity.allocatable = read_resources(JsonView(allocatable));
  const std::string& pods = allocatable.get("pods").text();
  capacity.pods_max = 0;
  std::from_chars(pods.data(), pods.data() + pods.size(), capacity.pods_max);
}

Choice schedule(const Json& pod_spec, const PodShare& share,
                const std::vector<const NodeCapacity*>& nodes, const NodeFilter& filter,
                const NodeScore& score) {
  Choice choice;
  std::map<std::string, int> counts;
  std::tuple<bool, std::int64_t, std::int64_t> best;
  for (const NodeCapacity* node : nodes) {
    std::vector<std::string> reasons = unschedulable_reasons(pod_spec, share, *node);
    if (reasons.empty() && filter) {
      std::string refusal = filter(*node);
      if (!refusal.empty()) reasons.push_back(std::move(refusal));
    }
    for (const std::string& reason : reasons) ++counts[reason];
    if (!reasons.empty()) continue;
    const bool is_last_resort =
        !tolerates_all(pod_spec.get("tolerations"), node->taints, "PreferNoSchedule");
    const std::tuple rank(is_last_resort, score ? -score(*node) : 0, node->pods);
    if (choice.node != nullptr && rank >= best) continue;
    choice.node = node;
    best = rank;
  }
  if (choice.node == nullptr) choice.message = refusal(nodes.size(), counts);
  return choice;
}

std::string refused_by_all(std::size_t nodes, const std::string& refusal) {
  return "0/" + std::to_string(nodes) + " nodes are available: " + refusal + ".";
}

}  // namespace davit::sandbox
