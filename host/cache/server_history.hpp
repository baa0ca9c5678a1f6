/// Notices that the API server was restored to an older state, as from a backup of etcd.
#pragma once

#include <atomic>
#include <davit/result.hpp>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "host/cache/informer_factory.hpp"
#include "host/cache/resource_id.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/mutex.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// The history of the API server, as far as this host has seen it. All that a host remembers (what
/// its controllers have done, which writes its caches have to show) is about one history. The
/// versions of a resource only grow in it, so a consistent read below a known version shows
/// another history: nothing in memory may lead to a write then, and the host has to restart.
///
/// A watch at a version that the server does not have yet stays silent, so nothing shows the
/// restore by itself. Versions are asked for by leader election every two seconds, by verifications
/// of caches, and by follow() after an outage: etcd cannot be restored under a server at work.
///
/// Built-in resources are in the server's main store. Custom ones may come from an aggregated API
/// server with a separate store, which may be empty after each restart, and clusters often keep
/// Events in a separate etcd; what these show is a doubt, which resolve_doubt() has a read of a
/// built-in resource decide. They never end the host themselves. Thread-safe.
class ServerHistory {
 public:
  /// The evidence.
  struct Restore {
    std::string resource;  ///< "pods", "leases.coordination.k8s.io".
    std::string known;     ///< The version that was seen before.
    std::string version;   ///< The version that the server is at.
  };
  /// Called once, on the thread that notices it, after the fence has come down. Must not block.
  using OnRestored = std::function<void(const Restore&)>;

  /// Called for a doubt that no cache can decide, once for each resource. Must not block.
  using OnUndecided = std::function<void(const Restore&)>;

  /// The least time between two verifications because of doubts: an aggregated API server may keep
  /// alternating between versions.
  static constexpr Duration kVerificationPeriod = std::chrono::minutes(1);

  explicit ServerHistory(OnRestored on_restored, OnUndecided on_undecided = {})
      : on_restored_(std::move(on_restored)), on_undecided_(std::move(on_undecided)) {}
  ServerHistory(const ServerHistory&) = delete;
  ServerHistory& operator=(const ServerHistory&) = delete;

  /// A consistent read of `resource` was at `version`, which is below the known one.
  void went_back(const ResourceId& resource, std::string_view known, std::string_view version)
      EXCLUDES(mutex_);
  /// If another resource has gone back, has the informer of a built-in one verified that is at the
  /// highest version, once one has synced, at most once in kVerificationPeriod. If there are none,
  /// the doubt is reported and dropped.
  void resolve_doubt(InformerFactory& informers, Time now) EXCLUDES(mutex_);

  /// As resolve_doubt(), and has one cache verified after each outage. To be called about once a
  /// second, from one thread.
  void follow(InformerFactory& informers, Time now) EXCLUDES(mutex_);

  [[nodiscard]] bool is_restored() const { return is_restored_.load(std::memory_order_acquire); }
  /// A gate that refuses writes once the server was restored, and otherwise as `gate` does; that
  /// one may be empty. This must outlive it.
  [[nodiscard]] WriteGate fence(WriteGate gate) const;

 private:
  void end(const Restore& what);

  const OnRestored on_restored_;
  const OnUndecided on_undecided_;
  std::atomic<bool> is_restored_{false};
  Mutex mutex_;
  std::optional<Restore> doubt_ GUARDED_BY(mutex_);     // Not yet resolved.
  std::optional<Time> verified_at_ GUARDED_BY(mutex_);  // Because of the last doubt.
  std::set<std::string> undecided_ GUARDED_BY(mutex_);  // The resources that were reported.
  // The end of the last outage, as of the last follow().
  std::map<ResourceId, Time> followed_since_;
};

}  // namespace davit::host
