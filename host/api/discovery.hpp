/// The resources that the server offers, their kinds and verbs. k8s.io/client-go/discovery and
/// restmapper.
#pragma once

#include <davit/result.hpp>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/rest_client.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

enum class Scope { kNamespaced, kCluster };

struct ResourceInfo {
  std::string group;
  std::string version;
  std::string resource;  ///< "replicasets"
  std::string kind;      ///< "ReplicaSet"
  std::string singular;
  Scope scope = Scope::kNamespaced;
  std::vector<std::string> verbs;         ///< "list", "watch", …
  std::vector<std::string> subresources;  ///< "status", "scale", …

  [[nodiscard]] bool has_verb(std::string_view verb) const;
  [[nodiscard]] bool has_subresource(std::string_view subresource) const;
};

/// The response of one fetch. Immutable.
struct ApiCatalog {
  struct Version {
    std::string version;
    Status error;  ///< Why its resources are unknown; success when they are not.
    std::vector<ResourceInfo> resources;
  };
  struct Group {
    std::string name;
    std::vector<Version> versions;  ///< The preferred one first, then the server's order.
  };
  std::vector<Group> groups;  ///< Core first.

  [[nodiscard]] const Group* group(std::string_view name) const;
};

/// A catalog in memory, filled at the first lookup. Thread-safe; a lookup blocks for a fetch if
/// there is no catalog or it was reset. To keep lookups from blocking, call refresh() every 30 s
/// instead of reset().
///
/// Errors of find*(): kNotFound if the server does not have it, kUnavailable if it may have it but
/// discovery of that group (or of everything) failed.
class Discovery {
 public:
  /// `client` must outlive this. Upstream's rate is 20 a second, 200 at once.
  explicit Discovery(RestClient& client);

  /// Fetches now and replaces what is known. Success if the server was understood, even if single
  /// groups failed: their errors are in the catalog.
  [[nodiscard]] Status refresh(std::stop_token stop = {}) EXCLUDES(mutex_);

  /// Distrusts everything known; the next question fetches. Where that fails, what was known serves
  /// on.
  void reset() EXCLUDES(mutex_);

  /// An empty `version` means the group's preferred version that has the resource.
  [[nodiscard]] Result<ResourceInfo> find(std::string_view group, std::string_view version,
                                          std::string_view resource, std::stop_token stop = {})
      EXCLUDES(mutex_);

  /// The resource that objects of this kind are kept under.
  [[nodiscard]] Result<ResourceInfo> find_kind(std::string_view group, std::string_view version,
                                               std::string_view kind, std::stop_token stop = {})
      EXCLUDES(mutex_);

  /// The present catalog, fetched if needed; perhaps an old one while the server does not respond.
  [[nodiscard]] Result<std::shared_ptr<const ApiCatalog>> catalog(std::stop_token stop = {})
      EXCLUDES(mutex_);

 private:
  [[nodiscard]] bool is_stale() EXCLUDES(mutex_);
  Result<ResourceInfo> trusted(Result<ResourceInfo> found) EXCLUDES(mutex_);

  RestClient& client_;
  Mutex mutex_;
  std::shared_ptr<const ApiCatalog> catalog_ GUARDED_BY(mutex_);
  bool stale_ GUARDED_BY(mutex_) = true;  // reset() was called since the catalog was fetched.
};

}  // namespace davit::host
