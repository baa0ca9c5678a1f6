#include "sandbox/kinds/server_times.hpp"

#include <string_view>

#include "sandbox/kinds/checks.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kDevices = "resource.k8s.io";

/// A taint without a time has been there since now.
void set_taint_time(Json& taint, const std::string& now) {
  if (taint.is_object() && !is_set(taint, "timeAdded")) taint.set("timeAdded", now);
}

void set_slice_times(Json& object, const std::string& now) {
  Json* const devices = object.at({"spec", "devices"});
  if (devices == nullptr || !devices->is_array()) return;
  for (Json& device : devices->make_array()) {
    Json* const taints = device.find("taints");
    if (taints == nullptr || !taints->is_array()) continue;
    for (Json& each : taints->make_array()) set_taint_time(each, now);
  }
}

/// The time is that of the effect: it follows an effect that changes, unless the client sets it.
void set_rule_times(Json& object, const Json* old, const std::string& now) {
  Json* const taint = object.at({"spec", "taint"});
  if (taint == nullptr) return;
  set_taint_time(*taint, now);
  if (old == nullptr) return;
  const Json& before = old->get("spec").get("taint");
  if (taint->get("effect") == before.get("effect")) return;
  if (taint->get("timeAdded") == before.get("timeAdded")) taint->set("timeAdded", now);
}

}  // namespace

void set_times(const Resource& resource, Json& object, const Json* old, const std::string& now) {
  if (resource.group != kDevices) return;
  if (resource.name == "resourceslices") set_slice_times(object, now);
  if (resource.name == "devicetaintrules") set_rule_times(object, old, now);
}

}  // namespace davit::sandbox
