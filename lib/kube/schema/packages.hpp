/// The packages whose types are known.
#pragma once

#include <span>
#include <string_view>

namespace davit {

struct Package {
  std::string_view name;         ///< The form in references between types, with version: "apps.v1".
  std::string_view api_version;  ///< "apps/v1"; empty: no kinds.
  std::string_view openapi;      ///< "io.k8s.api.apps.v1"
  std::string_view (*fields)();  ///< fields/fields.hpp
};

/// Valid for the life of the process. A package may have several entries.
[[nodiscard]] std::span<const Package> packages();

}  // namespace davit
