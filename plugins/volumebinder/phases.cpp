#include "plugins/volumebinder/phases.hpp"

#include "plugins/volumebinder/names.hpp"
#include "plugins/volumebinder/send.hpp"

namespace davit::volumebinder {

Status set_phase(const Parts& parts, const volumes::Volume& volume, std::string_view phase,
                 std::string_view message) {
  if (volume.phase() == phase) return {};
  return send(parts.cluster.client(), volume, volume_phase_patch(Target(volume), phase, message),
              kStatus);
}

Status set_failed(const Parts& parts, const volumes::Volume& volume, std::string_view reason,
                  std::string_view text) {
  if (volume.phase() == kFailed) return {};
  Status written = set_phase(parts, volume, kFailed, text);
  if (written.ok()) parts.cluster.events().warning(volume, reason, text);
  return written;
}

Status unbind(const Parts& parts, const volumes::Volume& volume) {
  Target target(volume);
  const Client client = parts.cluster.client();
  Status written =
      send<volumes::Volume>(client, volume.key(), volume_release_patch(volume), kSpec, target);
  if (!written.ok() || volume.phase() == kAvailable) return written;
  return send<volumes::Volume>(client, volume.key(), volume_phase_patch(target, kAvailable, {}),
                               kStatus, target);
}

}  // namespace davit::volumebinder
