/// The groups of aggregated APIs in the server's own discovery documents. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/json.hpp"
#include "sandbox/aggregation/remote_service.hpp"

namespace davit::sandbox {

/// The last known content of one group version of an aggregated API.
struct RemoteVersion {
  std::string group;
  std::string version;
  /// An APIVersionDiscovery; without resources if the server has never answered.
  Json discovery;
  /// The path and query of its OpenAPI v3 document; empty: it has none.
  std::string openapi;
};

/// All aggregated APIs.
struct RemoteApis {
  std::vector<RemoteVersion> versions;
  /// From all APIServices: the places of groups and of group versions ("apps/v1") in discovery, the
  /// highest first.
  std::map<std::string, std::int64_t, std::less<>> group_priorities;
  std::map<std::string, std::int64_t, std::less<>> version_priorities;
};

/// Adds them to the groups of GET /apis. k8s: apisHandler of kube-aggregator/pkg/apiserver.
void merge_groups(Json& groups, const RemoteApis& remote);
/// GET /apis/{group} from the server's own document. Nothing: there is no such group.
[[nodiscard]] std::optional<Json> merge_group(std::optional<Json> own, std::string_view group,
                                              const RemoteApis& remote);
/// Adds them to the items of an APIGroupDiscoveryList.
void merge_aggregated(Json& items, const RemoteApis& remote);
/// Adds their documents to the index of GET /openapi/v3.
void merge_openapi_index(Json& index, const RemoteApis& remote);

/// The resources of an APIResourceList as an APIVersionDiscovery has them. Nothing: the scope of a
/// subresource is not that of its resource.
/// k8s: ConvertGroupVersionIntoToDiscovery of k8s.io/apiserver/pkg/endpoints.
[[nodiscard]] std::optional<Json> discovery_of_list(const Json& list);
/// The APIVersionDiscovery of a group version in an APIGroupDiscoveryList. Nothing: it is not
/// there.
[[nodiscard]] std::optional<Json> version_in(const Json& list, std::string_view group,
                                             std::string_view version);

}  // namespace davit::sandbox
