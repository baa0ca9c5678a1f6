/// The parts that the controllers of one host share, and the one place that wires a controller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/cache_metrics.hpp"
#include "host/cache/follow_threads.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/cache/server_history.hpp"
#include "host/config/leader_migration.hpp"
#include "host/events/event_recorder.hpp"
#include "host/journal/journal.hpp"
#include "host/loading/note.hpp"
#include "host/metrics/metrics.hpp"
#include "host/object/object_space.hpp"
#include "host/outbound/outbound_client.hpp"
#include "host/plugin/cloud_exchange.hpp"
#include "host/plugin/controller_host.hpp"
#include "host/plugin/controller_options.hpp"
#include "host/trace/tracer.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {

/// The client of a controller: the way of its requests, their form and limits, and its Events.
struct ControllerClient {
  Transport& transport;
  RestOptions options;
  EventRecorder& events;
};

/// The world of a context; each reference outlives it.
struct ContextSeams {
  Clock& clock;
  Random& random;
  Logger log;
  Metrics& metrics;
  Discovery& discovery;
  ListWatch& lists;  ///< Fills the caches.
  CacheMetrics& cache_metrics;
  std::function<ControllerClient(const DeclaredController&)> client;
  /// Lets writes pass while this host leads; for controllers that need leadership.
  std::function<WriteGate(ControllerLease)> leads;
  /// See ServerHistory.
  ServerHistory::OnRestored on_restored;
  ServerHistory::OnUndecided on_undecided = {};
  /// See InformerSeams.
  std::function<void(const ResourceId& resource, const SkippedObject& object)> on_skip = {};
  ServerContact* contact = nullptr;
  /// See HostServices.
  ControllerObserver* observer = nullptr;
  OutboundConnector outside = {};
  Tracer* tracer = nullptr;
};

struct ContextOptions {
  ReflectorOptions reflector = {};
  std::size_t journal_bytes = 0;  ///< See Journal.
  Duration sync_limit = RunnerOptions{}.sync_limit;
  DryRun dry_run = DryRun::kOff;
  ControllerHostOptions::ReadYourWrites read_your_writes =
      ControllerHostOptions::ReadYourWrites::kOn;
  /// kNone: the owner steps controllers and caches.
  Threads threads = Threads::kOwn;
};

/// A controller that is to be made; see ControllerHostOptions.
struct ControllerTerms {
  DeclaredController declared;
  std::string plugin;
  std::string build_id;
  std::uint64_t generation = 1;
  std::optional<std::uint32_t> workers = {};
  std::string config = {};
  ControllerLease lease = ControllerLease::kMain;
};

/// The host of `davit run` and the one of the test cluster differ in their seams only: clock,
/// transports, threads, and where the code of controllers comes from. Caches, read your writes, the
/// gates of a write, the journal and the exchange of clouds are wired here, for both.
///
/// A controller's writes pass the gate of leadership if it needs that, and then the fence that
/// falls when the server was restored. Threads: any.
class ControllerContext {
 public:
  ControllerContext(ContextSeams seams, const ContextOptions& options);
  ControllerContext(const ControllerContext&) = delete;
  ControllerContext& operator=(const ControllerContext&) = delete;

  /// A controller that has not been initialised. It must not outlive this.
  [[nodiscard]] std::unique_ptr<ControllerHost> make(ControllerTerms terms);
  /// The services that make() gives a controller.
  [[nodiscard]] HostServices services(const ControllerClient& client);

  [[nodiscard]] ObjectSpace& space() { return space_; }
  [[nodiscard]] InformerFactory& informers() { return informers_; }
  [[nodiscard]] const InformerFactory& informers() const { return informers_; }
  [[nodiscard]] ServerHistory& history() { return history_; }
  [[nodiscard]] const ServerHistory& history() const { return history_; }
  [[nodiscard]] const Journal& journal() const { return journal_; }
  [[nodiscard]] CloudExchange& cloud() { return cloud_; }

 private:
  [[nodiscard]] WriteGate gate_of(const ControllerTerms& terms) const;

  const ContextSeams seams_;
  const ContextOptions options_;
  // In the order of construction; a later one may use an earlier one.
  ObjectSpace space_;
  ServerHistory history_;
  FollowThreads follow_threads_;  // Starts none if the owner steps the caches.
  InformerFactory informers_;
  Journal journal_;
  CloudExchange cloud_;
};

}  // namespace davit::host
