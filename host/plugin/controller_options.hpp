/// The options of a hosted controller.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/config/leader_migration.hpp"
#include "host/events/event_recorder.hpp"
#include "host/journal/journal.hpp"
#include "host/loading/note.hpp"
#include "host/metrics/metrics.hpp"
#include "host/object/object_space.hpp"
#include "host/outbound/outbound_client.hpp"
#include "host/run/controller_runner.hpp"
#include "host/trace/tracer.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"

namespace davit::host {

class CloudExchange;

/// Observes what controllers do, for the records of tests. Called on the controllers' threads.
class ControllerObserver {
 public:
  ControllerObserver() = default;
  ControllerObserver(const ControllerObserver&) = delete;
  ControllerObserver& operator=(const ControllerObserver&) = delete;
  virtual ~ControllerObserver() = default;

  virtual void synced(std::string_view controller, std::string_view key,
                      const SyncOutcome& outcome) = 0;
  /// `level` is that of abi.h.
  virtual void logged(std::int32_t level, std::string_view message,
                      std::span<const LogPair> fields) = 0;
  /// An Event before it is correlated.
  virtual void recorded(const Reference& regarding, std::string_view type, std::string_view reason,
                        std::string_view message) = 0;
  virtual void measured(std::string_view metric, double value,
                        std::span<const std::string_view> labels) = 0;
  /// A function of the host that answered DAVIT_MISUSE or DAVIT_STALE.
  struct Misuse {
    std::string_view function;  ///< "queue_add" for add() of "davit.queue/1"; may be empty.
    std::int32_t code;
    std::string_view why;  ///< May be empty.
  };
  virtual void misused(std::string_view /*controller*/, const Misuse& /*misuse*/) {}
  /// A call from the wrong place, or outside the note.
  virtual void refused(std::string_view controller, std::string_view why) = 0;
};

/// The services of the host for one controller. All controllers share them, except `transport`,
/// which may use the controller's own account, and `events`. Every reference must outlive every
/// controller.
struct HostServices {
  ObjectSpace& space;
  InformerFactory& informers;
  Transport& transport;
  Discovery& discovery;
  EventRecorder& events;
  Metrics& metrics;
  Clock& clock;
  Random& random;
  Logger log;
  ControllerObserver* observer = nullptr;  ///< May be null.
  OutboundConnector outside = {};          ///< To servers outside; empty: over sockets.
  Tracer* tracer = nullptr;                ///< Null: nothing is traced.
  Journal* journal = nullptr;              ///< Null: no controller keeps a record of its work.
  CloudExchange* cloud = nullptr;          ///< Null: no controller provides a cloud.
};

struct ControllerHostOptions {
  DeclaredController declared;
  std::string plugin;
  std::string build_id;
  std::uint64_t generation = 1;  ///< The plugin's generation in this process; for crash reports.
  std::optional<std::uint32_t> workers;  ///< The operator's number; nothing: the plugin's.
  std::string config;                    ///< JSON text of an object; empty: none.
  TokenBucket::Rate rate;                ///< Rate limit of this controller's API client.
  std::string user_agent{};     ///< For the API server; empty: davit's, with the client name.
  std::string field_manager{};  ///< See RestOptions::field_manager.
  std::optional<FailureBackoffLimits> failure_backoff{};  ///< The connection's.
  ControllerLease lease = ControllerLease::kMain;         ///< The lease that lets it sync.
  WriteGate write_gate;                                   ///< Called before each write is sent.
  std::function<void()> on_success{};                     ///< See RestOptions::on_success.
  Duration sync_limit = RunnerOptions{}.sync_limit;
  DryRun dry_run = DryRun::kOff;
  /// Whether a key waits until the caches show what its last sync wrote.
  enum class ReadYourWrites { kOn, kOff };
  ReadYourWrites read_your_writes = ReadYourWrites::kOn;
  Threads threads = Threads::kOwn;
};

}  // namespace davit::host
