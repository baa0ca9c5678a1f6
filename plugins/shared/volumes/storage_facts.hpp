/// Facts of claims and volumes that binding, expansion and attachment compare. Rules:
/// docs/spec/volumes.md, B5.
#pragma once

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <davit/kube/quantity.hpp>
#include <davit/kube/typed.hpp>
#include <iterator>
#include <optional>
#include <string_view>

#include "plugins/shared/volumes/views.hpp"

namespace davit::volumes {

inline constexpr std::string_view kBetaClassAnnotation = "volume.beta.kubernetes.io/storage-class";

/// The class of a claim or volume; empty: none, or the class "". The annotation wins.
[[nodiscard]] inline std::string_view class_of(const ObjectView& object) {
  const std::optional<std::string_view> beta = object.annotation(kBetaClassAnnotation);
  return beta ? *beta : object.spec()["storageClassName"].string();
}
/// Whether a claim asks for a class, be it "".
[[nodiscard]] inline bool asks_for_class(const Claim& claim) {
  return claim.annotation(kBetaClassAnnotation) || claim.spec()["storageClassName"].text();
}

/// "Filesystem" or "Block", of a claim or volume.
[[nodiscard]] inline std::string_view mode_of(const ObjectView& object) {
  const std::string_view mode = object.spec()["volumeMode"].string();
  return mode.empty() ? "Filesystem" : mode;
}
/// The VolumeAttributesClass of a claim or volume; empty: none.
[[nodiscard]] inline std::string_view attributes_class_of(const ObjectView& object) {
  return object.spec()["volumeAttributesClassName"].string();
}

/// "Retain", "Delete" or "Recycle".
[[nodiscard]] inline std::string_view reclaim_policy_of(const Volume& volume) {
  return volume.spec()["persistentVolumeReclaimPolicy"].string();
}

/// The size that a claim asks for; zero if its text is no quantity.
[[nodiscard]] inline Quantity request_of(const Claim& claim) {
  return typed::quantity(claim.spec()["resources"]["requests"]["storage"]).value_or(Quantity());
}
/// The size of a volume; nothing if it has none.
[[nodiscard]] inline std::optional<Quantity> capacity_of(const Volume& volume) {
  return typed::quantity(volume.spec()["capacity"]["storage"]);
}

/// Whether the volume belongs to the claim, or is reserved for a claim of this name.
[[nodiscard]] inline bool is_bound_to(const Volume& volume, const Claim& claim) {
  const Value reference = volume.claim_ref();
  if (reference[&Names::ns].string() != claim.ns()) return false;
  if (reference[&Names::name].string() != claim.name()) return false;
  const std::string_view uid = reference[&Names::uid].string();
  return uid.empty() || uid == claim.uid();
}

/// A set of access modes.
class AccessModes {
 public:
  AccessModes() = default;
  /// The set in `spec.accessModes` of a claim or volume.
  [[nodiscard]] static AccessModes of(const ObjectView& object) {
    constexpr std::string_view kKnown[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany",
                                           "ReadWriteOncePod"};
    AccessModes out;
    for (const Value each : object.spec()["accessModes"].elements()) {
      std::uint8_t bit = kUnknown;
      for (std::size_t i = 0; i < std::size(kKnown); ++i) {
        if (each.string() == kKnown[i]) bit = static_cast<std::uint8_t>(1U << i);
      }
      out.bits_ |= bit;
    }
    return out;
  }

  /// Whether all of `wanted` are among them. A mode that no server knows never is.
  [[nodiscard]] bool contain(AccessModes wanted) const {
    return (wanted.bits_ & kUnknown) == 0 && (bits_ & wanted.bits_) == wanted.bits_;
  }

  /// Smaller sets first; an arbitrary order among equally large ones.
  friend std::strong_ordering operator<=>(AccessModes a, AccessModes b) {
    const auto size = a.size() <=> b.size();
    return size != 0 ? size : a.bits_ <=> b.bits_;
  }
  friend bool operator==(AccessModes, AccessModes) = default;

 private:
  static constexpr std::uint8_t kUnknown = 0x80;

  [[nodiscard]] int size() const { return std::popcount(bits_); }

  std::uint8_t bits_ = 0;
};

}  // namespace davit::volumes
