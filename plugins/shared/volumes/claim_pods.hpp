/// The pods that use a claim. Rules: docs/spec/volumes.md, B2 and B15.
#pragma once

#include <algorithm>
#include <davit/informer.hpp>
#include <davit/kube/pod.hpp>
#include <string_view>
#include <vector>

#include "plugins/shared/lookup/namespaced.hpp"
#include "plugins/shared/volumes/pod_claims.hpp"
#include "plugins/shared/volumes/views.hpp"

namespace davit::volumes {

/// The index of pods by the claims that they name, which pods_of_claim() reads.
inline constexpr std::string_view kByClaimName = "claim-name";
/// Its path.
inline constexpr std::string_view kClaimNamePath = "spec.volumes[].persistentVolumeClaim.claimName";

/// Whether a container of these statuses runs.
[[nodiscard]] inline bool any_runs(Value container_statuses) {
  for (const Value each : container_statuses.elements()) {
    const Value state = each["state"];
    if (!state["terminated"] && !state["waiting"]) return true;
  }
  return false;
}

/// Whether none of the pod's containers runs any more. Rule: docs/spec/volumes.md, B15.
[[nodiscard]] inline bool is_terminated(const Pod& pod) {
  if (pod.is_finished()) return true;
  if (!pod.is_being_deleted()) return false;
  const Value status = pod.status();
  return !any_runs(status[&Names::container_statuses]) &&
         !any_runs(status[&Names::init_container_statuses]) &&
         !any_runs(status["ephemeralContainerStatuses"]);
}

/// Calls `visit` for each cached pod that uses the claim `name`; for one that names it in several
/// volumes perhaps several times. Those with an ephemeral volume count by the name of its claim.
template <typename Visit>
void each_pod_of_claim(const Informer<Pod>& pods, std::string_view ns, std::string_view name,
                       const Visit& visit) {
  const auto visit_users = [&](const Pod& pod) {
    if (pod.ns() != ns) return;
    const auto is_its = [&](Value volume) { return claim_name(pod, volume) == name; };
    if (any_volume(pod, is_its)) visit(pod);
  };
  const lookup::Candidates seen =
      lookup::each_candidate(pods, {kByClaimName}, ns, name, visit_users);
  if (seen == lookup::Candidates::kOfTheNamespace) return;
  // The name of an ephemeral volume's claim is "<pod>-<volume>"; both parts may have dashes.
  for (std::size_t at = name.find('-'); at != std::string_view::npos; at = name.find('-', at + 1)) {
    if (const Lookup<Pod> pod = pods.get(ns, name.substr(0, at))) visit_users(*pod);
  }
}

/// The cached pods that are not terminated and use the claim `name`, in their order by name.
[[nodiscard]] inline std::vector<Pod> pods_of_claim(const Informer<Pod>& pods, std::string_view ns,
                                                    std::string_view name) {
  std::vector<Pod> out;
  each_pod_of_claim(pods, ns, name, [&out](const Pod& pod) {
    if (!is_terminated(pod)) out.push_back(pod);
  });
  std::sort(out.begin(), out.end(), [](const Pod& a, const Pod& b) { return a.name() < b.name(); });
  const auto end = std::unique(out.begin(), out.end(),
                               [](const Pod& a, const Pod& b) { return a.name() == b.name(); });
  out.erase(end, out.end());
  return out;
}

}  // namespace davit::volumes
