#include "plugins/volumebinder/volume_binder.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "plugins/shared/volumes/claim_pods.hpp"
#include "plugins/volumebinder/settled.hpp"

namespace davit::volumebinder {
namespace {

/// The index of claims by the volume that they name.
constexpr std::string_view kByVolumeName = "volume-name";
/// Binding is four requests, one after the other; the server decides between claims that want the
/// same volume.
constexpr std::uint32_t kWorkers = 4;

}  // namespace

InitResult VolumeBinder::open(Context& cluster) {
  const Result<Options> options = read_options(cluster.config());
  if (!options) return options.error();
  return std::unique_ptr<Controller>(std::make_unique<VolumeBinder>(cluster, *options));
}

VolumeBinder::VolumeBinder(Context& cluster, const Options& options)
    : metrics_(cluster),
      parts_{
          .cluster = cluster,
          .options = options,
          .claim_queue = cluster.open_queue({.name = "claims", .workers = kWorkers},
                                            [this](const Key& key) { return claim_sync_(key); }),
          .volume_queue = cluster.open_queue({.name = "volumes", .workers = kWorkers},
                                             [this](const Key& key) { return volume_sync_(key); }),
          .claims = cluster.open_informer<volumes::Claim>(
              {.any = [this](const Event<volumes::Claim>& event) { on_claim(event); }}),
          .volumes = cluster.open_informer<volumes::Volume>(
              {.any = [this](const Event<volumes::Volume>& event) { on_volume(event); }}),
          .classes = cluster.open_informer<volumes::StorageClass>(),
          .pods = cluster.open_informer<Pod>(
              {.updated = [this](const Pod&, const Pod& pod) { on_pod(pod); },
               .deleted = [this](const Pod& pod) { on_pod(pod); }}),
          .index = index_,
          .operations = operations_,
          .metrics = metrics_},
      recycler_(parts_),
      claim_sync_(parts_),
      volume_sync_(parts_, recycler_) {
  cluster.add_index(parts_.volumes, kByClaimUid, "spec.claimRef.uid");
  cluster.add_index(parts_.claims, kByVolumeName, "spec.volumeName");
  cluster.add_index(parts_.pods, volumes::kByClaimName, volumes::kClaimNamePath);
  cluster.start_timer(
      {.period = std::chrono::duration_cast<std::chrono::milliseconds>(options.sync_period)},
      [this] { add_all(); });
}

void VolumeBinder::on_volume(const Event<volumes::Volume>& event) {
  using Type = Event<volumes::Volume>::Type;
  const volumes::Volume& volume = event.current;
  if (event.old) metrics_.count(*event.old, false);
  if (event.type == Type::kDeleted) {
    index_.erase(volume.name());
    metrics_.count(volume, false);
    operations_.end(Operations::name("recycle", volume.name(), volume.uid()), parts_.cluster.now());
    if (const auto deleted = operations_.end(
            Operations::name("delete", volume.name(), volume.uid()), parts_.cluster.now())) {
      metrics_.ended("delete", deleted->plugin, deleted->took);
    }
  }
  const Value reference = volume.claim_ref();
  const Lookup<volumes::Claim> claim =
      parts_.claims.get(reference[&Names::ns].string(), reference[&Names::name].string());
  // The sync of a claim that has reserved the volume binds them.
  const bool is_reserved = event.type != Type::kDeleted && index_.put(volume) && claim;
  if (event.type != Type::kDeleted) metrics_.count(volume, true);
  const bool is_same =
      event.old && event.old->uid() == volume.uid() && event.old->claim_ref() == volume.claim_ref();
  if (event.old && !is_same) add_claim_in(*event.old);
  if (!is_same && !event.initial) {
    if (!is_reserved) add_claim_in(volume);
    const std::string_view binds = is_reserved ? claim->uid() : std::string_view();
    for (const volumes::Claim& each : parts_.claims.by_index(kByVolumeName, volume.name())) {
      if (each.uid() != binds) parts_.claim_queue.add(each);
    }
  }
  if (!is_reserved && !is_settled(event, claim)) parts_.volume_queue.add(volume);
}

void VolumeBinder::on_claim(const Event<volumes::Claim>& event) {
  using Type = Event<volumes::Claim>::Type;
  const volumes::Claim& claim = event.current;
  if (event.old) metrics_.count(*event.old, false);
  metrics_.count(claim, event.type != Type::kDeleted);
  if (event.type == Type::kDeleted || (event.old && event.old->uid() != claim.uid())) {
    const volumes::Claim& gone = event.old ? *event.old : claim;
    operations_.end(Operations::name("provision", gone.key().text(), gone.uid()),
                    parts_.cluster.now());
    if (!gone.volume_name().empty()) {
      parts_.volume_queue.add(Key{.ns = {}, .name = std::string(gone.volume_name())});
    }
    for (const volumes::Volume& each : parts_.volumes.by_index(kByClaimUid, gone.uid())) {
      parts_.volume_queue.add(each);
    }
  }
  if (event.type == Type::kDeleted) return;
  const std::string_view name = claim.volume_name();
  const NamedVolume volume{.cached = parts_.volumes.get("", name),
                           .is_given = index_.is_reserved(name, claim.uid())};
  if (!is_settled(event, volume)) parts_.claim_queue.add(claim);
}

void VolumeBinder::on_pod(const Pod& pod) const {
  const std::string_view volume = recycled_volume(pod);
  if (!volume.empty()) parts_.volume_queue.add(Key{.ns = {}, .name = std::string(volume)});
}

void VolumeBinder::add_claim_in(const volumes::Volume& volume) const {
  const Value reference = volume.claim_ref();
  if (reference.kind() != Kind::kObject) return;
  parts_.claim_queue.add(Key{std::string(reference[&Names::ns].string()),
                             std::string(reference[&Names::name].string())});
}

void VolumeBinder::add_all() {
  index_.next_round();
  for (const volumes::Claim& each : parts_.claims.list()) parts_.claim_queue.add(each);
  for (const volumes::Volume& each : parts_.volumes.list()) parts_.volume_queue.add(each);
}

}  // namespace davit::volumebinder
