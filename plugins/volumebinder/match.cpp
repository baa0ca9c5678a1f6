#include "plugins/volumebinder/match.hpp"

#include <optional>

namespace davit::volumebinder {
namespace {

bool has_modes(const volumes::Volume& volume, const volumes::Claim& claim) {
  return volumes::AccessModes::of(volume).contain(volumes::AccessModes::of(claim));
}

bool is_large_enough(const volumes::Volume& volume, const volumes::Claim& claim) {
  const std::optional<Quantity> size = volumes::capacity_of(volume);
  return size.value_or(Quantity()) >= volumes::request_of(claim);
}

bool has_attributes(const volumes::Volume& volume, const volumes::Claim& claim) {
  return volumes::attributes_class_of(volume) == volumes::attributes_class_of(claim);
}

}  // namespace

std::string why_unsuitable(const volumes::Volume& volume, const volumes::Claim& claim) {
  if (volume.is_being_deleted()) {
    return "the volume is marked for deletion \"" + std::string(volume.name()) + '"';
  }
  if (!is_large_enough(volume, claim)) return "requested PV is too small";
  if (volumes::class_of(volume) != volumes::class_of(claim)) {
    return "storageClassName does not match";
  }
  if (!has_attributes(volume, claim)) return "volumeAttributesClassName does not match";
  if (volumes::mode_of(volume) != volumes::mode_of(claim)) return "incompatible volumeMode";
  if (!has_modes(volume, claim)) return "incompatible accessMode";
  return {};
}

bool serves_reserved(const volumes::Volume& volume, const volumes::Claim& claim) {
  return volumes::is_bound_to(volume, claim) && !volume.is_being_deleted() &&
         is_large_enough(volume, claim) && has_attributes(volume, claim) &&
         volumes::mode_of(volume) == volumes::mode_of(claim) && has_modes(volume, claim);
}

bool serves_free(const volumes::Volume& volume, const volumes::Claim& claim,
                 const Selector& selector) {
  return volume.claim_ref().kind() != Kind::kObject && volume.phase() == "Available" &&
         why_unsuitable(volume, claim).empty() && selector.matches(volume.labels());
}

}  // namespace davit::volumebinder
