/// The resources that a server offers, apart from the host's memory.
#pragma once

#include <algorithm>
#include <chrono>
#include <compare>
#include <davit/context.hpp>
#include <davit/discovery.hpp>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::offer {

/// A resource in one version.
struct ResourceId {
  std::string group;  ///< Empty: core.
  std::string version;
  std::string resource;

  /// "apps/v1", "v1".
  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
  /// "deployments.apps", "pods".
  [[nodiscard]] std::string qualified() const {
    return group.empty() ? resource : resource + "." + group;
  }
  /// "apps/v1, Resource=deployments", "/v1, Resource=pods".
  [[nodiscard]] std::string text() const {
    return group + "/" + version + ", Resource=" + resource;
  }
  friend auto operator<=>(const ResourceId&, const ResourceId&) = default;
};

/// One resource of a catalog.
struct OfferedResource {
  ResourceId id;
  std::string kind;
  bool can_be_followed = false;  ///< Has the verbs delete, list and watch.
  bool can_be_created = false;
  bool is_namespaced = false;
};

/// A catalog. The preferred version of a group comes first.
struct Offer {
  std::vector<OfferedResource> resources;
  /// Group and version of which the server could not say what it has.
  std::set<std::pair<std::string, std::string>> unknown;
};

/// Whether the kinds of a group are Kubernetes' own: it has no dot, which a custom group must have,
/// or is below k8s.io, which is reserved. Pure.
[[nodiscard]] bool is_kubernetes_group(std::string_view group);

/// The elements of `resources`, those of Kubernetes' groups first, else in their order: what is
/// opened first has its thread and its watch when the process runs short of them. `id_of` gives the
/// ResourceId of an element. They live as long as `resources`. Pure.
template <typename Resources, typename IdOf>
[[nodiscard]] auto built_in_first(const Resources& resources, IdOf id_of) {
  std::vector<const typename Resources::value_type*> out;
  for (const auto& each : resources) out.push_back(&each);
  std::stable_partition(out.begin(), out.end(), [&id_of](const auto* each) {
    return is_kubernetes_group(id_of(*each).group);
  });
  return out;
}

/// The age that an offer may have.
enum class Freshness {
  kRecent,  ///< As the host read it last, for all its controllers: kRecentMax ago at most.
  kNow      ///< Asked of the server after the call.
};
/// The host's period of discovery, and time for its requests.
inline constexpr std::chrono::seconds kRecentMax{40};

/// Finds what the server offers. `now` is Context::now(). Blocks for the requests where the server
/// is asked.
[[nodiscard]] Result<Offer> find_offer(const Discovery& discovery, Freshness freshness, Time now);

/// The offer, or kUnavailable if it lacks the core group: each Kubernetes server has that, and a
/// proxy may still respond without it. With such an answer no pod would have owners or count
/// for a quota. Pure.
[[nodiscard]] Result<Offer> whole(Result<Offer> offer);

/// Adds `key` to `queue` now and whenever what the server offers has changed. Logs a failure.
void wake_on_change(const Context& cluster, const Queue& queue, const Key& key);

/// find_offer(), for tests to replace.
using Discover = std::function<Result<Offer>(Freshness)>;

}  // namespace davit::offer
