#include "nodes/node_objects.hpp"

#include <array>
#include <davit/kube/time.hpp>
#include <utility>

#include "lib/base/take_until.hpp"
#include "lib/base/version.hpp"

namespace davit::sandbox {
namespace {

constexpr char kNotReadyTaint[] = "node.kubernetes.io/not-ready";
/// The kubelet's, until a cloud's controller has initialized the Node.
constexpr char kUninitializedTaint[] = "node.cloudprovider.kubernetes.io/uninitialized";
/// The VERSION that `kubectl get nodes` shows.
constexpr char kKubeletVersion[] = "v1.36.2-davit";
constexpr int kKubeletPort = 10250;
constexpr int kLeaseSeconds = 40;

struct Condition {
  const char* type;
  bool holds;
  const char* reason;
  const char* message;
};

bool has_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    if (take_until(list, ",") == word) return true;
  }
  return false;
}

/// In the kubelet's order, Ready last.
std::array<Condition, 4> conditions_of(const Json& node, const NodeReport& report) {
  const std::string& pressure = node.text_at({"metadata", "annotations", annotation::kPressure});
  const bool memory = has_word(pressure, "memory");
  const bool disk = has_word(pressure, "disk");
  const bool pid = has_word(pressure, "pid");
  const bool runs = report.power == NodePower::kRunning;
  const bool ready = runs && report.has_network;
  const char* why = "kubelet is posting ready status";
  if (!runs) {
    why = "not ready, as its annotation requests";
  } else if (!ready) {
    why =
        "container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady "
        "message:the Node has no podCIDR";
  }
  return {
      {{"MemoryPressure", memory,
        memory ? "KubeletHasInsufficientMemory" : "KubeletHasSufficientMemory",
        memory ? "kubelet has insufficient memory available"
               : "kubelet has sufficient memory available"},
       {"DiskPressure", disk, disk ? "KubeletHasDiskPressure" : "KubeletHasNoDiskPressure",
        disk ? "kubelet has disk pressure" : "kubelet has no disk pressure"},
       {"PIDPressure", pid, pid ? "KubeletHasInsufficientPID" : "KubeletHasSufficientPID",
        pid ? "kubelet has insufficient PID available" : "kubelet has sufficient PID available"},
       {"Ready", ready, ready ? "KubeletReady" : "KubeletNotReady", why}}};
}

const Json* find_condition(const Json& node, std::string_view type) {
  for (const Json& each : node.get("status").get("conditions").items()) {
    if (each.get("type").text() == type) return &each;
  }
  return nullptr;
}

const char* status_text(bool holds) { return holds ? "True" : "False"; }

Json resources(const NodeSize& size) {
  return Json::object({{"cpu", size.cpu},
                       {"memory", size.memory},
                       {"ephemeral-storage", size.ephemeral_storage},
                       {"pods", std::to_string(size.pods)}});
}

/// "sandbox.8-32Gi": a valid value of a label for each quantity.
std::string instance_type(const NodeSize& size) {
  return "sandbox." + size.cpu + "-" + size.memory;
}

/// The members of nodeInfo; clients of the API require all of them, as strings.
Json node_info(const Json& node) {
  const std::string& name = node.text_at({"metadata", "name"});
  return Json::object({{"machineID", name},
                       {"systemUUID", node.text_at({"metadata", "uid"})},
                       {"bootID", node.text_at({"metadata", "uid"})},
                       {"kernelVersion", "davit"},
                       {"osImage", "davit sandbox"},
                       {"containerRuntimeVersion", "davit://sandbox"},
                       {"kubeletVersion", kKubeletVersion},
                       {"kubeProxyVersion", kKubeletVersion},
                       {"operatingSystem", "linux"},
                       {"architecture", kArchitecture}});
}

}  // namespace

std::optional<NodePower> power_of(const Json& node) {
  const std::string& text = node.text_at({"metadata", "annotations", annotation::kNode});
  if (text.empty()) return std::nullopt;
  for (const NodePower each : {NodePower::kNotReady, NodePower::kStopped, NodePower::kDeleted}) {
    if (text == name_of(each)) return each;
  }
  return NodePower::kRunning;
}

std::string_view name_of(NodePower power) {
  switch (power) {
    case NodePower::kRunning:
      return "running";
    case NodePower::kNotReady:
      return "not-ready";
    case NodePower::kStopped:
      return "stopped";
    case NodePower::kDeleted:
      break;
  }
  return "deleted";
}

