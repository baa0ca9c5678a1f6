#include "nodes/device_scheduling.hpp"

#include <algorithm>
#include <chrono>
#include <davit/kube/time.hpp>
#include <utility>

#include "nodes/device_pools.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {
namespace {

constexpr char kDeviceFinalizer[] = "resource.kubernetes.io/delete-protection";
/// ResourceClaimReservedForMaxSize.
constexpr std::size_t kConsumersMax = 256;

std::string pod_name(const Json& pod) {
  return pod.text_at({"metadata", "namespace"}) + "/" + pod.text_at({"metadata", "name"});
}

bool has_allocation(const Json& claim) {
  const Json* const allocation = claim.at({"status", "allocation"});
  return allocation != nullptr && allocation->is_object();
}

const std::string& uid_of(const Json& object) { return object.text_at({"metadata", "uid"}); }

/// Why the class of a request does not exist; empty: it does.
std::string class_problem(const DeviceView& view, const Json& spec, const std::string& request) {
  const std::string& name = spec.get("deviceClassName").text();
  if (view.find(DeviceKind::kClass, name) != nullptr) return "";
  return "request " + request + ": device class " + name + " does not exist";
}

/// Why no node can have the claim's devices.
std::string claim_problem(const DeviceView& view, const Json& claim) {
  for (const Json& request : claim.get("spec").get("devices").get("requests").items()) {
    const std::string& name = request.get("name").text();
    const Json* const exactly = request.find("exactly");
    if (exactly == nullptr && request.get("firstAvailable").size() == 0) {
      return "resource claim " + storage_name(claim) + ", request " + name +
             ": unknown request type";
    }
    std::string problem = exactly == nullptr ? "" : class_problem(view, *exactly, name);
    for (const Json& each : request.get("firstAvailable").items()) {
      if (problem.empty()) {
        problem = class_problem(view, each, name + "/" + each.get("name").text());
      }
    }
    if (!problem.empty()) return problem;
  }
  return "";
}

/// The metadata by which a write is refused when the claim has changed.
Json guard_of(const Json& claim) {
  const Json& metadata = claim.get("metadata");
  return Json::object(
      {{"uid", metadata.get("uid")}, {"resourceVersion", metadata.get("resourceVersion")}});
}

ApiCall status_patch(const Json& claim, Json status) {
  const Json body = Json::object({{"metadata", guard_of(claim)}, {"status", std::move(status)}});
  return {"PATCH", device_target(DeviceKind::kClaim, storage_name(claim)) + "/status",
          to_text(body), kMerge};
}

ApiCall finalizer_patch(const Json& claim) {
  Json metadata = guard_of(claim);
  Json finalizers = claim.get("metadata").get("finalizers");
  finalizers.make_array().emplace_back(kDeviceFinalizer);
  metadata.set("finalizers", std::move(finalizers));
  return {"PATCH", device_target(DeviceKind::kClaim, storage_name(claim)),
          to_text(Json::object({{"metadata", std::move(metadata)}})), kMerge};
}

ApiCall reservation_patch(const Json& claim, const Json& pod, const Json* allocation,
                          WallTime now) {
  Json consumers = claim.get("status").get("reservedFor");
  consumers.make_array().push_back(Json::object({{"resource", "pods"},
                                                 {"name", pod.get("metadata").get("name")},
                                                 {"uid", pod.get("metadata").get("uid")}}));
  Json status = Json::object({{"reservedFor", std::move(consumers)}});
  if (allocation != nullptr) {
    Json whole = *allocation;
    whole.set("allocationTimestamp", format_time(now));
    status.set("allocation", std::move(whole));
  }
  return status_patch(claim, std::move(status));
}

/// Whether the driver reports the condition of an allocated device as True.
bool is_reported(const Json& status, const Json& result, const Json& type) {
  for (const Json& each : status.get("devices").items()) {
    const auto same = [&](const char* member) { return each.get(member) == result.get(member); };
    if (!same("driver") || !same("pool") || !same("device") || !same("shareID")) continue;
    const Json::Items& conditions = each.get("conditions").items();
    return std::any_of(conditions.begin(), conditions.end(), [&](const Json& condition) {
      return condition.get("type") == type && condition.get("status").text() == "True";
    });
  }
  return false;
}

/// All claims are reserved for the pod.
ClaimStep step_of_bindings(const DeviceView& view, const Json& pod, WallTime now) {
  ClaimStep out;
  for (const PodDevices& each : pod_devices(pod)) {
    const Json* const claim = each.not_needed ? nullptr : view.find(DeviceKind::kClaim, each.claim);
    if (claim == nullptr) continue;
    const DeviceBinding binding = binding_of(*claim, now);
    if (binding == DeviceBinding::kFailed) return {ClaimStep::Kind::kLost, {}, {}};
    if (binding == DeviceBinding::kPending) out.kind = ClaimStep::Kind::kWait;
  }
  return out;
}

}  // namespace

