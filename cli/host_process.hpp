/// The running host: everything that `davit run` wires together.
#pragma once

#include <atomic>
#include <davit/result.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "cli/desired_state.hpp"
#include "cli/options.hpp"
#include "host/api/discovery.hpp"
#include "host/api/discovery_poll.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "host/crash/quarantine.hpp"
#include "host/events/event_recorders.hpp"
#include "host/health/health_checks.hpp"
#include "host/health/metrics.hpp"
#include "host/health/observability_server.hpp"
#include "host/health/probe_thread.hpp"
#include "host/plugin/controller_host.hpp"
#include "host/plugin/loader.hpp"
#include "host/run/leader_elector.hpp"
#include "host/run/lease_api.hpp"
#include "host/swap/plugin_set.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/mutex.hpp"
#include "lib/base/random.hpp"
#include "lib/net/http_server.hpp"

namespace davit::host {

/// Whose recorder takes the host's own events, those of leader election included.
inline constexpr std::string_view kHostEvents = "davit";

/// One controller that is to run: whose code, and with which settings.
struct PlannedController {
  std::shared_ptr<const LoadedPlugin> plugin;
  std::string
      sha256;  ///< The digest that the manifest pins every build of the plugin to, or empty.
  DeclaredController declared;
  std::optional<std::uint32_t> workers;
  std::string config;
};

/// The operator's settings of a controller, which apply to every build of it.
struct OperatorSettings {
  std::optional<std::uint32_t> workers;
  std::string config;
};

/// The world of a host process; each reference outlives it.
struct HostSeams {
  Clock& clock;
  Random& random;
  LogSink& log_sink;
  /// The way to the server; null: a connection is made as the configuration says.
  Transport* transport = nullptr;
  /// The builds quarantined at this start; null: none.
  Quarantine* quarantine = nullptr;
  /// A sync, timer or handler that takes longer is reported.
  Duration sync_limit = RunnerOptions{}.sync_limit;
  /// Whether health checks and metrics are served.
  enum class HealthServer { kOff, kOn } health_server = HealthServer::kOn;
  /// The directory for private copies of builds; empty: see StagingDirectory.
  std::filesystem::path staging = {};
  /// To servers outside the cluster, for davit.http/1; empty: over sockets.
  OutboundConnector outside = {};
};

/// Life:  open() → start() → (tick() every second) → stop().
/// start(), tick() and stop() belong to the main thread.
class HostProcess {
  struct Parts;

 public:
  /// Prepares the connection to the API server and opens the health server. `on_lost_lease` is
  /// called once, on another thread, when leadership was held or sought and is gone; writes are
  /// fenced off already. `controllers` run in this order. The error is one line for the user.
  [[nodiscard]] static Result<std::unique_ptr<HostProcess>> open(
      const Manifest& manifest, const ConnectionConfig& connection,
      std::vector<PlannedController> controllers, const HostSeams& seams,
      std::function<void()> on_lost_lease);
  /// See open().
  explicit HostProcess(Parts&& parts);
  ~HostProcess();
  HostProcess(const HostProcess&) = delete;
  HostProcess& operator=(const HostProcess&) = delete;

  /// Sets the operator's settings of each controller for builds that are made from now on;
  /// initially those of the plan apply. Thread-safe.
  void want(const DesiredState& desired) EXCLUDES(mutex_);

  /// Waits for the API server, calls the InitFuncs, starts informers and the election. The error is
  /// one line for the user. `stop` ends the waits.
  Status start(const std::stop_token& stop);

  void tick();

  /// The plugins that run; none before start().
  [[nodiscard]] PluginSet& plugins() { return plugins_; }

  /// The host of another build of a controller, beside those that plugins() has. It must not
  /// outlive this.
  [[nodiscard]] std::unique_ptr<ControllerHost> make_controller(const LoadedPlugin& plugin,
                                                                const DeclaredController& declared,
                                                                std::uint64_t generation)
      EXCLUDES(mutex_);
  [[nodiscard]] const InformerFactory& informers() const { return informers_; }
  /// Controllers whose InitFunc said SKIPPED, with the reason; after start().
  [[nodiscard]] const std::vector<std::string>& skipped() const { return skipped_; }

