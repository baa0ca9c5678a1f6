/// The parts of an object's metadata that deletion is about.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sandbox/store/store.hpp"

namespace davit::sandbox {

inline constexpr std::string_view kOrphanFinalizer = "orphan";
inline constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

struct OwnerReference {
  std::string api_version;
  std::string kind;
  std::string name;
  std::string uid;
  bool blocks = false;  ///< blockOwnerDeletion
};

struct ObjectMeta {
  std::vector<OwnerReference> owners;
  std::vector<std::string> finalizers;
  bool deleting = false;

  [[nodiscard]] bool has_finalizer(std::string_view finalizer) const;
  /// Waits for the garbage collector to delete its dependents.
  [[nodiscard]] bool deletes_dependents() const {
    return deleting && has_finalizer(kForegroundFinalizer);
  }
  /// Waits for it to set them free.
  [[nodiscard]] bool orphans_dependents() const {
    return deleting && has_finalizer(kOrphanFinalizer);
  }
};

/// Reads the text only as far as it must: most objects have nothing of this.
[[nodiscard]] ObjectMeta object_meta(const Version& version);

}  // namespace davit::sandbox
