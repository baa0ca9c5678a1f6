/// The elections of a host: for its own lease and for that of a leader migration.
#pragma once

#include <davit/result.hpp>
#include <functional>
#include <optional>
#include <string>

#include "host/api/rest_client.hpp"
#include "host/config/leader_migration.hpp"
#include "host/config/manifest.hpp"
#include "host/run/leader_elector.hpp"
#include "host/run/lease_api.hpp"

namespace davit::host {

/// Whether some of the host's controllers run under the lease of a leader migration. A host without
/// any must not keep that lease from those that have them.
enum class Migrated { kNone, kSome };

/// The host stands for election on the lease of the migration once it has its own one, with the
/// same identity. Losing either one is final, as upstream. Rule: docs/spec/host.md, section 7.
class HostElections {
 public:
  struct Handlers {
    /// Called on an elector's thread; must return at once.
    std::function<void(ControllerLease)> on_won;
    /// For each election that ends, also at stop(). Writes were already fenced off.
    std::function<void()> on_stopped;
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
  HostElections(LeaderElectionOptions options, const LeaderMigration& migration, Migrated migrated,
                const Seams& seams, Handlers handlers);
  HostElections(const HostElections&) = delete;
  HostElections& operator=(const HostElections&) = delete;

  /// See LeaderElector::start().
  [[nodiscard]] Status start() { return main_.start(); }
  /// Gives the leases back: only when nothing that they guard can write any more.
  void stop();

  /// Lets writes pass while this host has the lease.
  [[nodiscard]] WriteGate gate(ControllerLease lease) const;
  [[nodiscard]] bool is_leader() const { return main_.is_leader(); }
  /// The holder of the host's own lease; empty until it was read.
  [[nodiscard]] std::string holder() const { return main_.holder(); }
  /// See LeaderElector::health().
  [[nodiscard]] Status health() const;

 private:
  void on_main();

  const Handlers handlers_;
  const Logger log_;
  RestLeaseApi main_lease_;
  RestLeaseApi migration_lease_;
  std::optional<LeaderElector> migration_;  // Started by the thread of `main_`, which ends first.
  LeaderElector main_;
};

}  // namespace davit::host
