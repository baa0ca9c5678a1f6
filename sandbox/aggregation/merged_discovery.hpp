/// The groups of aggregated APIs in the server's own discovery documents. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
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
  std::string openapi = {};
  /// Its part of an OpenAPI v2 document; null: it has none.
  std::shared_ptr<const Json> openapi_v2 = nullptr;
};

/// All aggregated APIs.
struct RemoteApis {
  std::vector<RemoteVersion> versions;
  /// The group versions whose APIService names no Service, whether this server has them or not.
  std::vector<RemoteVersion> local = {};
  /// Whether the core group has an APIService: the server has written those of all its groups.
  bool has_core = false;
  /// From all APIServices: the places of groups and of group versions ("apps/v1") in discovery, the
  /// highest first.
  std::map<std::string, std::int64_t, std::less<>> group_priorities;
  std::map<std::string, std::int64_t, std::less<>> version_priorities;
};

/// Removes the group versions that have no APIService from the groups of GET /apis.
void remove_unregistered_groups(Json& groups, const RemoteApis& remote);
/// Adds them to the groups of GET /apis. k8s: apisHandler of kube-aggregator/pkg/apiserver.
void merge_groups(Json& groups, const RemoteApis& remote);
/// GET /apis/{group} from the server's own document. Nothing: there is no such group.
[[nodiscard]] std::optional<Json> merge_group(std::optional<Json> own, std::string_view group,
                                              const RemoteApis& remote);
/// Adds those of other servers to the items of an APIGroupDiscoveryList, for which APIServices
/// without a Service do not count. k8s: discoveryManager of kube-aggregator/pkg/apiserver.
void merge_aggregated(Json& items, const RemoteApis& remote);
/// Those that have an OpenAPI v2 document, in the order in which these are merged.
/// k8s: sortByPriority of kube-aggregator/pkg/controllers/openapi/aggregator.
[[nodiscard]] std::vector<std::shared_ptr<const Json>> openapi_v2_of(const RemoteApis& remote);
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
