/// The resources that the server offers, their kinds and verbs. k8s.io/client-go/discovery and
/// restmapper.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::vector<std::string> short_names;   ///< "rs"

  [[nodiscard]] bool has_verb(std::string_view verb) const;
  [[nodiscard]] bool has_subresource(std::string_view subresource) const;
  friend bool operator==(const ResourceInfo&, const ResourceInfo&) = default;
};

/// The response of one fetch. Immutable.
struct ApiCatalog {
  struct Version {
    std::string version;
    Status error;  ///< Why its resources are unknown; success when they are not.
    std::vector<ResourceInfo> resources;

    /// Whether both have the same content; texts of errors are ignored.
    friend bool operator==(const Version& a, const Version& b) {
      return a.version == b.version && a.error.ok() == b.error.ok() && a.resources == b.resources;
    }
  };
  struct Group {
    std::string name;
    std::vector<Version> versions;  ///< The preferred one first, then the server's order.

    friend bool operator==(const Group&, const Group&) = default;
  };
  std::vector<Group> groups;  ///< Core first.
  Time fetched{};             ///< When the fetch began; includes the state of that time.

  /// Whether both have the same content, regardless of the time.
  friend bool operator==(const ApiCatalog& a, const ApiCatalog& b) { return a.groups == b.groups; }

  [[nodiscard]] const Group* group(std::string_view name) const;
};

/// Notified when a fetched catalog differs from the previous one. Called with Discovery's lock
/// held; must not call back.
class DiscoveryListener {
 public:
  DiscoveryListener() = default;
  DiscoveryListener(const DiscoveryListener&) = delete;
  DiscoveryListener& operator=(const DiscoveryListener&) = delete;
  virtual ~DiscoveryListener() = default;
  virtual void discovery_changed() = 0;
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

  /// Fetches a catalog that replaces the current one. Success if the server was understood, even if
  /// single groups failed: their errors are in the catalog. If the server reports no core group but
  /// had one before, that is also such an error. Callers that arrive during a fetch share the next
  /// one, so that it includes the state of the time of their call.
  [[nodiscard]] Status refresh(std::stop_token stop = {}) EXCLUDES(mutex_);

  /// The same; returns the fetched catalog.
  [[nodiscard]] Result<std::shared_ptr<const ApiCatalog>> fetch(std::stop_token stop = {})
      EXCLUDES(mutex_);

  /// Marks the catalog as outdated: the next lookup fetches. If that fails, the old catalog stays
  /// in use.
  void reset() EXCLUDES(mutex_);

  /// An empty `version` means the group's preferred version that has the resource.
  [[nodiscard]] Result<ResourceInfo> find(std::string_view group, std::string_view version,
                                          std::string_view resource, std::stop_token stop = {})
      EXCLUDES(mutex_);

  /// The resource that has objects of this kind.
  [[nodiscard]] Result<ResourceInfo> find_kind(std::string_view group, std::string_view version,
                                               std::string_view kind, std::stop_token stop = {})
      EXCLUDES(mutex_);

  /// The current catalog, fetched if needed; possibly an old one while the server does not respond.
  /// Callers that arrive during the fetch share it.
  [[nodiscard]] Result<std::shared_ptr<const ApiCatalog>> catalog(std::stop_token stop = {})
      EXCLUDES(mutex_);

  struct Known {
    std::shared_ptr<const ApiCatalog> catalog;  ///< Null before the first fetch.
    bool is_doubted = false;  ///< doubt() was called since it was fetched: refresh() it.
  };
  /// The last catalog, possibly an old one. Never fetches.
  [[nodiscard]] Known known() const EXCLUDES(mutex_);
  /// Called when a response contradicts the catalog.
  void doubt() EXCLUDES(mutex_);

  /// `listener` must outlive its place here.
  void add_listener(DiscoveryListener& listener) EXCLUDES(mutex_);
  /// After this returns `listener` is not called any more.
  void remove_listener(DiscoveryListener& listener) EXCLUDES(mutex_);
  [[nodiscard]] bool has_listeners() const EXCLUDES(mutex_);

  /// The number of callers that wait for a fetch of another caller.
  [[nodiscard]] std::size_t waiting() const EXCLUDES(mutex_);

  /// Makes DiscoveryPoll refresh the catalog soon. Does not wait.
  void request_refresh() EXCLUDES(mutex_);
  /// Whether a refresh was requested since the last call.
  [[nodiscard]] bool take_request() EXCLUDES(mutex_);
  /// Waits until `stop`, until `until`, or from `earliest` on until a refresh is requested.
  void await_request(Clock& clock, Time earliest, Time until, const std::stop_token& stop)
      EXCLUDES(mutex_);

 private:
  using Fetched = Result<std::shared_ptr<const ApiCatalog>>;

  /// The outcome of the first fetch with this number or a higher one. At most one runs at a time.
  Fetched share(std::uint64_t first, const std::stop_token& stop) EXCLUDES(mutex_);
  [[nodiscard]] Fetched fetch_now(const std::stop_token& stop) EXCLUDES(mutex_);
  /// The fetch with this number has ended.
  void land(std::uint64_t number, const Fetched& fetched) EXCLUDES(mutex_);
  Result<ResourceInfo> trusted(Result<ResourceInfo> found) EXCLUDES(mutex_);

  RestClient& client_;
  mutable Mutex mutex_;
  CondVar requested_;
  std::shared_ptr<const ApiCatalog> catalog_ GUARDED_BY(mutex_);
  bool stale_ GUARDED_BY(mutex_) = true;  // reset() was called since the catalog was fetched.
  bool is_doubted_ GUARDED_BY(mutex_) = false;
  Status failure_ GUARDED_BY(mutex_);  // The last fetch's.

  CondVar landed_;  // A fetch has ended.
  std::size_t waiting_ GUARDED_BY(mutex_) = 0;
  bool is_flying_ GUARDED_BY(mutex_) = false;     // A fetch runs: the last one begun.
  std::uint64_t begun_ GUARDED_BY(mutex_) = 0;    // Fetches; each has its number.
  std::uint64_t trusted_ GUARDED_BY(mutex_) = 1;  // The first that began after the last reset().
  std::uint64_t landed_ever_ GUARDED_BY(mutex_) = 0;  // The number of `outcome_`.
  Fetched outcome_ GUARDED_BY(mutex_) = std::shared_ptr<const ApiCatalog>();
  bool is_refresh_wanted_ GUARDED_BY(mutex_) = false;
  std::vector<DiscoveryListener*> listeners_ GUARDED_BY(mutex_);
};

/// The last catalog, possibly an old one; null before the first fetch, which this does not make.
/// Fetches, and blocks, only after Discovery::doubt().
[[nodiscard]] std::shared_ptr<const ApiCatalog> known_catalog(Discovery& discovery,
                                                              std::stop_token stop = {});

}  // namespace davit::host
