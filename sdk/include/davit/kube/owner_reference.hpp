/// Owner references: who an object belongs to.
#pragma once

#include <davit/json_writer.hpp>
#include <davit/object.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace davit {

/// A view of one entry of metadata.ownerReferences.
class OwnerReference {
 public:
  explicit OwnerReference(Value value) : value_(value) {}

  [[nodiscard]] std::string_view api_version() const {
    return value_[&Names::api_version].string();
  }
  [[nodiscard]] std::string_view kind() const { return value_[&Names::kind].string(); }
  [[nodiscard]] std::string_view name() const { return value_[&Names::name].string(); }
  [[nodiscard]] std::string_view uid() const { return value_[&Names::uid].string(); }
  [[nodiscard]] bool is_controller() const { return value_[&Names::controller].is_true(); }
  [[nodiscard]] Value value() const { return value_; }

  /// Compares all six fields, as upstream's deep comparison of two references; absent and set
  /// differ.
  friend bool operator==(const OwnerReference& a, const OwnerReference& b) {
    return a.api_version() == b.api_version() && a.kind() == b.kind() && a.name() == b.name() &&
           a.uid() == b.uid() &&
           a.value_[&Names::controller].boolean() == b.value_[&Names::controller].boolean() &&
           a.value_[&Names::block_owner_deletion].boolean() ==
               b.value_[&Names::block_owner_deletion].boolean();
  }

 private:
  Value value_;
};

/// The first reference whose `controller` is true.
[[nodiscard]] inline std::optional<OwnerReference> controller_reference(Value owner_references) {
  for (const Value each : owner_references.elements()) {
    const OwnerReference reference(each);
    if (reference.is_controller()) return reference;
  }
  return std::nullopt;
}

/// An owner as a controller reference names it. The views must outlive it.
struct ControllerIdentity {
  std::string_view kind;
  std::string_view ns;  ///< Empty: cluster-scoped.
  std::string_view name;
  std::string_view uid;
};

/// The owner side of a reference to write. The views must outlive it.
struct OwnerIdentity {
  std::string api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;

  /// {"apiVersion":…,"kind":…,"name":…,"uid":…,"controller":true,"blockOwnerDeletion":true}
  void write_controller_reference(JsonWriter& out) const {
    out.begin_object().member("apiVersion", api_version).member("kind", kind);
    out.member("name", name).member("uid", uid);
    out.member("controller", true).member("blockOwnerDeletion", true).end_object();
  }
};

}  // namespace davit
