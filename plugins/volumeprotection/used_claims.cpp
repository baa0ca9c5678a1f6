#include "plugins/volumeprotection/used_claims.hpp"

#include <utility>

#include "plugins/shared/volumes/pod_claims.hpp"

namespace davit::volumeprotection {
namespace {

/// Whether the claim of a generic ephemeral volume is in use: it must be the pod's own, and the pod
/// may still run.
bool holds_ephemeral(const Pod& pod, const volumes::Claim& claim) {
  return claim.is_controlled_by(pod) && !volumes::is_shut_down(pod);
}

}  // namespace

UsedClaims::UsedClaims(std::span<const volumes::Claim> claims) {
  for (const volumes::Claim& each : claims) {
    claims_.emplace(std::string(each.name()), Judged{each});
  }
}

void UsedClaims::add(const Pod& pod) {
  if (pod.node_name().empty()) return;
  for (const Value volume : pod.spec()["volumes"].elements()) {
    const std::string name = volumes::claim_name(pod, volume);
    const auto found = name.empty() ? claims_.end() : claims_.find(name);
    if (found == claims_.end() || found->second.is_used) continue;
    if (volumes::is_ephemeral(volume) && !holds_ephemeral(pod, found->second.claim)) continue;
    found->second.is_used = true;
    ++used_count_;
  }
}

std::vector<volumes::Claim> UsedClaims::unused() const {
  std::vector<volumes::Claim> out;
  for (const auto& [name, judged] : claims_) {
    if (!judged.is_used) out.push_back(judged.claim);
  }
  return out;
}

}  // namespace davit::volumeprotection
