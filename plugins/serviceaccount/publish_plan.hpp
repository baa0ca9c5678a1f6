/// The rules of the root CA publisher: the ConfigMap of a namespace. Pure.
#pragma once

#include <string>
#include <string_view>

#include "plugins/serviceaccount/views.hpp"

namespace davit::serviceaccount {

inline constexpr std::string_view kRootCaMap = "kube-root-ca.crt";
inline constexpr std::string_view kRootCaMaps = "metadata.name=kube-root-ca.crt";

/// Whether the ConfigMap has nothing but this bundle, and any description.
/// Rule: docs/spec/serviceaccount.md, part B.
[[nodiscard]] bool is_current(const ConfigMap& map, std::string_view bundle);

/// The body that creates the ConfigMap.
[[nodiscard]] std::string new_map(std::string_view bundle);

/// The body of a PUT: the cached ConfigMap with this bundle as its only data and upstream's
/// description.
[[nodiscard]] std::string corrected_map(const ConfigMap& cached, std::string_view bundle);

}  // namespace davit::serviceaccount