std::vector<PodDevices> pod_devices(const Json& pod) {
  std::vector<PodDevices> out;
  const std::string ns = pod.text_at({"metadata", "namespace"}) + "/";
  for (const Json& each : pod.get("spec").get("resourceClaims").items()) {
    PodDevices entry;
    if (const std::string& name = each.get("resourceClaimName").text(); !name.empty()) {
      entry.claim = ns + name;
    } else if (each.get("resourceClaimTemplateName").text().empty()) {
      entry.problem = "pod \"" + pod_name(pod) + "\", spec.resourceClaim \"" +
                      each.get("name").text() + "\": none of the supported fields are set";
    } else {
      entry.generated = true;
      entry.problem = "pod \"" + pod_name(pod) + "\": ResourceClaim not created yet";
      for (const Json& known : pod.get("status").get("resourceClaimStatuses").items()) {
        if (known.get("name") != each.get("name")) continue;
        const std::string& name = known.get("resourceClaimName").text();
        entry.problem.clear();
        entry.not_needed = name.empty();
        if (!name.empty()) entry.claim = ns + name;
      }
    }
    out.push_back(std::move(entry));
  }
  return out;
}

std::string owner_problem(const Json& pod, const PodDevices& entry, const Json& claim) {
  if (!entry.generated) return "";
  for (const Json& each : claim.get("metadata").get("ownerReferences").items()) {
    if (each.get("controller").boolean() && each.get("uid").text() == uid_of(pod)) return "";
  }
  return "ResourceClaim " + entry.claim + " was not created for Pod " + pod_name(pod) +
         " (Pod is not owner)";
}

bool is_reserved_for(const Json& claim, const Json& pod) {
  const Json::Items& all = claim.get("status").get("reservedFor").items();
  return std::any_of(all.begin(), all.end(),
                     [&](const Json& each) { return each.get("uid").text() == uid_of(pod); });
}

DeviceClaims scheduling_devices(const DeviceView& view, const Json& pod,
                                const std::set<std::string>& pending) {
  DeviceClaims out;
  if (!view.is_listed()) {
    out.is_ready = false;
    return out;
  }
  for (const PodDevices& each : pod_devices(pod)) {
    if (each.not_needed) continue;
    const Json* const claim = view.find(DeviceKind::kClaim, each.claim);
    if (claim == nullptr || is_deleting(*claim) || !owner_problem(pod, each, *claim).empty()) {
      out.is_ready = false;
      return out;
    }
    out.claims.push_back(claim);
  }
  for (const Json* claim : out.claims) {
    if (has_allocation(*claim)) {
      const bool is_full = claim->get("status").get("reservedFor").size() >= kConsumersMax;
      if (is_full && !is_reserved_for(*claim, pod)) out.refusal = "resourceclaim in use";
    } else if (pending.contains(uid_of(*claim))) {
      out.refusal =
          "resource claim " + storage_name(*claim) + " is in the process of being allocated";
    } else {
      out.to_find.push_back(claim);
      out.refusal = claim_problem(view, *claim);
    }
    if (!out.refusal.empty()) return out;
  }
  return out;
}

DeviceBinding binding_of(const Json& claim, WallTime now) {
  constexpr std::chrono::minutes kTimeout{10};
  const Json& status = claim.get("status");
  const Json& allocation = status.get("allocation");
  bool is_pending = false;
  for (const Json& result : allocation.get("devices").get("results").items()) {
    const Json& wanted = result.get("bindingConditions");
    if (wanted.size() == 0) continue;
    const auto is_true = [&](const Json& type) { return is_reported(status, result, type); };
    const Json::Items& failures = result.get("bindingFailureConditions").items();
    if (std::any_of(failures.begin(), failures.end(), is_true)) return DeviceBinding::kFailed;
    is_pending = is_pending || !std::all_of(wanted.items().begin(), wanted.items().end(), is_true);
  }
  if (!is_pending) return DeviceBinding::kReady;
  const std::optional<WallTime> since = parse_time(allocation.get("allocationTimestamp").text());
  return since && *since + kTimeout < now ? DeviceBinding::kFailed : DeviceBinding::kPending;
}

