/// The running host: everything that `davit run` wires together.
#pragma once

#include <atomic>
#include <davit/result.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "host/context/controller_context.hpp"
#include "host/crash/quarantine.hpp"
#include "host/crash/stuck_positions.hpp"
#include "host/election/lease_holders.hpp"
#include "host/events/event_recorders.hpp"
#include "host/health/health_checks.hpp"
#include "host/journal/journal.hpp"
#include "host/loading/loader.hpp"
#include "host/metrics/metrics.hpp"
#include "host/plugin/controller_host.hpp"
#include "host/process/cloud_loops.hpp"
#include "host/process/discovery_refresh.hpp"
#include "host/process/host_clients.hpp"
#include "host/process/host_elections.hpp"
#include "host/process/host_ports.hpp"
#include "host/process/host_reports.hpp"
#include "host/process/host_rights.hpp"
#include "host/process/neighbour.hpp"
#include "host/process/operator_orders.hpp"
#include "host/process/pages/flags_in_force.hpp"
#include "host/status/status_board.hpp"
#include "host/swap/plugin_set.hpp"
#include "host/trace/tracing.hpp"
#include "host/why/why_service.hpp"
#include "lib/base/clock.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/base/spdlog_sink.hpp"

namespace davit::host {

/// One controller that is to run: whose code, and with which settings.
struct PlannedController {
  std::shared_ptr<const LoadedPlugin> plugin;
  std::string
      sha256;  ///< The digest that the manifest pins every build of the plugin to, or empty.
  DeclaredController declared;
  std::optional<std::uint32_t> workers;
  std::string config;
};

/// The world of a host process; each reference outlives it.
struct HostSeams {
  Clock& clock;
  Random& random;
  LogSink& log_sink;
  /// The transport to the server; null: a connection that follows the configuration.
  Transport* transport = nullptr;
  /// The builds quarantined at this start; null: none.
  Quarantine* quarantine = nullptr;
  /// The earlier processes of this machine that stood for the lease; null: none is known.
  LeaseHolders* lease_holders = nullptr;
  /// A sync, timer or handler that takes longer is reported.
  Duration sync_limit = RunnerOptions{}.sync_limit;
  /// Whether health checks and metrics are served.
  enum class HealthServer { kOff, kOn } health_server = HealthServer::kOn;
  /// The directory for private copies of builds; empty: see StagingDirectory.
  std::filesystem::path staging = {};
  /// The program that opens each build first; see LoadTerms. Empty: none.
  std::filesystem::path trial = {};
  /// To servers outside the cluster, for davit.http/1; empty: over sockets.
  OutboundConnector outside = {};
  /// Observers of what the plugins do; null and empty: none.
  ControllerObserver* observer = nullptr;
  ObjectDebugging debugging = {};
  /// Without an endpoint nothing is traced.
  TracingConfig tracing = {};
  LogVerbosity* verbosity = nullptr;  ///< That of `log_sink`; null: it does not change.
  /// The start beside a kube-controller-manager that runs the same controllers.
  NeighbourTerms::Beside beside = NeighbourTerms::Beside::kRefuse;
  /// Whether the server is asked which rights are missing. kAssumed: the identity has all.
  enum class Rights { kAssumed, kReviewed } rights = Rights::kAssumed;
  /// Whether calls that do not return are reported with their position in the plugin.
  enum class Positions { kOff, kSampled } positions = Positions::kOff;
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
  /// initially those of the plan apply. From one thread at a time.
  void want(const DesiredState& desired) { cloud_loops_.want(orders_.want(desired), desired); }

  /// Waits for the API server, calls the InitFuncs, starts informers and the election. The error is
  /// one line for the user. `stop` ends the waits.
  Status start(const std::stop_token& stop);

  void tick();

  /// Whether the API server was restored to an older state while this ran. Writes are fenced off
  /// then, for good: the process has to stop() and be restarted. Thread-safe.
  [[nodiscard]] bool has_seen_a_restore() const { return context_.history().is_restored(); }

  /// The plugins that run; none before start().
  [[nodiscard]] PluginSet& plugins() { return plugins_; }

  /// The host of another build of a controller, beside those that plugins() has. It must not
  /// outlive this.
  [[nodiscard]] std::unique_ptr<ControllerHost> make_controller(const LoadedPlugin& plugin,
                                                                const DeclaredController& declared,
                                                                std::uint64_t generation);
  [[nodiscard]] const InformerFactory& informers() const { return context_.informers(); }
  /// The writes of the controllers and their causes. Thread-safe.
  [[nodiscard]] const Journal& journal() const { return context_.journal(); }
  /// Answers `davit why`. Thread-safe.
  [[nodiscard]] const WhyService& why() const { return why_; }
  /// Controllers whose InitFunc said SKIPPED, with the reason; after start().
  [[nodiscard]] const std::vector<std::string>& skipped() const { return skipped_; }

