#include "sandbox/admission/quota_usage.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lib/kube/json_view.hpp"
#include "lib/kube/schema/schema.hpp"
#include "sandbox/admission/chain.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kOne = 1000;  // One whole, in thousandths.

bool is_core(const Resource& resource, std::string_view name) {
  return resource.group.empty() && resource.name == name;
}

bool is_finished(const Json& pod) {
  const std::string& phase = pod.text_at({"status", "phase"});
  return phase == "Succeeded" || phase == "Failed";
}

/// A name of a quota's list as containers write it: which side, and of what.
struct Amount {
  ResourceSide side = ResourceSide::kRequests;
  std::string_view resource;
};

/// "limits.cpu", "requests.cpu", or "cpu", which means requests. Nothing if it is not such a name.
std::optional<Amount> parse_amount(std::string_view name) {
  constexpr std::string_view kLimits = "limits.";
  constexpr std::string_view kRequests = "requests.";
  if (name.starts_with(kLimits)) return Amount{ResourceSide::kLimits, name.substr(kLimits.size())};
  if (name.starts_with(kRequests)) {
    return Amount{ResourceSide::kRequests, name.substr(kRequests.size())};
  }
  if (name == "cpu" || name == "memory" || name == "ephemeral-storage" ||
      name.starts_with("hugepages-")) {
    return Amount{ResourceSide::kRequests, name};
  }
  return std::nullopt;
}

std::int64_t pod_usage(std::string_view name, const Json& pod) {
  if (name == "count/pods") return kOne;
  if (is_finished(pod)) return 0;
  if (name == "pods") return kOne;
  const std::optional<Amount> amount = parse_amount(name);
  return amount ? pod_milli(pod, amount->side, amount->resource) : 0;
}

std::int64_t service_usage(std::string_view name, const Json& service) {
  const std::string& type = service.text_at({"spec", "type"});
  if (name == "services.loadbalancers") return type == "LoadBalancer" ? kOne : 0;
  if (name != "services.nodeports") return 0;
  if (type != "NodePort" && type != "LoadBalancer") return 0;
  return kOne * static_cast<std::int64_t>(service.get("spec").get("ports").size());
}

/// A claim's class, by the annotation that came before the member of its spec.
std::string_view class_of(const Json& claim) {
  const Json* annotation =
      claim.at({"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"});
  return annotation != nullptr ? annotation->text() : claim.text_at({"spec", "storageClassName"});
}

std::int64_t claim_usage(std::string_view name, const Json& claim) {
  constexpr std::string_view kOfClass = ".storageclass.storage.k8s.io/";
  if (const std::size_t at = name.find(kOfClass); at != std::string_view::npos) {
    if (name.substr(0, at) != class_of(claim)) return 0;
    name.remove_prefix(at + kOfClass.size());
  }
  if (name == "persistentvolumeclaims") return kOne;
  if (name != "requests.storage") return 0;
  return quantity_milli(claim.text_at({"spec", "resources", "requests", "storage"})).value_or(0);
}

bool is_best_effort(const Json& pod) {
  const std::string& known = pod.text_at({"status", "qosClass"});
  if (!known.empty()) return known == "BestEffort";
  for (const char* list : {"containers", "initContainers"}) {
    for (const Json& each : pod.get("spec").get(list).items()) {
      const Json& resources = each.get("resources");
      if (!resources.get("requests").empty() || !resources.get("limits").empty()) return false;
    }
  }
  return true;
}

bool scope_holds(std::string_view scope, const Json& pod) {
  const bool bounded = pod.get("spec").get("activeDeadlineSeconds").integer_or(-1) >= 0;
  if (scope == "Terminating") return bounded;
  if (scope == "NotTerminating") return !bounded;
  if (scope == "BestEffort") return is_best_effort(pod);
  if (scope == "NotBestEffort") return !is_best_effort(pod);
  if (scope == "PriorityClass") return !pod.text_at({"spec", "priorityClassName"}).empty();
  return true;
}

bool requirement_holds(const Json& requirement, const Json& pod) {
  const std::string& scope = requirement.get("scopeName").text();
  const std::string& op = requirement.get("operator").text();
  if (scope != "PriorityClass" || op == "Exists") return scope_holds(scope, pod);
  const std::string& name = pod.text_at({"spec", "priorityClassName"});
  if (op == "DoesNotExist") return name.empty();
  const bool listed = std::ranges::any_of(
      requirement.get("values").items(), [&name](const Json& each) { return each.text() == name; });
  return op == "In" ? listed : !listed;
}

}  // namespace

std::int64_t pod_milli(const Json& pod, ResourceSide side, std::string_view resource) {
  const ResourceList<> resources = pod_resources(JsonView(pod), side);
  const auto found = resources.find(resource);
  return found == resources.end() ? 0 : found->second.milli();
}

std::int64_t quota_usage(std::string_view name, const Resource& resource, const Json& object) {
  if (is_core(resource, "pods")) return pod_usage(name, object);
  if (name == "count/" + resource.qualified_name()) return kOne;
  if (!resource.group.empty()) return 0;
  if (name == resource.name) return kOne;
  if (resource.name == "services") return service_usage(name, object);
  if (resource.name == "persistentvolumeclaims") return claim_usage(name, object);
  return 0;
}

bool quota_applies(const Json& quota, const Resource& resource, const Json& object) {
  const Json& spec = quota.get("spec");
  const Json::Items& scopes = spec.get("scopes").items();
  const Json::Items& selector = spec.get("scopeSelector").get("matchExpressions").items();
  if (scopes.empty() && selector.empty()) return true;
  // Scopes are about pods; a quota with one says nothing about other kinds.
  if (!is_core(resource, "pods")) return false;
  return std::ranges::all_of(
             scopes, [&object](const Json& each) { return scope_holds(each.text(), object); }) &&
         std::ranges::all_of(
             selector, [&object](const Json& each) { return requirement_holds(each, object); });
}

std::string missing_amounts(const Json& hard, const Resource& resource, const Json& object) {
  if (!is_core(resource, "pods")) return "";
  // Containers may leave it to the pod.
  if (!object.get("spec").get("resources").empty()) return "";
  std::map<std::string, std::set<std::string>> missing;  // The containers of each amount.
  for (const Json::Member& bound : hard.members()) {
    const std::optional<Amount> amount = parse_amount(bound.key);
    if (!amount || (amount->resource != "cpu" && amount->resource != "memory")) continue;
    for (const char* list : {"containers", "initContainers"}) {
      for (const Json& each : object.get("spec").get(list).items()) {
        if (!each.text_at({"resources", side_text(amount->side), amount->resource}).empty())
          continue;
        missing[bound.key].insert(each.get("name").text());
      }
    }
  }
  std::string out;
  for (const auto& [name, containers] : missing) {
    if (!out.empty()) out += "; ";
    out += name + " for: ";
    for (const std::string& each : containers) {
      if (each != *containers.begin()) out += ',';
      out += each;
    }
  }
  return out;
}

}  // namespace davit::sandbox
