/// The status of a namespace that is being deleted. Pure; conditions and messages are those of
/// kubernetes:pkg/controller/namespace/deletion.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// The objects of one resource that remain.
struct NamespaceContent {
  std::string group;
  std::string resource;
  std::size_t count = 0;
  std::map<std::string, std::size_t> finalizers;  ///< The number of objects with each finalizer.
};

/// The conditions of the namespace, those that do not change with their times. `now`: as the API
/// writes times.
[[nodiscard]] Json namespace_conditions(const Json& current,
                                        const std::vector<NamespaceContent>& content,
                                        const std::string& now);

}  // namespace davit::sandbox