  /// Loads a plugin with the controllers that the operator has enabled, and removes it from
  /// quarantine. After start(); thread-safe.
  [[nodiscard]] SwapReport load(const std::filesystem::path& file);

  /// The plugins in quarantine now. Thread-safe.
  [[nodiscard]] std::vector<QuarantinedPlugin> quarantined() const {
    if (seams_.quarantine == nullptr) return {};
    return seams_.quarantine->quarantined();
  }

  /// The state of this host as documents. Thread-safe.
  [[nodiscard]] StatusBoard& status() { return status_; }

  /// Health checks, and notes for the operator that fail no check. Thread-safe.
  [[nodiscard]] HealthChecks& checks() { return ports_.checks(); }
  /// The address of the pages over plain HTTP; empty if they are not served. After start().
  [[nodiscard]] std::string page_url() const { return ports_.page_url(); }

  /// Ends everything in order and releases the lease. False if a sync did not end in time; the
  /// lease is then kept. Also false if a health check or page of a plugin does not end. After false
  /// the process must exit without destroying this.
  bool stop();

 private:
  [[nodiscard]] std::unique_ptr<EventApi> make_event_api(std::string_view client);
  [[nodiscard]] ContextSeams context_seams();
  [[nodiscard]] ContextOptions context_options() const;
  [[nodiscard]] ControllerClient client_of(const DeclaredController& declared);
  [[nodiscard]] SetObservers observers();
  void prepare_elections();
  /// Adds the host's own pages and opens the ports.
  Status serve();
  /// Thread-safe.
  [[nodiscard]] SettingsInForce in_force() const;
  Status discover(const std::stop_token& stop);
  Status init_controllers(const std::stop_token& stop);
  /// A controller whose InitFunc has succeeded. `planned` outlives it.
  struct InitialisedController {
    const PlannedController* planned;
    std::unique_ptr<ControllerHost> host;
  };
  Status init_controller(const PlannedController& planned,
                         std::vector<InitialisedController>& made);
  [[nodiscard]] static Status failed_to_start(const PlannedController& planned, const Status& why);
  void show_controller(const std::string& controller);
  void wait_between_controllers(const std::stop_token& stop);
  Status start_controllers();
  [[nodiscard]] Status stand_for_election();
  void report_caches();
  void sample_status();
  [[nodiscard]] Quiesce shutdown_limits() const;
  /// Returns memory that is not needed any more.
  void release_memory();
  [[nodiscard]] bool elects() const {
    return manifest_.leader_election.enabled && !manifest_.dry_run;
  }

  // Fixed after construction.
  const Manifest manifest_;
  const ConnectionConfig connection_;
  // Until start(), so that only the set holds a plugin.
  std::vector<PlannedController> planned_;
  std::vector<std::string> skipped_;  // Filled by start().
  const HostSeams seams_;
  const Logger log_;
  const std::function<void()> on_lost_lease_;

  // In the order of construction; a later one may use an earlier one.
  const std::unique_ptr<Metrics> metrics_;
  const std::unique_ptr<Tracing> tracing_;  // Null: nothing is traced.
  OperatorOrders orders_;
  HostPorts ports_;
  const std::unique_ptr<HostClients> clients_;
  RestClient discovery_client_;
  RestClient informer_client_;
  RestClient lease_client_;
  Discovery discovery_;
  DiscoveryRefresh discovery_refresh_;
  EventRecorders events_;
  HostReports reports_;
  RestListWatch list_watch_;
  ControllerContext context_;
  std::optional<HostElections> elections_;  // Only where a leader is elected.
  StatusBoard status_;
  PluginSet plugins_;
  CloudLoops cloud_loops_{{[this] { return context_.cloud().changes(); },
                           [this](const std::string& each) { return plugins_.disable(each); },
                           [this](const std::string& each) { return plugins_.enable(each); }},
                          log_.named("cloud")};
  RestClient why_client_;
  const WhyService why_;
  std::atomic<bool> started_{
      false};  // start() succeeded: what readyz waits for. Relaxed is enough, nothing hangs on it.
  std::atomic<bool> stopping_{false};
  Time began_{};  // At start(): earlier lives of this process may have written until then.
  Time pages_due_{};
  StuckPositions stuck_;
  std::vector<CrashRecord> crashes_;    // Before this process, as of start().
  std::unique_ptr<HostRights> rights_;  // From start() to stop().
  bool trimmed_ = false;  // Free memory was given back once after the caches were filled.
};

}  // namespace davit::host