std::string DeviceFit::refusal(const NodeCapacity& node) {
  if (!error_.empty()) return error_;
  bool is_elsewhere = false;
  for (const Json* claim : claims_.claims) {
    const Json* const reach = claim->at({"status", "allocation", "nodeSelector"});
    const bool is_here = reach == nullptr || selects_node(*reach, node);
    if (is_here && binding_of(*claim, now_) != DeviceBinding::kFailed) continue;
    elsewhere_.insert(claim);
    is_elsewhere = true;
  }
  if (!claims_.to_find.empty()) {
    Result<DeviceChoice> choice = allocate_devices(question_, claims_.to_find, node);
    if (!choice) return error_ = choice.error().message();
    if (!choice->allocations) return choice->refusal;
    found_[node.name] = std::move(*choice->allocations);
  }
  return is_elsewhere ? "resourceclaim not available on the node" : "";
}

std::int64_t DeviceFit::score(const NodeCapacity& node) const {
  const auto found = found_.find(node.name);
  return found == found_.end() ? 0 : preference_of(claims_.to_find, found->second);
}

DeviceFit::Allocations DeviceFit::allocations(const NodeCapacity& node) const {
  Allocations out;
  const auto found = found_.find(node.name);
  if (found == found_.end()) return out;
  for (std::size_t i = 0; i < claims_.to_find.size(); ++i) {
    out.emplace(uid_of(*claims_.to_find[i]), found->second[i]);
  }
  return out;
}

ClaimStep next_claim_step(const DeviceView& view, const Json& pod,
                          const DeviceFit::Allocations& allocations, WallTime now) {
  const ClaimStep lost{ClaimStep::Kind::kLost, {}, {}};
  for (const PodDevices& each : pod_devices(pod)) {
    if (each.not_needed) continue;
    const auto write = [&each](ApiCall call) {
      return ClaimStep{ClaimStep::Kind::kWrite, std::move(call), each.claim};
    };
    const Json* const claim = view.find(DeviceKind::kClaim, each.claim);
    if (claim == nullptr || is_deleting(*claim) || !owner_problem(pod, each, *claim).empty()) {
      return lost;
    }
    if (is_reserved_for(*claim, pod)) continue;
    if (claim->get("status").get("reservedFor").size() >= kConsumersMax) return lost;
    const auto planned = allocations.find(uid_of(*claim));
    if (has_allocation(*claim)) {
      if (planned != allocations.end()) return lost;  // Somebody else was faster.
      return write(reservation_patch(*claim, pod, nullptr, now));
    }
    if (planned == allocations.end()) return lost;
    if (!has_finalizer(*claim, kDeviceFinalizer)) return write(finalizer_patch(*claim));
    return write(reservation_patch(*claim, pod, &planned->second, now));
  }
  return step_of_bindings(view, pod, now);
}

ApiCall unreserve_call(const Json& claim, const Json& pod) {
  const Json consumer = Json::object({{"$patch", "delete"}, {"uid", uid_of(pod)}});
  const Json body =
      Json::object({{"metadata", Json::object({{"uid", uid_of(claim)}})},
                    {"status", Json::object({{"reservedFor", Json::array({consumer})}})}});
  return {"PATCH", device_target(DeviceKind::kClaim, storage_name(claim)) + "/status",
          to_text(body), kStrategic};
}

std::optional<ApiCall> deallocate_call(const Json& claim, const Json& pod) {
  const Json::Items& consumers = claim.get("status").get("reservedFor").items();
  const bool is_alone = std::all_of(consumers.begin(), consumers.end(), [&](const Json& each) {
    return each.get("uid").text() == uid_of(pod);
  });
  if (!is_alone) return std::nullopt;
  return status_patch(
      claim, Json::object({{"allocation", Json()}, {"reservedFor", Json()}, {"devices", Json()}}));
}

}  // namespace davit::sandbox
