/// The finalizers that protect claims, volumes and classes. Rule: docs/spec/volumes.md, C2.
#pragma once

#include <davit/client.hpp>
#include <davit/kube/metadata.hpp>
#include <davit/queue.hpp>
#include <davit/request.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace davit::volumeprotection {

inline constexpr std::string_view kClaimFinalizer = "kubernetes.io/pvc-protection";
inline constexpr std::string_view kVolumeFinalizer = "kubernetes.io/pv-protection";
inline constexpr std::string_view kClassFinalizer = "kubernetes.io/vac-protection";

/// Whether the object lives and lacks the finalizer. The server refuses new finalizers of an object
/// that is being deleted.
[[nodiscard]] inline bool needs(const ObjectView& object, std::string_view finalizer) {
  return !object.is_being_deleted() && !object.has_finalizer(finalizer);
}
/// Whether the object is being deleted and the finalizer holds it.
[[nodiscard]] inline bool is_held(const ObjectView& object, std::string_view finalizer) {
  return object.is_being_deleted() && object.has_finalizer(finalizer);
}

/// A merge patch with the finalizer after all others, or without it. The server refuses it with 409
/// unless the object has the UID and version that were read.
[[nodiscard]] std::string patch_with(const ObjectView& object, std::string_view finalizer);
[[nodiscard]] std::string patch_without(const ObjectView& object, std::string_view finalizer);

/// The request that sends such a patch.
template <typename View>
[[nodiscard]] Request finalizer_request(const View& object, std::string patch) {
  return Request::patch<View>(object.key(), PatchType::kMerge, std::move(patch),
                              {.answer = Answer::kMetadata});
}

/// Adds the finalizer if the object needs it, and takes it off if it holds the object and
/// `is_used()` says no.
template <typename View, typename IsUsed>
[[nodiscard]] Result<Again> write_finalizer(const Client& client, const View& object,
                                            std::string_view finalizer, const IsUsed& is_used) {
  std::string patch;
  if (needs(object, finalizer)) {
    patch = patch_with(object, finalizer);
  } else if (is_held(object, finalizer) && !is_used()) {
    patch = patch_without(object, finalizer);
  }
  if (patch.empty()) return Again::when_changed();
  Status written =
      client.call(finalizer_request(object, std::move(patch))).error().unless(Code::kNotFound);
  if (!written.ok()) return written;
  return Again::when_changed();
}

}  // namespace davit::volumeprotection
