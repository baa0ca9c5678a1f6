#include "plugins/nodelifecycle/pod_deletion.hpp"

#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <string_view>
#include <utility>

namespace davit::nodelifecycle {
namespace {

constexpr std::string_view kType = "DisruptionTarget";
constexpr std::string_view kReason = "DeletionByTaintManager";
constexpr std::string_view kMessage = "Taint manager: deleting due to NoExecute taint";

bool says_so(const ConditionView& present) {
  return present.is_true() && present.reason() == kReason && present.message() == kMessage &&
         present.value()[&Names::last_probe_time].string().empty();
}

void write_order(const Pod& pod, JsonWriter& body) {
  body.key("$setElementOrder/conditions").begin_array();
  bool is_there = false;
  for (const Value each : pod.status()[&Names::conditions].elements()) {
    const std::string_view type = ConditionView(each).type();
    is_there = is_there || type == kType;
    body.begin_object().member("type", type).end_object();
  }
  if (!is_there) body.begin_object().member("type", kType).end_object();
  body.end_array();
}

}  // namespace

std::optional<std::string> disruption_patch(const Pod& pod, WallTime now) {
  const std::optional<ConditionView> present = pod.condition(kType);
  if (present && says_so(*present)) return std::nullopt;
  std::string since = format_time(now);
  if (present && present->is_true()) {
    since = present->value()[&Names::last_transition_time].string();
  }
  JsonWriter body;
  body.begin_object().key("metadata").begin_object().member("uid", pod.uid()).end_object();
  body.key("status").begin_object();
  write_order(pod, body);
  body.key("conditions").begin_array().begin_object();
  body.member("type", kType).member("status", "True").member("reason", kReason);
  body.member("message", kMessage).member("observedGeneration", pod.generation());
  body.key("lastProbeTime").null().member("lastTransitionTime", since);
  body.end_object().end_array().end_object().end_object();
  return std::move(body).text();
}

Status delete_pod(const Client& client, const PodIdentity& pod, WallTime now) {
  const Result<Pod> live = client.get<Pod>(pod.key);
  if (!live) return live.error();
  const std::string uid(mutant("eviction-uid") ? live->uid() : pod.uid);
  if (live->uid() != uid) return {};
  if (std::optional<std::string> body = disruption_patch(*live, now)) {
    const Status patched = client
                               .patch<Pod>(pod.key, PatchType::kStrategic, std::move(*body),
                                           {.subresource = "status", .answer = Answer::kMetadata})
                               .error();
    if (!patched.ok()) return patched;
  }
  return client.remove<Pod>(pod.key, {.uid = uid});
}

}  // namespace davit::nodelifecycle
