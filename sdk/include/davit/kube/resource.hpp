/// Resource: how the API server calls a kind of object.
#pragma once

#include <string>
#include <string_view>

namespace davit {

/// Constants of one resource. The views usually refer to literals.
struct Resource {
  std::string_view group;  ///< Empty for the core group.
  std::string_view version;
  std::string_view resource;  ///< Plural, lower case: "replicasets".
  std::string_view kind;

  /// "apps/v1", "v1".
  [[nodiscard]] std::string api_version() const;
};

}  // namespace davit
