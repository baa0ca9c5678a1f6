/// The storage objects of the cluster as last seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

enum class StorageKind : std::uint8_t {
  kClaim,
  kVolume,
  kClass,
  kDriver,
  kCsiNode,
  kAttachment,
  kNode,
  kCapacity,
};
inline constexpr std::size_t kStorageKinds = 8;
/// Reads the object's kind, which the objects of lists lack.
[[nodiscard]] std::optional<StorageKind> storage_kind(const Json& object);

/// "/api/v1/persistentvolumes": where all objects of the kind are listed.
[[nodiscard]] std::string storage_collection(StorageKind kind);
/// The path of one object. `name`: "namespace/name" of a claim or capacity, else the name.
[[nodiscard]] std::string storage_target(StorageKind kind, const std::string& name);

/// Not thread-safe. Objects are found by "namespace/name" if they have a namespace, else by name.
class StorageView {
 public:
  using Objects = std::unordered_map<std::string, Json>;

  /// Takes an object in unless this or a newer version is known; says whether it did.
  bool put(StorageKind kind, Json object);
  /// The same for the response to a write, which must not bring back an object that is gone.
  bool refresh(StorageKind kind, Json object);
  void drop(StorageKind kind, const std::string& name);
  /// Remembers that all objects of the kind have been put in; returns whether that is new.
  bool set_listed(StorageKind kind) {
    return !std::exchange(listed_.at(static_cast<std::size_t>(kind)), true);
  }
  [[nodiscard]] bool is_listed(StorageKind kind) const {
    return listed_.at(static_cast<std::size_t>(kind));
  }
  /// Null if there is none. Lives until the object changes.
  [[nodiscard]] const Json* find(StorageKind kind, const std::string& name) const;
  [[nodiscard]] const Objects& all(StorageKind kind) const {
    return objects_.at(static_cast<std::size_t>(kind));
  }

 private:
  [[nodiscard]] Objects& all(StorageKind kind) {
    return objects_.at(static_cast<std::size_t>(kind));
  }

  std::array<Objects, kStorageKinds> objects_;
  std::array<bool, kStorageKinds> listed_{};
};

/// The name by which a view knows the object.
[[nodiscard]] std::string storage_name(const Json& object);

[[nodiscard]] const std::string& annotation_of(const Json& object, std::string_view name);
[[nodiscard]] bool has_finalizer(const Json& object, std::string_view finalizer);
[[nodiscard]] bool is_deleting(const Json& object);

/// The class that a claim or volume names; the beta annotation wins.
[[nodiscard]] const std::string& storage_class_of(const Json& object);
/// Whether claims of the class wait until a pod that uses them is scheduled.
[[nodiscard]] bool waits_for_consumer(const Json& storage_class);
/// Whether both sides say that they belong together and the binder has completed that.
[[nodiscard]] bool is_bound(const Json& claim);
/// Whether the volume belongs to this claim.
[[nodiscard]] bool belongs_to(const Json& volume, const Json& claim);
/// "namespace/name" of the claim that the volume names; "/" if it names none.
[[nodiscard]] std::string claim_of(const Json& volume);

/// A volume of a pod that a claim provides.
struct PodClaim {
  std::string volume;       ///< In the pod.
  std::string name;         ///< "namespace/name"
  bool of_the_pod = false;  ///< An ephemeral volume: the claim must have the pod as controller.
};
[[nodiscard]] std::vector<PodClaim> pod_claims(const Json& pod);
/// The claim, or null if it is missing or, for an ephemeral volume, is another pod's.
[[nodiscard]] const Json* find_claim(const StorageView& view, const PodClaim& wanted,
                                     const Json& pod);

/// The name by which Nodes list a volume: "kubernetes.io/csi/DRIVER^HANDLE"; empty if nothing has
/// to attach it. Row AD-001 of docs/spec/attachdetach.md.
[[nodiscard]] std::string attachable_name(const StorageView& view, const Json& volume);
/// Whether a VolumeAttachment says that the volume is attached to the node.
[[nodiscard]] bool is_attached(const StorageView& view, const Json& volume,
                               const std::string& node);

}  // namespace davit::sandbox
