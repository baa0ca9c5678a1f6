/// The collection that an informer watches, and its resource versions.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace davit::host {

/// A resource as the API names it: {"apps", "v1", "replicasets"}; the core group is empty.
struct ResourceId {
  std::string group;
  std::string version;
  std::string resource;

  /// "replicasets.apps", or "pods": as kubectl and RBAC messages write it.
  [[nodiscard]] std::string text() const {
    return group.empty() ? resource : resource + "." + group;
  }
  friend auto operator<=>(const ResourceId&, const ResourceId&) = default;
};

/// A resourceVersion as a number; nothing when it is not a plain decimal within 64 bits, which
/// makes it comparable with nothing. Versions of one resource type compare as numbers.
[[nodiscard]] std::optional<std::uint64_t> parse_version(std::string_view resource_version);

}  // namespace davit::host
