/// Reads the server's discovery documents, aggregated or not. Pure.
#pragma once

#include <davit/result.hpp>
#include <string_view>
#include <vector>

#include "host/api/discovery.hpp"

namespace davit::host {

/// True when a Content-Type says "as=APIGroupDiscoveryList" of group apidiscovery.k8s.io;
/// parameters in any order.
[[nodiscard]] bool is_aggregated(std::string_view content_type);

/// Reads an APIGroupDiscoveryList. A version that is marked stale has an error instead of
/// resources.
[[nodiscard]] Result<std::vector<ApiCatalog::Group>> read_aggregated(std::string_view json);

/// Reads an APIVersions document ("/api"): the core group, its versions without resources.
[[nodiscard]] Result<ApiCatalog::Group> read_core_versions(std::string_view json);

/// Reads an APIGroupList ("/apis"): versions without resources, the preferred one first.
[[nodiscard]] Result<std::vector<ApiCatalog::Group>> read_groups(std::string_view json);

/// Reads an APIResourceList of one group and version.
[[nodiscard]] Result<std::vector<ResourceInfo>> read_resources(std::string_view json,
                                                               std::string_view group,
                                                               std::string_view version);

}  // namespace davit::host
