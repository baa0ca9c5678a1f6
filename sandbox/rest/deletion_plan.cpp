#include "sandbox/rest/deletion_plan.hpp"

#include <algorithm>
#include <davit/kube/time.hpp>

#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/meta.hpp"

namespace davit::sandbox {

namespace {

using Step = DeletionPlan::Step;

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

bool is_kind(const Resource& resource, std::string_view group, std::string_view name) {
  return resource.group == group && resource.name == name;
}

bool contains(const Json& list, std::string_view text) {
  return std::ranges::any_of(list.items(), [&](const Json& each) { return each.text() == text; });
}

/// The policy that counts: the request's, else the one that the object was marked with, else the
/// kind's.
Propagation effective_policy(const Resource& resource, const Json& finalizers,
                             Propagation requested) {
  if (requested != Propagation::kDefault) return requested;
  if (contains(finalizers, kOrphan)) return Propagation::kOrphan;
  if (contains(finalizers, kForeground)) return Propagation::kForeground;
  return resource.orphans_by_default ? Propagation::kOrphan : Propagation::kBackground;
}

/// Writes the finalizers of the garbage collector.
void update_finalizers(Json& object, const Resource& resource, Propagation requested) {
  Json& metadata = object["metadata"];
  const Json before = metadata.get("finalizers");
  const Propagation policy = effective_policy(resource, before, requested);
  Json after = Json::array();
  for (const Json& each : before.items()) {
    if (each.text() != kOrphan && each.text() != kForeground) after.push_back(each);
  }
  const bool has_dependents = resource.name != "events";
  if (has_dependents && policy == Propagation::kOrphan) after.push_back(kOrphan);
  if (has_dependents && policy == Propagation::kForeground) after.push_back(kForeground);
  if (after.items().empty()) {
    metadata.erase("finalizers");
  } else {
    metadata.set("finalizers", std::move(after));
  }
}

/// In how many seconds a pod is to end (k8s: podStrategy.CheckGracefulDelete).
std::int64_t pod_grace(const Json& pod, const DeleteOptions& options) {
  const std::string& phase = pod.text_at({"status", "phase"});
  const bool ended = phase == "Succeeded" || phase == "Failed";
  if (ended || pod.text_at({"spec", "nodeName"}).empty()) return 0;
  const std::int64_t own = pod.get("spec").get("terminationGracePeriodSeconds").integer_or(0);
  const std::int64_t seconds = options.grace_seconds.value_or(own);
  return seconds < 0 ? 1 : seconds;
}

std::string after(WallTime now, std::int64_t seconds) {
  return format_time(now + std::chrono::seconds(seconds));
}

/// A pod that is being deleted already: only an earlier end counts.
DeletionPlan shorten(const Json& pod, std::int64_t asked, WallTime now) {
  const std::int64_t granted = grace_seconds(pod).value_or(0);
  const auto ends = parse_time(pod.text_at({"metadata", "deletionTimestamp"}));
  if (asked >= granted || !ends) return {};
  const WallTime began = *ends - std::chrono::seconds(granted);
  std::int64_t grace = asked;
  WallTime deadline = began + std::chrono::seconds(asked);
  if (deadline < now) {
    deadline = now;
    grace = 1;  // Only a request for 0 may make it 0.
  }
  DeletionPlan plan{Step::kStore, pod};
  mark_deleted(plan.object, format_time(deadline), grace);
  return plan;
}

DeletionPlan plan_pod(const Json& current, Json marked, const DeleteOptions& options,
                      WallTime now) {
  const std::int64_t grace = pod_grace(current, options);
  const bool deleting = is_being_deleted(current);
  // A pod that is being deleted already goes at once only if it is asked for in so many words.
  const bool at_once =
      deleting ? options.grace_seconds == 0 || grace_seconds(current) == 0 : grace == 0;
  if (at_once) {
    mark_deleted(marked,
                 deleting ? current.text_at({"metadata", "deletionTimestamp"}) : after(now, 0), 0);
    if (has_finalizers(marked)) return {marked == current ? Step::kNothing : Step::kStore, marked};
    const bool marked_before = deleting && grace_seconds(current) == 0;
    return {marked_before ? Step::kRemove : Step::kStoreThenRemove, std::move(marked)};
  }
  // A later request names its period, or means no change.
  if (deleting) return options.grace_seconds ? shorten(current, grace, now) : DeletionPlan();
  mark_deleted(marked, after(now, grace), grace);
  return {Step::kStore, std::move(marked)};
}

DeletionPlan plan_namespace(const Json& current, Json marked, WallTime now) {
  if (!is_being_deleted(current)) {
    mark_deleted(marked, after(now, 0), std::nullopt);
    marked["status"].set("phase", "Terminating");
    return {Step::kStore, std::move(marked)};
  }
  const bool held =
      !current.get("spec").get("finalizers").items().empty() || has_finalizers(marked);
  return {held ? Step::kNothing : Step::kRemove, std::move(marked)};
}

/// Its objects are deleted first; until then it stays with a condition that reports this.
void hold_definition(Json& definition, std::string_view now) {
  Json& finalizers = definition["metadata"]["finalizers"];
  finalizers.make_array();
  if (!contains(finalizers, kCustomResourceCleanup)) finalizers.push_back(kCustomResourceCleanup);
  Json& conditions = definition["status"]["conditions"];
  conditions.make_array();
  const bool known = std::ranges::any_of(
      conditions.items(), [](const Json& each) { return each.text_at({"type"}) == "Terminating"; });
  if (known) return;
  conditions.push_back(Json::object({{"lastTransitionTime", now},
                                     {"message", "CustomResource deletion is in progress"},
                                     {"reason", "InstanceDeletionInProgress"},
                                     {"status", "True"},
                                     {"type", "Terminating"}}));
}

}  // namespace

DeletionPlan plan_deletion(const Resource& resource, const Json& current,
                           const DeleteOptions& options, WallTime now) {
  Json marked = current;
  const bool deleting = is_being_deleted(current);
  update_finalizers(marked, resource, options.propagation);
  if (is_kind(resource, "", "namespaces")) {
    return plan_namespace(current, std::move(marked), now);
  }
  if (resource.graceful_deletion) return plan_pod(current, std::move(marked), options, now);
  if (is_kind(resource, "apiextensions.k8s.io", "customresourcedefinitions") && !deleting) {
    hold_definition(marked, after(now, 0));
  }
  // An object that goes at once is not marked first: its last state is the stored one.
  if (!has_finalizers(marked)) return {Step::kRemove, current};
  mark_deleted(marked,
               deleting ? current.text_at({"metadata", "deletionTimestamp"}) : after(now, 0), 0);
  const bool changes = marked != current;
  return {changes ? Step::kStore : Step::kNothing, std::move(marked)};
}

}  // namespace davit::sandbox
