#include "plugins/ephemeralvolume/ephemeral_volumes.hpp"

#include <string>
#include <string_view>

#include "plugins/ephemeralvolume/claim_body.hpp"
#include "plugins/shared/volumes/pod_claims.hpp"

namespace davit::ephemeralvolume {

EphemeralVolumes::EphemeralVolumes(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "ephemeral_volume"},
                                [this](const Key& key) { return sync(key); })),
      pods_(cluster.open_informer<Pod>({.added =
                                            [this](const Pod& pod) {
                                              if (pod.is_being_deleted()) return;
                                              if (volumes::any_volume(pod, volumes::is_ephemeral)) {
                                                queue_.add(pod);
                                              }
                                            }})),
      claims_(cluster.open_informer<volumes::Claim>(
          {.deleted = [this](const volumes::Claim& claim) { add_pods_of(claim); }})),
      created_(cluster.open_metric({.type = MetricType::kCounter,
                                    .name = "ephemeral_volume_controller_create_total",
                                    .help = "Number of PersistentVolumeClaim creation requests"})),
      failed_(cluster.open_metric(
          {.type = MetricType::kCounter,
           .name = "ephemeral_volume_controller_create_failures_total",
           .help = "Number of PersistentVolumeClaim creation requests that failed"})) {}

void EphemeralVolumes::add_pods_of(const volumes::Claim& claim) const {
  // A claim that stood in the way had the name "<pod>-<volume>" for any owner. Both parts may
  // have dashes.
  const std::string_view name = claim.name();
  for (std::size_t at = name.find('-'); at != std::string_view::npos; at = name.find('-', at + 1)) {
    const Lookup<Pod> pod = pods_.get(claim.ns(), name.substr(0, at));
    if (!pod) continue;
    const auto is_its = [&](Value volume) {
      return volumes::is_ephemeral(volume) && volumes::ephemeral_claim_name(*pod, volume) == name;
    };
    if (volumes::any_volume(*pod, is_its)) queue_.add(*pod);
  }
}

Result<Again> EphemeralVolumes::sync(const Key& key) const {
  const Lookup<Pod> pod = pods_.get(key);
  if (!pod || pod->is_being_deleted()) return Again::when_changed();
  for (const Value volume : pod->spec()["volumes"].elements()) {
    if (!volumes::is_ephemeral(volume)) continue;
    const Status served = serve(*pod, volume);
    if (served.ok()) continue;
    if (served.code() == Code::kCancelled) return served;
    const Status error =
        served.with_context("ephemeral volume " + std::string(volume[&Names::name].string()));
    cluster_.events().warning(*pod, "FailedBinding", error.message());
    return error;
  }
  return Again::when_changed();
}

Status EphemeralVolumes::serve(const Pod& pod, Value volume) const {
  const std::string name = volumes::ephemeral_claim_name(pod, volume);
  if (const Lookup<volumes::Claim> claim = claims_.get(pod.ns(), name)) {
    if (claim->is_controlled_by(pod)) return {};
    const std::string ns = std::string(pod.ns()) + "/";
    return {Code::kInvalid, "PVC " + ns + name + " was not created for pod " + ns +
                                std::string(pod.name()) + " (pod is not owner)"};
  }
  created_.record(1);
  const Status made =
      cluster_.client()
          .create<volumes::Claim>(pod.ns(), claim_body(pod, volume), {.answer = Answer::kMetadata})
          .error();
  if (made.ok() || made.code() == Code::kCancelled) return made;
  failed_.record(1);
  return made.with_context("create PVC " + name);
}

}  // namespace davit::ephemeralvolume