  /// Loads a plugin with the controllers that the operator wants of it. One that was in quarantine
  /// is so no more. After start(); thread-safe.
  [[nodiscard]] SwapReport load(const std::filesystem::path& file) EXCLUDES(mutex_);

  /// The plugins in quarantine now. Thread-safe.
  [[nodiscard]] std::vector<QuarantinedPlugin> quarantined() const {
    if (seams_.quarantine == nullptr) return {};
    return seams_.quarantine->quarantined();
  }

  /// Health checks, and notes for the operator that fail no check. Thread-safe.
  [[nodiscard]] HealthChecks& checks() { return checks_; }

  /// Ends everything in order; the lease is given back. False when a sync did not end in time: then
  /// the lease is kept. False, too, when a health check or page of a plugin does not end. After
  /// false the process must end without destroying this.
  bool stop();

 private:
  [[nodiscard]] RestOptions client_options(std::string_view name, RestOptions options);
  [[nodiscard]] TokenBucket::Rate rate() const;
  [[nodiscard]] DryRun dry_run() const;
  [[nodiscard]] SetObservers observers();
  [[nodiscard]] LeaderElectionOptions election_options() const;
  Status serve_health();
  Status discover(const std::stop_token& stop);
  Status init_controllers(const std::stop_token& stop);
  Status init_controller(const PlannedController& planned);
  void show_controller(const std::string& controller);
  void announce_quarantine();
  void report_rolled_back(const std::string& text);
  /// The object that Events of the host refer to.
  [[nodiscard]] Reference lease() const;
  void note_quarantine();
  void wait_between_controllers(const std::stop_token& stop);
  Status start_controllers();
  [[nodiscard]] Status stand_for_election();
  void lead(std::optional<Time> won);
  void report_caches();
  /// On an informer's thread, under its lock.
  void report_skipped(const ResourceId& resource, const SkippedObject& object);
  [[nodiscard]] Quiesce shutdown_limits() const;
  void warn_of_neighbour(const std::stop_token& stop);
  /// Resets discovery from time to time so that lookups fetch again, or starts the poll that does
  /// it.
  void refresh_discovery();
  [[nodiscard]] bool elects() const;

  // Fixed after construction.
  const Manifest manifest_;
  const ConnectionConfig connection_;
  // Until start(), so that only the set holds a plugin.
  std::vector<PlannedController> planned_;
  std::vector<std::string> skipped_;  // Filled by start().
  const HostSeams seams_;
  const Logger log_;
  const std::function<void()> on_lost_lease_;

  Mutex mutex_;
  std::map<std::string, OperatorSettings> settings_
      GUARDED_BY(mutex_);                    // The key is the controller's name.
  DesiredState desired_ GUARDED_BY(mutex_);  // Empty: not set.

  // In the order of construction; a later one may use an earlier one.
  const std::unique_ptr<Metrics> metrics_;
  ProbeThreads probe_threads_;  // Health checks and pages of plugins.
  HealthChecks checks_;
  ObservabilityRoutes routes_;
  ObjectSpace space_;
  ServerContact contact_;
  const std::unique_ptr<Transport> connection_made_;  // Null: the seams bring one.
  Transport& transport_;
  RestClient discovery_client_;
  RestClient informer_client_;
  RestClient lease_client_;
  Discovery discovery_;
  EventRecorders events_;
  RestListWatch list_watch_;
  InformerFactory informers_;
  RestLeaseApi lease_api_;
  std::optional<LeaderElector> elector_;  // Only where a leader is elected.
  PluginSet plugins_;
  std::unique_ptr<HttpServer> server_;  // Until stop(). Last: its handlers read the others.
  std::atomic<bool> started_{
      false};  // start() succeeded: what readyz waits for. Relaxed is enough, nothing hangs on it.
  std::atomic<bool> stopping_{false};
  Time discovery_reset_due_{};
  std::optional<DiscoveryPoll> discovery_poll_;  // Since a controller listens, until stop().
  bool trimmed_ = false;  // Free memory was given back once after the caches were filled.
};

}  // namespace davit::host
