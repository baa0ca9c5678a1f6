/// The elections of a host: for its own lease and for that of a leader migration.
#pragma once

#include <atomic>
#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <string>

#include "host/api/rest_client.hpp"
#include "host/config/leader_migration.hpp"
#include "host/config/manifest.hpp"
#include "host/election/leader_elector.hpp"
#include "host/election/lease_api.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {

/// The host stands for election on the lease of the migration once it has its own one, with the
/// same identity. Losing either one is final, as upstream. Rule: docs/spec/host.md, section 7.
///
/// A host without a controller under the migration lease must not take it from those that have one,
/// so it becomes a candidate only after want_migration().
class HostElections {
 public:
  struct Handlers {
    /// Called on an elector's thread; must return at once.
    std::function<void(ControllerLease)> on_won;
    /// For each election that ends, also at stop(). Writes were already fenced off.
    std::function<void(ElectionEnd)> on_stopped;
    /// See LeaderElectionHandlers; for each of the Leases. May be empty.
    std::function<void(const LeaderElection::WentBack&)> on_went_back = {};
  };
  struct Seams {
    RestClient& client;
    Clock& clock;
    Random& random;
    LeaderElectionMetrics& metrics;
    EventRecorder* events;
    Logger log;
  };

  /// `options` are those of the host's own lease. The references of `seams` outlive this.
  HostElections(LeaderElectionOptions options, const LeaderMigration& migration, const Seams& seams,
                Handlers handlers);
  HostElections(const HostElections&) = delete;
  HostElections& operator=(const HostElections&) = delete;

  /// See LeaderElector::start().
  [[nodiscard]] Status start() { return main_.start(); }
  /// A controller of this host runs under the lease of the migration: watches that lease from now
  /// on, and stands for it once the host has its own one. Any thread; idempotent.
  void want_migration() EXCLUDES(mutex_);
  /// Gives the leases back: only when nothing that they guard can write any more.
  void stop() EXCLUDES(mutex_);

  /// Lets writes pass while this host has the lease.
  [[nodiscard]] WriteGate gate(ControllerLease lease) const;
  [[nodiscard]] bool is_leader() const { return main_.is_leader(); }
  /// The holder of the host's own lease; empty until it was read.
  [[nodiscard]] std::string holder() const { return main_.holder(); }
  /// See LeaderElector::health().
  [[nodiscard]] Status health() const;

 private:
  void on_main() EXCLUDES(mutex_);

  const Handlers handlers_;
  const Logger log_;
  RestLeaseApi main_lease_;
  RestLeaseApi migration_lease_;
  LeaderElectionOptions migration_options_;
  const Seams seams_;
  // Released once made; null before. Lives as long as this.
  std::atomic<const LeaderElector*> migration_view_{nullptr};
  Mutex mutex_;
  bool has_main_ GUARDED_BY(mutex_) = false;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
  std::optional<LeaderElector> migration_ GUARDED_BY(mutex_);  // Created by want_migration().
  LeaderElector main_;
};

}  // namespace davit::host
