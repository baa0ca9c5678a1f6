/// Metadata and ObjectView: the parts common to all Kubernetes objects.
#pragma once

#include <cstdint>
#include <davit/key.hpp>
#include <davit/kube/owner_reference.hpp>
#include <davit/kube/resource.hpp>
#include <davit/kube/time.hpp>
#include <davit/mutant.hpp>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// A typed view of a snapshot; the base of Pod, ReplicaSet and other views. Lives like the Value
/// from which it was made. Informer, Client and EventRecorder require of a derived view only a
/// `static constexpr Resource kResource` and a constructor from Value.
class ObjectView {
 public:
  explicit ObjectView(Value value) : value_(value), metadata_(value[&Names::metadata]) {}

  [[nodiscard]] Value value() const { return value_; }
  [[nodiscard]] Value metadata() const { return metadata_; }
  [[nodiscard]] Value spec() const { return value_[&Names::spec]; }
  [[nodiscard]] Value status() const { return value_[&Names::status]; }

  /// The namespace; empty for cluster-scoped objects.
  [[nodiscard]] std::string_view ns() const { return metadata_[&Names::ns].string(); }
  [[nodiscard]] std::string_view name() const { return metadata_[&Names::name].string(); }
  [[nodiscard]] std::string_view uid() const { return metadata_[&Names::uid].string(); }
  [[nodiscard]] std::string_view resource_version() const {
    return metadata_[&Names::resource_version].string();
  }
  [[nodiscard]] Key key() const { return {std::string(ns()), std::string(name())}; }
  [[nodiscard]] std::int64_t generation() const {
    return metadata_[&Names::generation].integer_or(0);
  }

  [[nodiscard]] Value labels() const { return metadata_[&Names::labels]; }
  [[nodiscard]] Value annotations() const { return metadata_[&Names::annotations]; }
  [[nodiscard]] std::optional<std::string_view> label(std::string_view key) const {
    return labels()[key].text();
  }
  [[nodiscard]] std::optional<std::string_view> annotation(std::string_view key) const {
    return annotations()[key].text();
  }

  [[nodiscard]] std::optional<WallTime> creation_time() const {
    return parse_time(metadata_[&Names::creation_timestamp].string());
  }
  [[nodiscard]] std::optional<WallTime> deletion_time() const {
    return parse_time(metadata_[&Names::deletion_timestamp].string());
  }
  /// Whether deletionTimestamp is set: the object was deleted, and finalizers or its grace period
  /// keep it.
  [[nodiscard]] bool is_being_deleted() const {
    return metadata_[&Names::deletion_timestamp].kind() == Kind::kString;
  }
  [[nodiscard]] bool has_finalizer(std::string_view finalizer) const {
    for (const Value each : metadata_[&Names::finalizers].elements()) {
      if (each.string() == finalizer) return true;
    }
    return false;
  }

  [[nodiscard]] Value owner_references() const { return metadata_[&Names::owner_references]; }
  /// The controller reference, if there is one.
  [[nodiscard]] std::optional<OwnerReference> controller() const {
    return controller_reference(owner_references());
  }
  /// Whether the controller reference names the owner by UID, kind and name, and the object is in
  /// the owner's namespace; a cluster-scoped owner may control objects of any namespace. The UID
  /// alone proves nothing, because a client that may write an object can write any reference into
  /// it.
  template <typename Owner>
  [[nodiscard]] bool is_controlled_by(const Owner& owner) const {
    return is_controlled_by(
        ControllerIdentity{Owner::kResource.kind, owner.ns(), owner.name(), owner.uid()});
  }
  [[nodiscard]] bool is_controlled_by(const ControllerIdentity& owner) const {
    const std::optional<OwnerReference> reference = controller();
    if (!reference || reference->uid() != owner.uid) return false;
    return (reference->kind() == owner.kind && reference->name() == owner.name &&
            (owner.ns.empty() || owner.ns == ns())) ||
           mutant("forged-owner");
  }

 private:
  Value value_;
  Value metadata_;
};

/// A controller reference to `object`. Kind and apiVersion come from `View`, because list items
/// lack them.
template <typename View>
[[nodiscard]] OwnerIdentity owner_identity(const View& object) {
  return {View::kResource.api_version(), View::kResource.kind, object.name(), object.uid()};
}

}  // namespace davit
