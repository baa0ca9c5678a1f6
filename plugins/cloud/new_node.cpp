#include "plugins/cloud/new_node.hpp"

#include <algorithm>
#include <array>
#include <davit/json_writer.hpp>
#include <davit/kube/taint.hpp>
#include <davit/mutant.hpp>
#include <string_view>
#include <utility>

#include "plugins/shared/taints/taint_lists.hpp"

namespace davit::cloud {
namespace {

constexpr std::string_view kUninitialized = "node.cloudprovider.kubernetes.io/uninitialized";

/// A label and its older name.
struct LabelPair {
  std::string_view name;
  std::string_view old_name;
};
constexpr LabelPair kZone{"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"};
constexpr LabelPair kRegion{"topology.kubernetes.io/region",
                            "failure-domain.beta.kubernetes.io/region"};
constexpr LabelPair kInstanceType{"node.kubernetes.io/instance-type",
                                  "beta.kubernetes.io/instance-type"};

/// Whether a domain of Kubernetes, or one below it, has the label.
bool is_of_kubernetes(std::string_view label) {
  for (const std::string_view domain : {"kubernetes.io/", "k8s.io/"}) {
    for (std::size_t at = label.find(domain); at != label.npos; at = label.find(domain, at + 1)) {
      if (at == 0 || label[at - 1] == '.') return true;
    }
  }
  return false;
}

void write_labels(JsonWriter& out, const std::map<std::string, std::string>& labels) {
  out.key("labels").begin_object();
  for (const auto& [name, value] : labels) out.member(name, value);
  out.end_object();
}

}  // namespace

bool is_uninitialized(const Node& node) {
  for (const Value each : node.taints().elements()) {
    if (each[&Names::key].string() == kUninitialized) return true;
  }
  return false;
}

MachineLabels machine_labels(const Node& node, const CloudMetadata& facts) {
  MachineLabels out;
  const auto put = [&out](const LabelPair& pair, const std::string& value) {
    if (value.empty()) return;
    out.set[std::string(pair.name)] = value;
    out.set[std::string(pair.old_name)] = value;
  };
  put(kInstanceType, facts.instance_type);
  put(kZone, facts.zone);
  put(kRegion, facts.region);
  for (const auto& [name, value] : facts.labels) {
    const auto present = node.label(name);
    if (is_of_kubernetes(name) || (present && *present != value)) {
      out.discarded.push_back(name);
    } else if (!present) {
      out.set.emplace(name, value);
    }
  }
  std::erase_if(out.set,
                [&node](const auto& each) { return node.label(each.first) == each.second; });
  return out;
}

std::string initial_body(const Node& node, const CloudMetadata& facts) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object();
  out.member("resourceVersion", node.resource_version());
  const MachineLabels labels = machine_labels(node, facts);
  if (!labels.set.empty()) write_labels(out, labels.set);
  out.end_object().key("spec").begin_object();
  const bool has_id = !node.spec()["providerID"].string().empty();
  if (!has_id && !facts.provider_id.empty()) out.member("providerID", facts.provider_id);
  std::vector<Taint> taints = taints_from(node.taints());
  std::erase_if(taints, [](const Taint& each) { return each.key == kUninitialized; });
  out.key("taints");
  taints::write_taints(out, taints);
  out.end_object().end_object();
  return std::move(out).text();
}

std::optional<std::string> repeated_labels_body(const Node& node) {
  std::map<std::string, std::string> labels;
  for (const LabelPair& pair : {kZone, kRegion, kInstanceType}) {
    const auto old_value = node.label(pair.old_name);
    if (old_value && node.label(pair.name) != old_value) {
      labels[std::string(pair.name)] = *old_value;
    }
  }
  if (labels.empty()) return std::nullopt;
  JsonWriter out;
  out.begin_object().key("metadata").begin_object();
  // For this version: another Node of the name, or this one since, may have other labels.
  if (!mutant("labels-of-a-namesake")) out.member("resourceVersion", node.resource_version());
  write_labels(out, labels);
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::cloud
