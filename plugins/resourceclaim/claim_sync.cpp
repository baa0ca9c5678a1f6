#include "plugins/resourceclaim/claim_sync.hpp"

#include <davit/mutant.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "plugins/resourceclaim/bodies.hpp"

namespace davit::resourceclaim {

Result<Again> ClaimSync::sync(const Key& key) const {
  const Lookup<Claim> cached = parts_.claims.get(key);
  if (!cached) return Again::when_changed();
  const Result<std::vector<Value>> kept = kept_consumers(*cached);
  if (!kept) return kept.error();
  Claim claim = *cached;
  const bool is_held = claim.has_finalizer(kFinalizer);
  const bool drops = kept->size() < claim.reserved_for().count();
  const bool ends = is_held && claim.is_being_deleted() && kept->empty();
  if (drops || (ends && claim.is_allocated())) {
    const Result<Claim> written = release(claim, *kept);
    if (!written) return written.error();
    claim = *written;
  }
  if ((drops || ends) && kept->empty() && claim.has_finalizer(kFinalizer) &&
      !claim.is_allocated()) {
    const Result<Claim> written = remove_finalizer(claim);
    if (!written) return written.error();
    claim = *written;
  }
  if (!kept->empty()) return Again::when_changed();
  if (Status s = delete_if_unused(claim); !s.ok()) return s;
  return Again::when_changed();
}

Result<std::vector<Value>> ClaimSync::kept_consumers(const Claim& claim) const {
  std::vector<Value> kept;
  for (const Value each : claim.reserved_for().elements()) {
    const Result<bool> ended = has_ended(claim, each);
    if (!ended) return ended.error();
    if (!*ended) kept.push_back(each);
  }
  return kept;
}

Result<bool> ClaimSync::has_ended(const Claim& claim, Value consumer) const {
  const std::string_view group = consumer["apiGroup"].string();
  const std::string_view resource = consumer["resource"].string();
  const std::string_view uid = consumer[&Names::uid].string();
  const Key key{std::string(claim.ns()), std::string(consumer[&Names::name].string())};
  if (group.empty() && resource == Pod::kResource.resource) {
    if (deleted_.has(uid)) return true;
    const Lookup<Pod> pod = parts_.pods.get(key);
    if (pod && pod->uid() == uid) return is_done(*pod);
    if (mutant("reservation-of-a-new-pod")) return true;
    return is_gone<Pod>(key, uid);
  }
  if (parts_.pod_groups && group == kScheduling && resource == PodGroup::kResource.resource) {
    if (deleted_.has(uid)) return true;
    const Lookup<PodGroup> pod_group = parts_.pod_groups->get(key);
    if (pod_group && pod_group->uid() == uid) return false;
    return is_gone<PodGroup>(key, uid);
  }
  return false;
}

template <typename View>
Result<bool> ClaimSync::is_gone(const Key& key, std::string_view uid) const {
  const Client client = parts_.cluster.client();
  const Result<View> live = client.get<View>(key);
  if (live) return live->uid() != uid;
  if (live.error().code() != Code::kNotFound) return live.error();
  if constexpr (!std::is_same_v<View, Pod>) {
    // A server that lacks the resource says nothing about its objects.
    const Status served = client.resource_exists(View::kResource);
    if (!served.ok()) return served;
  }
  return true;
}

Result<Claim> ClaimSync::release(const Claim& claim, const std::vector<Value>& kept) const {
  const bool goes = kept.empty() && claim.is_allocated() && claim.has_finalizer(kFinalizer);
  return parts_.cluster.client().patch<Claim>(
      claim.key(), PatchType::kMerge,
      release_patch(claim, kept, goes ? Allocation::kGoes : Allocation::kStays),
      {.subresource = "status"});
}

Result<Claim> ClaimSync::remove_finalizer(const Claim& claim) const {
  return parts_.cluster.client().patch<Claim>(claim.key(), PatchType::kMerge,
                                              finalizer_patch(claim, kFinalizer),
                                              {.answer = Answer::kMetadata});
}

Status ClaimSync::delete_if_unused(const Claim& claim) const {
  const std::optional<OwnerReference> owner = claim.controller();
  if (!owner || owner->api_version() != "v1" || owner->kind() != Pod::kResource.kind) return {};
  if (claim.is_being_deleted()) return {};
  const Key key{std::string(claim.ns()), std::string(owner->name())};
  const Lookup<Pod> pod = parts_.pods.get(key);
  if (!pod) return {};  // The garbage collector deletes it.
  if (pod->uid() == owner->uid()) {
    if (!is_done(*pod)) return {};
  } else if (!mutant("claim-of-a-new-pod")) {
    // The claim's pod may be newer than the cache.
    const Result<bool> gone = is_gone<Pod>(key, owner->uid());
    if (!gone) return gone.error();
    if (!*gone) return {};
  }
  return parts_.cluster.client()
      .remove<Claim>(claim.key(), {.uid = std::string(claim.uid()),
                                   .resource_version = std::string(claim.resource_version())})
      .unless(Code::kNotFound)
      .with_context("delete unused generated claim " + claim.key().text());
}

}  // namespace davit::resourceclaim
