#include "plugins/cloud/node_set.hpp"

#include <algorithm>
#include <iterator>

namespace davit::cloud {
namespace {

constexpr std::string_view kExcludeLabel =
    "node.kubernetes.io/exclude-from-external-load-balancers";
/// The autoscaler is about to take the machine away.
constexpr std::string_view kToBeDeleted = "ToBeDeletedByClusterAutoscaler";

}  // namespace

bool is_false(std::string_view text) {
  constexpr std::string_view kFalse[] = {"0", "f", "F", "false", "FALSE", "False"};
  return std::find(std::begin(kFalse), std::end(kFalse), text) != std::end(kFalse);
}

bool is_included(const Node& node) {
  const auto label = node.label(kExcludeLabel);
  return !label || is_false(*label);
}

bool takes_traffic(const Node& node) {
  if (node.is_being_deleted() || !is_included(node)) return false;
  for (const Value each : node.taints().elements()) {
    if (each[&Names::key].string() == kToBeDeleted) return false;
  }
  return true;
}

NodeSet node_set(std::span<const Node> nodes) {
  NodeSet out;
  for (const Node& each : nodes) {
    out.emplace(each.name(), each.spec()["providerID"].string());
  }
  return out;
}

std::string limited_names(std::span<const Node> nodes) {
  constexpr std::size_t kNamesMax = 20;
  std::vector<std::string> names;
  for (const Node& each : nodes.first(std::min(nodes.size(), kNamesMax))) {
    names.emplace_back(each.name());
  }
  std::sort(names.begin(), names.end());
  if (nodes.size() > kNamesMax) {
    names.push_back("<" + std::to_string(nodes.size() - kNamesMax) + " more>");
  }
  std::string out;
  for (const std::string& each : names) out += (out.empty() ? "" : " ") + each;
  return "[" + out + "]";
}

}  // namespace davit::cloud
