/// Discovery: which groups, versions and resources there are, in the legacy documents and in the
/// aggregated one. All functions are pure; groups keep the order of `resources`.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// The form of a response to GET /api or GET /apis.
struct DiscoveryForm {
  bool aggregated = false;   ///< An APIGroupDiscoveryList: with ETag, `Vary: Accept`.
  std::string content_type;  ///< For an aggregated response exactly what the client asked for.
};
[[nodiscard]] ApiResult<DiscoveryForm> negotiate_discovery(std::string_view accept);

/// The two roots of discovery.
enum class DiscoveryRoot : bool { kCore, kGroups };

/// GET /api or /apis, aggregated.
[[nodiscard]] Json aggregated_discovery(std::span<const ResourcePtr> resources, DiscoveryRoot root);
/// GET /api: `server_address` is "host:port".
[[nodiscard]] Json api_versions(std::string_view server_address);
/// GET /apis
[[nodiscard]] Json api_group_list(std::span<const ResourcePtr> resources);
/// GET /apis/{group}; nothing when there is none.
[[nodiscard]] std::optional<Json> api_group(std::span<const ResourcePtr> resources,
                                            std::string_view group);
/// GET /api/v1 or /apis/{group}/{version}; nothing when there is none. `group` is empty for core.
[[nodiscard]] std::optional<Json> api_resource_list(std::span<const ResourcePtr> resources,
                                                    std::string_view group,
                                                    std::string_view version);

/// Whether version `a` is preferred to `b`: v2, v1, v1beta2, v1beta1, v1alpha1, then others by
/// name (k8s.io/apimachinery/pkg/version.CompareKubeAwareVersionStrings).
[[nodiscard]] bool is_preferred_version(std::string_view a, std::string_view b);

/// An entity tag of a body, with its quotes. Equal bodies have equal tags, in every process.
[[nodiscard]] std::string etag_of(std::string_view body);
/// The digits of etag_of().
[[nodiscard]] std::string content_hash(std::string_view body);

}  // namespace davit::sandbox
