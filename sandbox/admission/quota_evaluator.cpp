#include "sandbox/admission/quota_evaluator.hpp"

#include <davit/kube/quota_scopes.hpp>
#include <davit/kube/quota_usage.hpp>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "lib/kube/json_view.hpp"

namespace davit::sandbox {

namespace {

/// Admission counts a pod until it is gone: it has no clock to see its time to end run out.
constexpr WallTime kBeforeAnyEnd = WallTime::min();

bool is_core(const Collection& collection, std::string_view name) {
  return collection.group.empty() && collection.resource == name;
}

/// A name of a quota as containers write it: which side, and "cpu" or "memory".
struct Bounded {
  ResourceSide side = ResourceSide::kRequests;
  std::string_view resource;
};

/// "limits.cpu", "requests.cpu", or "cpu", which means requests. Nothing for other resources.
std::optional<Bounded> parse_bounded(std::string_view name) {
  Bounded out{ResourceSide::kRequests, name};
  if (name.starts_with(quota::kLimitsPrefix)) {
    out = {ResourceSide::kLimits, name.substr(quota::kLimitsPrefix.size())};
  } else if (name.starts_with(quota::kRequestsPrefix)) {
    out.resource = name.substr(quota::kRequestsPrefix.size());
  }
  const bool is_bounded = out.resource == "cpu" || out.resource == "memory";
  return is_bounded ? std::optional(out) : std::nullopt;
}

}  // namespace

Amounts quota_usage(const Collection& collection, const Json& object) {
  const JsonView view(object);
  if (is_core(collection, "pods")) return quota::pod_usage(view, kBeforeAnyEnd);
  if (is_core(collection, "services")) return quota::service_usage(view);
  if (is_core(collection, "persistentvolumeclaims")) return quota::volume_claim_usage(view);
  Amounts out;
  const bool is_of_core = collection.group.empty();
  const std::string suffix = is_of_core ? "" : '.' + collection.group;
  out["count/" + collection.resource + suffix] = Amount::whole(1);
  if (is_of_core) out[collection.resource] = Amount::whole(1);
  return out;
}

bool quota_applies(const Json& quota, const Collection& collection, const Json& object) {
  const std::vector<quota::ScopeTerm> terms = quota::scope_terms(JsonView(quota));
  const JsonView view(object);
  const quota::Scoped scoped = is_core(collection, "pods") ? quota::scope_of_pod(terms, view)
                               : is_core(collection, "persistentvolumeclaims")
                                   ? quota::scope_of_volume_claim(terms, view)
                                   : quota::scope_of_other(terms);
  return scoped == quota::Scoped::kInside;
}

std::string missing_amounts(const Json& hard, const Collection& collection, const Json& object) {
  if (!is_core(collection, "pods")) return "";
  // Containers may leave it to the pod.
  if (!object.get("spec").get("resources").empty()) return "";
  std::map<std::string, std::set<std::string>> missing;  // The containers of each amount.
  for (const Json::Member& bound : hard.members()) {
    const std::optional<Bounded> bounded = parse_bounded(bound.key);
    if (!bounded) continue;
    for (const char* list : {"containers", "initContainers"}) {
      for (const Json& each : object.get("spec").get(list).items()) {
        if (!each.text_at({"resources", side_text(bounded->side), bounded->resource}).empty())
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
