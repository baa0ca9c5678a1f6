#include "plugins/volumeprotection/claim_protection.hpp"

#include <string>
#include <utility>

#include "plugins/shared/volumes/pod_claims.hpp"
#include "plugins/volumeprotection/finalizers.hpp"
#include "plugins/volumeprotection/used_claims.hpp"

namespace davit::volumeprotection {

ClaimProtection::ClaimProtection(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "pvcprotection"},
                                [this](const Key& ns) { return sync(ns); })),
      claims_(cluster.open_informer<volumes::Claim>(
          {.added = [this](const volumes::Claim& claim) { add_if_due(claim); },
           .updated = [this](const volumes::Claim&,
                             const volumes::Claim& claim) { add_if_due(claim); }})),
      pods_(cluster.open_informer<Pod>({.updated =
                                            [this](const Pod& old, const Pod& pod) {
                                              if (old.uid() != pod.uid()) add_freed(old);
                                              if (volumes::is_shut_down(pod)) add_freed(pod);
                                            },
                                        .deleted = [this](const Pod& pod) { add_freed(pod); }})) {}

void ClaimProtection::add(const ObjectView& object) const {
  queue_.add(Key{.ns = "", .name = std::string(object.ns())});
}

void ClaimProtection::add_if_due(const volumes::Claim& claim) const {
  if (needs(claim, kClaimFinalizer) || is_held(claim, kClaimFinalizer)) add(claim);
}

void ClaimProtection::add_freed(const Pod& pod) const {
  // The deletion of a claim that the cache does not show yet adds the namespace itself.
  const auto waits = [this, &pod](Value volume) {
    const std::string name = volumes::claim_name(pod, volume);
    if (name.empty()) return false;
    const Lookup<volumes::Claim> claim = claims_.get(pod.ns(), name);
    return claim && is_held(*claim, kClaimFinalizer);
  };
  if (volumes::any_volume(pod, waits)) add(pod);
}

Result<Again> ClaimProtection::sync(const Key& ns) const {
  std::vector<Request> writes;
  std::vector<volumes::Claim> deleted;
  for (const volumes::Claim& each : claims_.in_namespace(ns.name)) {
    if (needs(each, kClaimFinalizer)) {
      writes.push_back(finalizer_request(each, patch_with(each, kClaimFinalizer)));
    } else if (is_held(each, kClaimFinalizer)) {
      deleted.push_back(each);
    }
  }
  Result<Again> outcome = free_unused(ns, deleted, writes);
  // An error keeps no other claim.
  for (const Result<Value>& each : cluster_.client().batch(writes)) {
    Status written = each.error().unless(Code::kNotFound);
    if (!written.ok() && outcome) outcome = std::move(written);
  }
  return outcome;
}

Result<Again> ClaimProtection::free_unused(const Key& ns,
                                           const std::vector<volumes::Claim>& deleted,
                                           std::vector<Request>& writes) const {
  UsedClaims used(deleted);
  for (const Pod& each : pods_.in_namespace(ns.name)) used.add(each);
  if (used.are_all()) return Again::when_changed();
  const std::size_t cached = used.size();
  const Status listed =
      cluster_.client().list_pages(Request::list<Pod>(ns.name), [&used](const Page& page) {
        for (const Value each : page.items()) used.add(Pod(each));
      });
  if (!listed.ok()) return listed;
  for (const volumes::Claim& each : used.unused()) {
    writes.push_back(finalizer_request(each, patch_without(each, kClaimFinalizer)));
  }
  // A pod that the cache does not have yet may come and go without an event.
  return used.size() > cached ? Again::with_backoff() : Again::when_changed();
}

}  // namespace davit::volumeprotection