Json new_node(const NodePlan& plan, const NodeSize& size, CloudSwitch cloud) {
  const bool has_cloud = cloud == CloudSwitch::kOn;
  Json labels = Json::object({{"kubernetes.io/hostname", plan.name},
                              {"kubernetes.io/os", "linux"},
                              {"kubernetes.io/arch", kArchitecture},
                              {"beta.kubernetes.io/os", "linux"},
                              {"beta.kubernetes.io/arch", kArchitecture}});
  Json annotations = Json::object({{annotation::kNode, name_of(NodePower::kRunning)}});
  Json& places = has_cloud ? annotations : labels;
  const auto set_place = [&](const char* key, const std::string& value) {
    if (!value.empty()) places.set(key, value);
  };
  set_place(has_cloud ? annotation::kZone : "topology.kubernetes.io/zone", plan.zone);
  set_place(has_cloud ? annotation::kRegion : "topology.kubernetes.io/region", plan.region);
  Json spec = Json::object({});
  if (has_cloud) {
    annotations.set(annotation::kInstanceType, instance_type(size));
    spec.set("taints",
             Json::array({Json::object(
                 {{"key", kUninitializedTaint}, {"value", "true"}, {"effect", "NoSchedule"}})}));
  } else {
    spec.set("providerID", "davit://" + plan.name);
  }
  if (!plan.pod_cidr.empty()) {
    spec.set("podCIDR", plan.pod_cidr);
    spec.set("podCIDRs", Json::array({plan.pod_cidr}));
  }
  return Json::object(
      {{"apiVersion", "v1"},
       {"kind", "Node"},
       {"metadata",
        Json::object({{"name", plan.name}, {"labels", labels}, {"annotations", annotations}})},
       {"spec", std::move(spec)},
       {"status",
        Json::object({{"capacity", resources(size)}, {"allocatable", resources(size)}})}});
}

Json node_status_patch(const Json& node, const NodeReport& report, const Moment& moment) {
  const std::string now = format_time(moment.wall);
  Json conditions = Json::array();
  for (const Condition& each : conditions_of(node, report)) {
    const Json* old = find_condition(node, each.type);
    const bool same = old != nullptr && old->get("status").text() == status_text(each.holds);
    conditions.push_back(Json::object(
        {{"type", each.type},
         {"status", status_text(each.holds)},
         {"lastHeartbeatTime", now},
         {"lastTransitionTime",
          same && old->contains("lastTransitionTime") ? old->get("lastTransitionTime") : Json(now)},
         {"reason", each.reason},
         {"message", each.message}}));
  }
  const std::string& name = node.text_at({"metadata", "name"});
  Json status =
      Json::object({{"conditions", std::move(conditions)},
                    {"daemonEndpoints",
                     Json::object({{"kubeletEndpoint", Json::object({{"Port", kKubeletPort}})}})},
                    {"nodeInfo", node_info(node)}});
  // Those of a provider take precedence over the kubelet's own.
  if (report.cloud == CloudSwitch::kOff || node.get("status").get("addresses").empty()) {
    status.set("addresses",
               Json::array({Json::object({{"type", "InternalIP"}, {"address", report.internal_ip}}),
                            Json::object({{"type", "Hostname"}, {"address", name}})}));
  }
  // Capacity that others gave the node, such as a GPU, stays.
  if (node.get("status").get("capacity").empty()) {
    status.set("capacity", resources(report.size));
    status.set("allocatable", resources(report.size));
  }
  if (report.volumes_in_use) {
    Json volumes = Json::array();
    for (const std::string& each : *report.volumes_in_use) volumes.push_back(each);
    status.set("volumesInUse", std::move(volumes));
  }
  return Json::object({{"metadata", Json::object({{"uid", node.get("metadata").get("uid")}})},
                       {"status", std::move(status)}});
}

bool volumes_hold(const Json& node, const NodeReport& report) {
  return !report.volumes_in_use || *report.volumes_in_use == volumes_in_use(node);
}

std::set<std::string> volumes_in_use(const Json& node) {
  std::set<std::string> out;
  for (const Json& each : node.get("status").get("volumesInUse").items()) out.insert(each.text());
  return out;
}

std::set<std::string> volumes_attached(const Json& node) {
  std::set<std::string> out;
  for (const Json& each : node.get("status").get("volumesAttached").items()) {
    out.insert(each.get("name").text());
  }
  return out;
}

bool conditions_hold(const Json& node, const NodeReport& report) {
  for (const Condition& each : conditions_of(node, report)) {
    const Json* old = find_condition(node, each.type);
    if (old == nullptr || old->get("status").text() != status_text(each.holds)) return false;
  }
  return true;
}

Json new_lease(const Json& node, const Moment& moment) {
  const std::string& name = node.text_at({"metadata", "name"});
  const Json owner = Json::object({{"apiVersion", "v1"},
                                   {"kind", "Node"},
                                   {"name", name},
                                   {"uid", node.get("metadata").get("uid")}});
  return Json::object({{"apiVersion", "coordination.k8s.io/v1"},
                       {"kind", "Lease"},
                       {"metadata", Json::object({{"name", name},
                                                  {"namespace", "kube-node-lease"},
                                                  {"ownerReferences", Json::array({owner})}})},
                       {"spec", Json::object({{"holderIdentity", name},
                                              {"leaseDurationSeconds", kLeaseSeconds},
                                              {"renewTime", format_micro_time(moment.wall)}})}});
}

Json renewed(Json lease, const Moment& moment) {
  lease["spec"].set("renewTime", format_micro_time(moment.wall));
  return lease;
}

std::optional<Json> untaint_patch(const Json& node) {
  Json rest = Json::array();
  const Json::Items& taints = node.get("spec").get("taints").items();
  for (const Json& taint : taints) {
    const bool not_ready =
        taint.get("key").text() == kNotReadyTaint && taint.get("effect").text() == "NoSchedule";
    if (!not_ready) rest.push_back(taint);
  }
  if (rest.size() == taints.size()) return std::nullopt;
  Json metadata = Json::object({{"resourceVersion", node.get("metadata").get("resourceVersion")}});
  return Json::object(
      {{"metadata", std::move(metadata)}, {"spec", Json::object({{"taints", std::move(rest)}})}});
}

}  // namespace davit::sandbox
