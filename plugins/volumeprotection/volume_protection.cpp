#include "plugins/volumeprotection/volume_protection.hpp"

#include "plugins/volumeprotection/finalizers.hpp"

namespace davit::volumeprotection {

VolumeProtection::VolumeProtection(Context& cluster)
    : cluster_(cluster),
      queue_(cluster.open_queue({.name = "pvprotection"},
                                [this](const Key& key) { return sync(key); })),
      volumes_(cluster.open_informer<volumes::Volume>(
          {.added = [this](const volumes::Volume& volume) { add_if_due(volume); },
           .updated = [this](const volumes::Volume&,
                             const volumes::Volume& volume) { add_if_due(volume); }})) {}

void VolumeProtection::add_if_due(const volumes::Volume& volume) const {
  if (needs(volume, kVolumeFinalizer) || is_held(volume, kVolumeFinalizer)) queue_.add(volume);
}

Result<Again> VolumeProtection::sync(const Key& key) const {
  const Lookup<volumes::Volume> volume = volumes_.get(key);
  if (!volume) return Again::when_changed();
  const auto is_used = [&volume] { return volume->phase() == "Bound"; };
  return write_finalizer(cluster_.client(), *volume, kVolumeFinalizer, is_used);
}

}  // namespace davit::volumeprotection
