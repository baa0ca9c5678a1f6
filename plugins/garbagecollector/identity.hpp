/// The identity of an object, and references to it. Pure.
#pragma once

#include <compare>
#include <davit/kube/metadata.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::garbage {

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

/// One entry of metadata.ownerReferences.
struct Reference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  std::optional<bool> controller = std::nullopt;
  std::optional<bool> blocks = std::nullopt;  ///< blockOwnerDeletion.

  [[nodiscard]] bool is_blocking() const { return blocks.value_or(false); }
  friend bool operator==(const Reference&, const Reference&) = default;
};

/// An object, or one that a reference claims to exist. The order is that in which identities of one
/// UID are tried.
struct Identity {
  std::string kind;
  std::string api_version;
  std::string ns;  ///< Empty: cluster-scoped.
  std::string name;
  std::string uid;

  friend auto operator<=>(const Identity&, const Identity&) = default;
};

/// The group of "apps/v1"; empty for "v1".
[[nodiscard]] std::string_view group_of(std::string_view api_version);

/// The owner that `reference` names, in a namespace or in none.
[[nodiscard]] Identity owner_of(const Reference& reference, std::string_view ns);

/// Whether all four coordinates are the same; text by text, versions included.
[[nodiscard]] bool is_named_by(const Identity& object, const Reference& reference);

[[nodiscard]] std::vector<Reference> read_references(const ObjectView& object);
[[nodiscard]] std::vector<std::string> read_finalizers(const ObjectView& object);

/// An object as the server has it now.
struct LiveObject {
  std::string uid;
  std::string resource_version;
  std::vector<Reference> owners;
  std::vector<std::string> finalizers;
  bool is_being_deleted = false;

  [[nodiscard]] bool has_finalizer(std::string_view finalizer) const;
};

[[nodiscard]] LiveObject read_live(const ObjectView& object);

}  // namespace davit::garbage
