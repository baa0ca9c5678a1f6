#include "nodes/device_preparer.hpp"

#include <algorithm>
#include <utility>

#include "nodes/device_objects.hpp"
#include "nodes/device_scheduling.hpp"
#include "nodes/pod_settings.hpp"
#include "nodes/reflector.hpp"
#include "nodes/storage_objects.hpp"
#include "nodes/storage_view.hpp"

namespace davit::sandbox {
namespace {

/// A kubelet reads the claim from the server; here the pod may be seen before its claims.
constexpr Duration kReportAfter = std::chrono::seconds(2);
constexpr Duration kPrepareRetry = std::chrono::seconds(1);

}  // namespace

DevicePreparer::DevicePreparer(Seams seams, const DeviceView& view, Take take, WakePod wake)
    : seams_(seams), view_(view), take_(std::move(take)), wake_(std::move(wake)) {}

std::optional<Time> DevicePreparer::prepare(const Json& pod) {
  if (pod.get("spec").get("resourceClaims").size() == 0) return Time::min();
  const std::string& uid = pod.text_at({"metadata", "uid"});
  const auto [found, is_new] = pods_.try_emplace(uid);
  Preparation& preparation = found->second;
  const Time now = seams_.clock.now();
  if (is_new) preparation.since = now;
  preparation.pod = key_of(pod);
  if (preparation.ready) return preparation.ready;
  preparation.object = pod;
  std::string problem = find_claims(pod, preparation.claims);
  const std::string& wanted = annotation_of(pod, annotation::kPrepare);
  if (problem.empty() && wanted == "fail") {
    problem = std::string("NodePrepareResources: ") + kAnnotatedFailure;
  }
  if (!problem.empty() || wanted == "never") {
    wait(uid, preparation, std::move(problem));
    return std::nullopt;
  }
  bool all_reported = true;
  for (const std::string& each : preparation.claims) {
    all_reported = report_devices(uid, each) && all_reported;
  }
  if (!all_reported) return std::nullopt;
  due_.drop(uid);
  preparation.object = Json();
  preparation.ready =
      now + annotated_seconds(pod, annotation::kPrepareSeconds).value_or(Duration{0});
  return preparation.ready;
}

std::string DevicePreparer::find_claims(const Json& pod, std::set<std::string>& names) const {
  names.clear();
  std::string problem;
  for (const PodDevices& each : pod_devices(pod)) {
    if (each.not_needed) continue;
    if (!each.problem.empty()) return each.problem;
    names.insert(each.claim);
    if (!problem.empty()) continue;
    const std::string name = each.claim.substr(each.claim.find('/') + 1);
    const Json* const claim = view_.find(DeviceKind::kClaim, each.claim);
    if (claim == nullptr) {
      problem = "fetch ResourceClaim " + name + ": resourceclaims.resource.k8s.io \"" + name +
                "\" not found";
    } else if (std::string owner = owner_problem(pod, each, *claim); !owner.empty()) {
      problem = std::move(owner);
    } else if (!is_reserved_for(*claim, pod)) {
      problem = "pod " + pod.text_at({"metadata", "name"}) + " (" +
                pod.text_at({"metadata", "uid"}) + ") is not allowed to use ResourceClaim " + name +
                " (" + claim->text_at({"metadata", "uid"}) + ")";
    } else if (!claim->get("status").contains("allocation")) {
      problem = "ResourceClaim " + name + ": claim is not allocated";
    }
  }
  return problem;
}

bool DevicePreparer::report_devices(const std::string& uid, const std::string& claim) {
  const Json* const object = view_.find(DeviceKind::kClaim, claim);
  if (object == nullptr) return false;  // Its deletion has woken the pod.
  const Json body = prepared_devices(*object, seams_.clock.wall_now());
  if (body.is_null()) return true;
  if (!pods_.at(uid).writing.insert(claim).second) return false;
  seams_.api.send(
      {"PATCH", device_target(DeviceKind::kClaim, claim) + "/status", to_text(body), kMerge},
      [this, uid, claim](const ApiResponse& response) { reported(uid, claim, response); });
  return false;
}

void DevicePreparer::reported(const std::string& uid, const std::string& claim,
                              const ApiResponse& response) {
  if (response.ok()) {
    Result<Json> object = parse_json(response.body);
    if (object) (void)take_(std::move(*object));
  }
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  found->second.writing.erase(claim);
  if (response.ok()) return wake_(found->second.pod);
  due_.set(uid, seams_.clock.now() + std::max(kPrepareRetry, response.retry_after));
}

void DevicePreparer::wait(const std::string& uid, Preparation& preparation, std::string problem) {
  preparation.problem = std::move(problem);
  const Time late = preparation.since + kReportAfter;
  if (seams_.clock.now() >= late) return post_event(preparation);
  due_.set(uid, late);
}

void DevicePreparer::post_event(Preparation& preparation) {
  if (preparation.problem.empty() || preparation.reported == preparation.problem) return;
  preparation.reported = preparation.problem;
  const StorageEvent event{
      "kubelet", "Warning", "FailedPrepareDynamicResources",
      "Failed to prepare dynamic resources: prepare dynamic resources: " + preparation.problem};
  seams_.api.send({"POST", event_target(preparation.object),
                   to_text(event_body("Pod", preparation.object, event, seams_.clock.wall_now())),
                   "application/json"},
                  [](const ApiResponse&) {});  // Events are for people; a lost one is no harm.
}

void DevicePreparer::release(const std::string& uid) {
  pods_.erase(uid);
  due_.drop(uid);
}

void DevicePreparer::claim_changed(const std::string& name) {
  for (const auto& [uid, each] : pods_) {
    if (!each.ready && each.claims.contains(name)) wake_(each.pod);
  }
}

Time DevicePreparer::step() {
  const Time now = seams_.clock.now();
  while (const std::optional<std::string> uid = due_.take(now)) {
    const auto found = pods_.find(*uid);
    if (found != pods_.end()) wake_(found->second.pod);
  }
  return due_.next();
}

}  // namespace davit::sandbox
