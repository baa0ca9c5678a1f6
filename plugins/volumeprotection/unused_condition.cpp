#include "plugins/volumeprotection/unused_condition.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/kube/condition.hpp>
#include <davit/kube/time.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/shared/volumes/claim_pods.hpp"

namespace davit::volumeprotection {
namespace {

constexpr std::string_view kUnused = "Unused";

void write_condition(JsonWriter& out, bool is_used, WallTime now) {
  out.begin_object().member("type", kUnused).member("status", is_used ? "False" : "True");
  out.key("lastProbeTime").null().member("lastTransitionTime", format_time(now));
  out.member("reason", is_used ? "PodUsingPVC" : "NoPodsUsingPVC");
  out.member("message", is_used ? "A pod is currently referencing this PVC"
                                : "No pods are currently referencing this PVC");
  out.end_object();
}

}  // namespace

std::optional<std::string> unused_condition_patch(const volumes::Claim& claim, bool is_used,
                                                  WallTime now) {
  const Value conditions = claim.status()["conditions"];
  std::optional<ConditionView> present;
  for (const Value each : conditions.elements()) {
    if (ConditionView(each).type() == kUnused) present.emplace(each);
  }
  const bool says_unused = present && present->is_true();
  if (present && says_unused != is_used) return std::nullopt;
  JsonWriter out;
  out.begin_object().key("metadata").begin_object().member("uid", claim.uid());
  out.member("resourceVersion", claim.resource_version()).end_object();
  out.key("status").begin_object().key("conditions").begin_array();
  for (const Value each : conditions.elements()) {
    if (ConditionView(each).type() == kUnused) {
      write_condition(out, is_used, now);
    } else {
      out.value(each);
    }
  }
  if (!present) write_condition(out, is_used, now);
  out.end_array().end_object().end_object();
  return std::move(out).text();
}

UnusedCondition::UnusedCondition(Context& cluster, const Informer<volumes::Claim>& claims,
                                 const Informer<Pod>& pods)
    : cluster_(cluster),
      claims_(claims),
      pods_(pods),
      queue_(cluster.open_queue({.name = "pvcprotection_unused"},
                                [this](const Key& key) { return sync(key); })) {
  cluster.add_index(pods, volumes::kByClaimName, volumes::kClaimNamePath);
}

void UnusedCondition::add_claims_of(const Pod& pod) const {
  for (const Value each : pod.spec()["volumes"].elements()) {
    const std::string name = volumes::claim_name(pod, each);
    if (!name.empty()) queue_.add(Key{std::string(pod.ns()), name});
  }
}

bool UnusedCondition::is_used(const volumes::Claim& claim) const {
  const std::vector<Pod> pods = volumes::pods_of_claim(pods_, claim.ns(), claim.name());
  return std::any_of(pods.begin(), pods.end(), [&claim](const Pod& pod) {
    return volumes::any_volume(pod, [&](Value volume) {
      if (volumes::claim_name(pod, volume) != claim.name()) return false;
      return !volumes::is_ephemeral(volume) || claim.is_controlled_by(pod);
    });
  });
}

Result<Again> UnusedCondition::sync(const Key& key) const {
  const Lookup<volumes::Claim> claim = claims_.get(key);
  if (!claim || claim->is_being_deleted()) return Again::when_changed();
  std::optional<std::string> patch =
      unused_condition_patch(*claim, is_used(*claim), cluster_.wall_now());
  if (!patch) return Again::when_changed();
  Status written =
      cluster_.client()
          .patch<volumes::Claim>(key, PatchType::kMerge, *std::move(patch),
                                 {.subresource = "status", .answer = Answer::kMetadata})
          .error()
          .unless(Code::kNotFound);
  if (!written.ok()) return written;
  return Again::when_changed();
}

}  // namespace davit::volumeprotection
