// k8s: plugin/pkg/admission/runtimeclass.
#include <algorithm>
#include <utility>

#include "sandbox/admission/chain.hpp"

namespace davit::sandbox {

namespace {

/// The class that the pod names; null if it names none or the class does not exist.
Json named_class(const Json& pod, const ObjectLookup& objects) {
  const std::string& name = pod.text_at({"spec", "runtimeClassName"});
  if (name.empty()) return {};
  const VersionPtr found = objects.get({"node.k8s.io", "runtimeclasses"}, "", name);
  return found == nullptr ? Json() : found->json();
}

bool same_quantities(const Json& a, const Json& b) {
  return a.size() == b.size() && std::ranges::all_of(a.members(), [&b](const Json::Member& each) {
           const Json* other = b.find(each.key);
           return other != nullptr && quantity_milli(each.value.text()).value_or(0) ==
                                          quantity_milli(other->text()).value_or(0);
         });
}

/// Whether `broad` covers `narrow`, so that having the first suffices (upstream: isSuperset).
bool includes(const Json& broad, const Json& narrow) {
  if (broad == narrow) return true;
  const std::string& key = broad.get("key").text();
  const std::string& op = broad.get("operator").text();
  const std::string& effect = broad.get("effect").text();
  const bool every_key = key.empty() && op == "Exists";
  if (!every_key && key != narrow.get("key").text()) return false;
  if (!effect.empty() && effect != narrow.get("effect").text()) return false;
  const Json& seconds = broad.get("tolerationSeconds");
  const Json& fewer = narrow.get("tolerationSeconds");
  if (effect == "NoExecute" && !seconds.is_null() &&
      (fewer.is_null() || fewer.integer_or(0) > seconds.integer_or(0))) {
    return false;
  }
  if (op == "Exists") return true;
  const bool equal = op.empty() || op == "Equal";
  return equal && narrow.get("operator").text() == "Equal" &&
         narrow.get("value").text() == broad.get("value").text();
}

/// Both lists without what another toleration includes (MergeTolerations of upstream).
Json merge_tolerations(const Json& first, const Json& second) {
  Json::Items all = first.items();
  all.insert(all.end(), second.items().begin(), second.items().end());
  Json out = Json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto by_earlier = [&](const Json& each) { return includes(each, all[i]); };
    const auto by_later = [&](const Json& each) {
      return each != all[i] && includes(each, all[i]);
    };
    const auto later = all.begin() + static_cast<Json::Items::difference_type>(i) + 1;
    if (std::ranges::any_of(out.items(), by_earlier) || std::any_of(later, all.end(), by_later)) {
      continue;
    }
    out.push_back(all[i]);
  }
  return out;
}

constexpr const char* kOtherOverhead =
    "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

}  // namespace

ApiFailure apply_runtime_class(const WriteRequest& request, Json& pod,
                               const ObjectLookup& objects) {
  const std::string name = pod.text_at({"spec", "runtimeClassName"});
  if (name.empty()) return std::nullopt;
  const Json found = named_class(pod, objects);
  if (found.is_null()) {
    return refuse(request, pod, "pod rejected: RuntimeClass " + to_text(Json(name)) + " not found");
  }
  Json& spec = pod["spec"];
  if (const Json* fixed = found.at({"overhead", "podFixed"})) {
    if (!spec.get("overhead").empty() && !same_quantities(spec.get("overhead"), *fixed)) {
      return refuse(request, pod, kOtherOverhead);
    }
    spec.set("overhead", *fixed);
  }
  const Json& scheduling = found.get("scheduling");
  for (const auto& [key, value] : scheduling.get("nodeSelector").members()) {
    const Json* own = spec.get("nodeSelector").find(key);
    if (own != nullptr && *own != value) {
      return refuse(request, pod,
                    "conflict: runtimeClass.scheduling.nodeSelector[" + key + "] = " +
                        value.text() + "; pod.spec.nodeSelector[" + key + "] = " + own->text());
    }
    if (own == nullptr) spec["nodeSelector"].set(key, value);
  }
  if (scheduling.is_object()) {
    Json merged = merge_tolerations(spec.get("tolerations"), scheduling.get("tolerations"));
    if (!merged.empty()) spec.set("tolerations", std::move(merged));
  }
  return std::nullopt;
}

ApiFailure check_overhead(const WriteRequest& request, const Json& pod,
                          const ObjectLookup& objects) {
  if (!is_write_of(request, "", "pods")) return std::nullopt;
  const Json& spec = pod.get("spec");
  const Json found = named_class(pod, objects);
  if (!found.get("overhead").is_object()) {
    if (!spec.contains("overhead")) return std::nullopt;
    return refuse(request, pod,
                  "pod rejected: Pod Overhead set without corresponding RuntimeClass defined "
                  "Overhead");
  }
  // The class may have changed since it was applied.
  if (same_quantities(spec.get("overhead"), found.get("overhead").get("podFixed"))) {
    return std::nullopt;
  }
  return refuse(request, pod, kOtherOverhead);
}

}  // namespace davit::sandbox
