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

    /// Whether both say the same; the text of an error does not count.
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
  Time fetched{};             ///< When the fetch began: what was true by then is in it.

  /// Whether both say the same, whenever they were fetched.
  friend bool operator==(const ApiCatalog& a, const ApiCatalog& b) { return a.groups == b.groups; }

  [[nodiscard]] const Group* group(std::string_view name) const;
};

/// Is notified when a fetched catalog differs from the one before. Called under the lock of
/// Discovery, so it is a leaf.
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

  /// Fetches now and replaces what is known. Success if the server was understood, even if single
  /// groups failed: their errors are in the catalog. So is one of the core group where the server
  /// says that it has none, and had one before. Callers that come while a fetch runs share the next
  /// one: what was true when they called is in it.
  [[nodiscard]] Status refresh(std::stop_token stop = {}) EXCLUDES(mutex_);

  /// The same; gives what was fetched.
  [[nodiscard]] Result<std::shared_ptr<const ApiCatalog>> fetch(std::stop_token stop = {})
      EXCLUDES(mutex_);

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
  /// Callers that come while it is fetched share that fetch.
  [[nodiscard]] Result<std::shared_ptr<const ApiCatalog>> catalog(std::stop_token stop = {})
      EXCLUDES(mutex_);

  /// The catalog as known, perhaps an old one; null before the first fetch, which this does not
  /// make. Fetches only after doubt().
  [[nodiscard]] std::shared_ptr<const ApiCatalog> known(std::stop_token stop = {}) EXCLUDES(mutex_);
  /// A response contradicts the catalog. Has known() fetch a new one.
  void doubt() EXCLUDES(mutex_);

  /// `listener` must outlive its place here.
  void add_listener(DiscoveryListener& listener) EXCLUDES(mutex_);
  /// After this returns `listener` is not called any more.
  void remove_listener(DiscoveryListener& listener) EXCLUDES(mutex_);
  [[nodiscard]] bool has_listeners() const EXCLUDES(mutex_);

  /// The number of callers that wait for a fetch that another one began.
  [[nodiscard]] std::size_t waiting() const EXCLUDES(mutex_);

  /// Has DiscoveryPoll refresh this soon. Does not wait.
  void request_refresh() EXCLUDES(mutex_);
  /// Whether that was asked for since the last call.
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

}  // namespace davit::host
