#include <algorithm>
#include <utility>

#include "sandbox/admission/chain.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kTolerationSeconds = 300;
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

/// The default among the classes, the lowest if there are several; null when there is none.
Json default_class(const ObjectLookup& objects) {
  Json out;
  for (const VersionPtr& each : objects.list({"scheduling.k8s.io", "priorityclasses"}, "")) {
    // Every pod comes here, and a default is rare: most texts need not be read as JSON.
    if (each->text.find("\"globalDefault\":true") == std::string::npos) continue;
    Json found = each->json();
    if (!found.get("globalDefault").boolean()) continue;
    if (out.is_null() || found.get("value").integer_or(0) < out.get("value").integer_or(0)) {
      out = std::move(found);
    }
  }
  return out;
}

/// Sets a computed member of the pod's spec; the client may not have said otherwise.
ApiFailure set_priority(const WriteRequest& request, Json& pod, const Json& found) {
  Json& spec = pod["spec"];
  const std::int64_t value = found.get("value").integer_or(0);
  const Json& given = spec.get("priority");
  if (!given.is_null() && given.integer_or(0) != value) {
    return refuse(request, pod,
                  "the integer value of priority (" + given.text() +
                      ") must not be provided in pod spec; priority admission controller "
                      "computed " +
                      std::to_string(value) + " from the given PriorityClass name");
  }
  spec.set("priority", value);
  const std::string& policy = found.get("preemptionPolicy").text();
  if (policy.empty()) return std::nullopt;
  const std::string& given_policy = spec.get("preemptionPolicy").text();
  if (!given_policy.empty() && given_policy != policy) {
    return refuse(request, pod,
                  "the string value of PreemptionPolicy (" + given_policy +
                      ") must not be provided in pod spec; priority admission controller "
                      "computed " +
                      policy + " from the given PriorityClass name");
  }
  spec.set("preemptionPolicy", policy);
  return std::nullopt;
}

/// Whether a toleration matches NoExecute taints with this key.
bool tolerates(const Json& tolerations, std::string_view key) {
  return std::ranges::any_of(tolerations.items(), [key](const Json& each) {
    const std::string& its_key = each.get("key").text();
    const std::string& effect = each.get("effect").text();
    return (its_key.empty() || its_key == key) && (effect.empty() || effect == "NoExecute");
  });
}

}  // namespace

ApiFailure admit_priority(const WriteRequest& request, Json& pod, const ObjectLookup& objects) {
  Json& spec = pod["spec"];
  if (request.verb == WriteVerb::kUpdate) {
    // Clients without the fields leave them out.
    for (const char* field : {"priority", "preemptionPolicy"}) {
      const Json* before = request.old == nullptr ? nullptr : request.old->at({"spec", field});
      if (before != nullptr && spec.get(field).is_null()) spec.set(field, *before);
    }
    return std::nullopt;
  }
  const std::string name = spec.get("priorityClassName").text();
  if (name.empty()) {
    Json found = default_class(objects);
    if (found.is_null()) {
      found = Json::object({{"value", 0}, {"preemptionPolicy", "PreemptLowerPriority"}});
    } else {
      spec.set("priorityClassName", found.text_at({"metadata", "name"}));
    }
    return set_priority(request, pod, found);
  }
  const VersionPtr found = objects.get({"scheduling.k8s.io", "priorityclasses"}, "", name);
  if (found == nullptr) {
    return refuse(request, pod, "no PriorityClass with name " + name + " was found");
  }
  return set_priority(request, pod, found->json());
}

ApiFailure check_default_class(const WriteRequest& request, const Json& priority_class,
                               const ObjectLookup& objects) {
  if (!priority_class.get("globalDefault").boolean()) return std::nullopt;
  const Json other = default_class(objects);
  const std::string& name = other.text_at({"metadata", "name"});
  if (other.is_null() || name == priority_class.text_at({"metadata", "name"})) return std::nullopt;
  return refuse(
      request, priority_class,
      "PriorityClass " + name + " is already marked as default. Only one default can exist");
}

void add_tolerations(Json& pod) {
  for (const std::string_view key : {kNotReady, kUnreachable}) {
    const Json* tolerations = pod.at({"spec", "tolerations"});
    if (tolerations != nullptr && tolerates(*tolerations, key)) continue;
    pod["spec"]["tolerations"].push_back(Json::object({{"key", key},
                                                       {"operator", "Exists"},
                                                       {"effect", "NoExecute"},
                                                       {"tolerationSeconds", kTolerationSeconds}}));
  }
}

void add_topology_labels(Json& object, std::string_view node, const ObjectLookup& objects) {
  if (node.empty()) return;
  const VersionPtr found = objects.get({"", "nodes"}, "", node);
  if (found == nullptr) return;
  const Json labels = found->json().get("metadata").get("labels");
  for (const char* key : {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"}) {
    if (!labels.contains(key) || object.at({"metadata", "labels", key}) != nullptr) continue;
    object["metadata"]["labels"].set(key, labels.get(key));
  }
}

void add_not_ready_taint(Json& node) {
  Json& taints = node["spec"]["taints"];
  const bool there = std::ranges::any_of(taints.items(), [](const Json& each) {
    return each.get("key").text() == kNotReady && each.get("effect").text() == "NoSchedule";
  });
  if (there) return;
  taints.push_back(Json::object({{"key", kNotReady}, {"effect", "NoSchedule"}}));
}

void add_finalizer(Json& object, std::string_view finalizer) {
  Json& finalizers = object["metadata"]["finalizers"];
  const bool there = std::ranges::any_of(
      finalizers.items(), [finalizer](const Json& each) { return each.text() == finalizer; });
  if (!there) finalizers.push_back(finalizer);
}

}  // namespace davit::sandbox
