#include "cli/host_process.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <thread>
#include <utility>

#include "cli/neighbour.hpp"
#include "host/api/connect.hpp"
#include "host/api/wait.hpp"
#include "host/cache/cache_report.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "lib/base/heap.hpp"
#include "lib/base/program_pages.hpp"
#include "lib/base/uuid.hpp"
#include "lib/base/version.hpp"

namespace davit::host {
namespace {

/// Upstream's rate of a discovery client: 20 a second, 200 at once.
constexpr TokenBucket::Rate kDiscoveryRate{20, 200};
/// The RESTMapper is reset this often (kube-controller-manager, controller context).
constexpr Duration kDiscoveryReset = std::chrono::seconds(30);
/// The share of the shutdown time that remains when the tokens of running syncs are cancelled.
constexpr double kCancelShare = 0.5;
/// Requests of probes and scrapers are a few lines, their responses a few hundred kilobytes.
constexpr std::chrono::seconds kProbeRequestTime{10};
/// A health check or page of a plugin responds at once or is not waited for: probes give up after a
/// second, kubelet's default.
constexpr Duration kPluginResponseTime = std::chrono::milliseconds(500);
/// Events get so long to be written at the end.
constexpr Duration kFlushTime = std::chrono::seconds(2);

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

BuildInfo build_info(std::string git_version) {
  return BuildInfo{.git_version = std::move(git_version),
                   .git_commit = "",
                   .build_date = "",
                   .compiler = kCompiler,
                   .platform = kPlatform};
}

SwapLimits swap_limits(const Manifest& manifest, const std::filesystem::path& staging) {
  SwapLimits limits;
  limits.staging = staging;
  limits.probation.time = manifest.swap.watch_for;
  limits.probation.error_percent_max = static_cast<unsigned>(manifest.swap.max_error_percent);
  return limits;
}

/// Plugins were read and lists parsed. What that took is free now, but the allocator keeps it
/// unless asked, and so does the kernel what was executed once.
void give_back_memory() {
  trim_heap();
  release_program_pages();
}

ReflectorOptions reflector_options(const ClientSettings& client) {
  ReflectorOptions options;
  const bool is_json = client.content_type == kContentTypeJson;
  options.format = is_json ? WireFormat::kJson : WireFormat::kProtobuf;
  return options;
}

}  // namespace

struct HostProcess::Parts {
  const Manifest& manifest;
  const ConnectionConfig& connection;
  std::vector<PlannedController> controllers;
  const HostSeams& seams;
  std::function<void()> on_lost_lease;
  std::unique_ptr<Metrics> metrics;
  std::unique_ptr<Transport> connection_made;
};

Result<std::unique_ptr<HostProcess>> HostProcess::open(const Manifest& manifest,
                                                       const ConnectionConfig& connection,
                                                       std::vector<PlannedController> controllers,
                                                       const HostSeams& seams,
                                                       std::function<void()> on_lost_lease) {
  Parts parts{manifest,
              connection,
              std::move(controllers),
              seams,
              std::move(on_lost_lease),
              Metrics::make(build_info(std::string("v") + kVersion), seams.clock),
              nullptr};
  if (seams.transport == nullptr) {
    Result<std::unique_ptr<Transport>> made =
        connect(connection, seams.clock, *parts.metrics, Logger(seams.log_sink).named("transport"));
    if (!made) return made.error();
    parts.connection_made = std::move(*made);
  }
  auto host = std::make_unique<HostProcess>(std::move(parts));
  if (seams.health_server == HostSeams::HealthServer::kOff) return host;
  if (Status s = host->serve_health(); !s.ok()) return s;
  return host;
}

HostProcess::HostProcess(Parts&& parts)
    : manifest_(parts.manifest),
      connection_(parts.connection),
      planned_(std::move(parts.controllers)),
      seams_(parts.seams),
      log_(seams_.log_sink),
      on_lost_lease_(std::move(parts.on_lost_lease)),
      metrics_(std::move(parts.metrics)),
      probe_threads_(seams_.clock, kPluginResponseTime),
      checks_(log_),
      routes_(checks_, *metrics_, probe_threads_),
      connection_made_(std::move(parts.connection_made)),
      transport_(connection_made_ ? *connection_made_ : *seams_.transport),
      discovery_client_(transport_, seams_.clock, *metrics_, log_,
                        client_options("controller-discovery", {.rate = kDiscoveryRate})),
      informer_client_(transport_, seams_.clock, *metrics_, log_,
                       client_options("shared-informers",
                                      {.rate = rate(), .purpose = ConnectionPurpose::kWatch})),
      lease_client_(transport_, seams_.clock, *metrics_, log_,
                    client_options("leader-election",
                                   {.rate = rate(), .purpose = ConnectionPurpose::kLease})),
      discovery_(discovery_client_),
      // Like kube-controller-manager, which names no machine in its events.
      events_(
          [this](std::string_view controller) {
            return std::make_unique<RestEventApi>(std::make_unique<RestClient>(
                transport_, seams_.clock, *metrics_, log_,
                client_options(controller, {.rate = rate(), .dry_run = dry_run()})));
          },
          seams_.clock, seams_.random, log_.named("events"), EventRecorderOptions{}),
      list_watch_(informer_client_),
      informers_(InformerSeams{list_watch_, space_, seams_.clock, seams_.random, *metrics_,
                               [this](const ResourceId& resource, const SkippedObject& object) {
                                 report_skipped(resource, object);
                               },
                               &contact_},
                 log_.named("informer"), reflector_options(manifest_.client)),
      lease_api_(lease_client_, manifest_.leader_election.ns, manifest_.leader_election.name),
      plugins_(
          seams_.clock, log_,
          [this](const LoadedPlugin& plugin, const DeclaredController& declared,
                 std::uint64_t generation) {
            return make_controller(plugin, declared, generation);
          },
          observers(), swap_limits(manifest_, seams_.staging)) {
  if (elects()) {
    elector_.emplace(
        election_options(), lease_api_, seams_.clock, seams_.random, *metrics_,
        &events_.of(kHostEvents), log_.named("leaderelection"),
        LeaderElectionHandlers{.on_started_leading = [this] { lead(seams_.clock.now()); },
                               .on_stopped_leading =
                                   [this] {
                                     plugins_.lose();
                                     if (!stopping_.load()) on_lost_lease_();
                                   },
                               .on_new_leader = {}});
  }
  MutexLock lock(mutex_);
  for (const PlannedController& planned : planned_) {
    settings_[planned.declared.name] = {planned.workers, planned.config};
  }
}

HostProcess::~HostProcess() {
  server_.reset();
  // Informers stop first, so that their last notifications reach controllers that still exist.
  informers_.stop();
}

RestOptions HostProcess::client_options(std::string_view name, RestOptions options) {
  options.user_agent = user_agent(name);
  options.failure_backoff = connection_.failure_backoff;
  options.on_success = [this] { contact_.responded(); };
  return options;
}

TokenBucket::Rate HostProcess::rate() const {
  return {manifest_.client.qps, manifest_.client.burst};
}

DryRun HostProcess::dry_run() const { return manifest_.dry_run ? DryRun::kServer : DryRun::kOff; }

LeaderElectionOptions HostProcess::election_options() const {
  LeaderElectionOptions options;
  options.ns = manifest_.leader_election.ns;
  options.name = manifest_.leader_election.name;
  options.identity = host_name() + "_" + random_uuid(seams_.random);
  options.lease_duration = manifest_.leader_election.lease_duration;
  options.renew_deadline = manifest_.leader_election.renew_deadline;
  options.retry_period = manifest_.leader_election.retry_period;
  return options;
}

SetObservers HostProcess::observers() {
  return {.on_up = [this](const std::string& controller) { show_controller(controller); },
          .on_down =
              [this](const std::string& controller) {
                checks_.remove(controller);
                routes_.remove_debug_page(controller);
              },
          .on_phase = {},
          .start_informers = [this] { return informers_.start(); },
          .metrics = metrics_.get(),
          .on_rolled_back = [this](const std::string& text) { report_rolled_back(text); }};
}

bool HostProcess::elects() const { return manifest_.leader_election.enabled && !manifest_.dry_run; }

Status HostProcess::start(const std::stop_token& stop) {
  if (manifest_.dry_run) {
    log_.info(0, "Dry run: every write is sent with dryRun=All, without leader election");
  }
  if (Status s = discover(stop); !s.ok()) return s;
  if (Status s = init_controllers(stop); !s.ok()) return s;
  if (Status s = start_controllers(); !s.ok()) return s;
  announce_quarantine();
  started_.store(true, std::memory_order_relaxed);
  if (elects()) {
    return stand_for_election();
  }
  lead(std::nullopt);
  return {};
}

Status HostProcess::serve_health() {
  constexpr HealthEndpoints kReadyOnly{.health = false, .live = false, .ready = true};
  checks_.add("startup", kReadyOnly, [this]() -> Status {
    if (stopping_.load(std::memory_order_relaxed)) return Status(Code::kUnavailable, "stopping");
    if (started_.load(std::memory_order_relaxed)) return {};
    return Status(Code::kUnavailable, "not all controllers are initialised yet");
  });
  HttpServerOptions options;
  options.address = manifest_.health.bind_address;
  options.port = static_cast<std::uint16_t>(manifest_.health.port);
  options.request_time = kProbeRequestTime;
  Result<std::unique_ptr<HttpServer>> server = routes_.serve(options, log_);
  if (!server) return server.error().with_context("cannot serve health and metrics");
  server_ = std::move(*server);
  checks_.set_observer(
      [this](std::string_view check, std::string_view endpoint, const Status& result) {
        metrics_->health_checked(check, endpoint, result);
      });
  log_.info(0, "Serving health and metrics", {{"address", server_->endpoint()}});
  return {};
}

Status HostProcess::discover(const std::stop_token& stop) {
  if (Status s = wait_for_api_server(discovery_client_, seams_.clock, stop); !s.ok()) return s;
  if (Status s = discovery_.refresh(stop); !s.ok()) {
    return s.with_context("cannot discover the API of " + std::string(transport_.server()));
  }
  discovery_reset_due_ = seams_.clock.now() + kDiscoveryReset;
  if (Result<std::string> version = server_version(discovery_client_, stop)) {
    log_.info(0, "Connected", {{"server", transport_.server()}, {"version", *version}});
    metrics_->set_build_info(build_info(*version));
  }
  if (elects()) warn_of_neighbour(stop);
  return {};
}

void HostProcess::warn_of_neighbour(const std::stop_token& stop) {
  const std::string holder =
      active_controller_manager(discovery_client_, seams_.clock.wall_now(), stop);
  if (holder.empty()) return;
  log_.warning(
      "A kube-controller-manager is running in this cluster: start it with --controllers=*,-NAME "
      "for each controller that runs here, or both will act on the same objects",
      {{"holder", holder}});
}

void HostProcess::wait_between_controllers(const std::stop_token& stop) {
  if (manifest_.controller_start_interval == Duration::zero()) return;
  const Time until =
      seams_.clock.now() + seams_.random.jitter(manifest_.controller_start_interval, 1.0);
  Mutex mutex;
  CondVar stopped;
  const std::stop_callback wake(stop, [&] {
    MutexLock lock(mutex);  // So that the wake-up does not fall between the check and the wait.
    stopped.notify_all();
  });
  MutexLock lock(mutex);
  while (!stop.stop_requested() && seams_.clock.now() < until) {
    seams_.clock.wait_until(stopped, mutex, until);
  }
}

Status HostProcess::init_controllers(const std::stop_token& stop) {
  const std::vector<PlannedController> all = std::exchange(planned_, {});
  for (const PlannedController& planned : all) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "stopped while starting");
    if (Status s = init_controller(planned); !s.ok()) return s;
    wait_between_controllers(stop);
  }
  return {};
}

std::unique_ptr<ControllerHost> HostProcess::make_controller(const LoadedPlugin& plugin,
                                                             const DeclaredController& declared,
                                                             std::uint64_t generation) {
  WriteGate gate;
  if (elector_ && !declared.without_leadership) {
    gate = [this]() -> Status {
      if (elector_->may_write()) return {};
      return Status(Code::kCancelled, "not the leader");
    };
  }
  OperatorSettings settings;
  {
    MutexLock lock(mutex_);
    const auto found = settings_.find(declared.name);
    if (found != settings_.end()) settings = found->second;
  }
  return std::make_unique<ControllerHost>(
      ControllerHostOptions{.declared = declared,
                            .plugin = plugin.declaration().name,
                            .build_id = build_id(plugin.file()),
                            .generation = generation,
                            .workers = settings.workers,
                            .config = settings.config,
                            .rate = rate(),
                            .failure_backoff = connection_.failure_backoff,
                            .write_gate = std::move(gate),
                            .on_success = [this] { contact_.responded(); },
                            .sync_limit = seams_.sync_limit,
                            .dry_run = dry_run()},
      HostServices{space_, informers_, transport_, discovery_, events_.of(declared.name), *metrics_,
                   seams_.clock, seams_.random, log_, nullptr, seams_.outside});
}

Status HostProcess::init_controller(const PlannedController& planned) {
  auto controller = make_controller(*planned.plugin, planned.declared, 1);
  const InitResult result = controller->init(planned.plugin->init(planned.declared.name));
  plugins_.add(planned.plugin, planned.sha256);
  if (result.outcome == InitOutcome::kSkipped) {
    log_.info(0, "Warning: skipping controller",
              {{"controller", planned.declared.name}, {"reason", result.reason}});
    skipped_.push_back(planned.declared.name + " was skipped: " + result.reason);
    return {};
  }
  Status status;
  if (result.outcome == InitOutcome::kFailed) {
    status = Status(Code::kInternal, result.reason);
  } else {
    status = controller->commit();
    plugins_.add(planned.plugin->declaration().name, std::move(controller));
  }
  return status.with_context("controller " + planned.declared.name + " of plugin " +
                             planned.plugin->declaration().name + " failed to start");
}

void HostProcess::show_controller(const std::string& controller) {
  constexpr HealthEndpoints kWell{.health = true, .live = false, .ready = true};
  // A plugin that hangs must not delay other probes, so its code does not run on the server's
  // thread.
  checks_.add_threaded(controller, kWell, probe_threads_.make(),
                       [this, controller] { return plugins_.serving().health(controller); });
  if (!plugins_.serving().has_debug_page(controller)) return routes_.remove_debug_page(controller);
  routes_.add_debug_page(controller,
                         [this, controller](std::string_view path, std::string_view query) {
                           return plugins_.serving().debug_page(controller, path, query);
                         });
}

Status HostProcess::start_controllers() {
  constexpr HealthEndpoints kReady{.health = false, .live = false, .ready = true};
  checks_.add("informer-sync", kReady, [this] { return plugins_.serving().caches_filled(); });
  // Not for /livez: a new process would reach the server no better.
  checks_.add("informer-freshness", kReady,
              [this] { return check_current(cache_states(informers_), seams_.clock.now()); });
  if (Status s = informers_.start(); !s.ok()) return s;
  plugins_.start();
  metrics_->before_scrape([this] {
    plugins_.serving().report();
    report_caches();
  });
  return {};
}

Status HostProcess::stand_for_election() {
  constexpr HealthEndpoints kAll{.health = true, .live = true, .ready = true};
  checks_.add("leaderElection", kAll, [this] { return elector_->health(); });
  checks_.set_standby([this] { return !elector_->is_leader(); });
  return elector_->start();
}

void HostProcess::lead(std::optional<Time> won) { plugins_.lead(won); }

void HostProcess::report_caches() {
  const Time now = seams_.clock.now();
  // Informers of one resource with different selectors share their series: the oldest counts.
  std::map<ResourceId, std::pair<Duration, Metrics::Stale>> worst;
  for (const CacheState& each : cache_states(informers_)) {
    auto& [unconfirmed, stale] = worst[each.resource];
    unconfirmed = std::max(unconfirmed, unconfirmed_time(each.freshness, now));
    if (each.freshness.is_stale(now)) stale = Metrics::Stale::kYes;
  }
  for (const auto& [resource, state] : worst) {
    metrics_->informer_freshness(resource, state.first, state.second);
  }
}

void HostProcess::report_skipped(const ResourceId& resource, const SkippedObject& object) {
  const ObjectIdentity& identity = object.identity;
  if (identity.kind.empty() || identity.name.empty()) return;  // The log line has to do.
  events_.of(kHostEvents)
      .record({.api_version = identity.api_version,
               .kind = identity.kind,
               .ns = identity.ns,
               .name = identity.name,
               .uid = identity.uid,
               .resource_version = identity.resource_version,
               .field_path = {}},
              "Warning", "ObjectSkipped",
              "davit cannot read this object of " + resource.text() + ": " + object.why +
                  (object.is_kept ? ". Controllers use its last readable state"
                                  : ". Controllers do not see it") +
                  "; change or delete it",
              "davit");
}

void HostProcess::tick() {
  plugins_.serving().report();
  checks_.note("caches", cache_notes(cache_states(informers_), seams_.clock.now()));
  transport_.close_idle();
  if (!trimmed_ && plugins_.serving().caches_filled().ok()) {
    give_back_memory();
    trimmed_ = true;
  }
  refresh_discovery();
}

void HostProcess::refresh_discovery() {
  if (!discovery_poll_ && discovery_.has_listeners()) {
    discovery_poll_.emplace(discovery_, seams_.clock, log_.named("discovery"));
    if (Status s = discovery_poll_->start(); !s.ok()) {
      log_.warning("Cannot watch the server's API for changes; trying again",
                   {{"err", s.message()}});
      discovery_poll_.reset();
    }
  }
  if (seams_.clock.now() < discovery_reset_due_) return;
  give_back_memory();
  if (!discovery_poll_) discovery_.reset();
  discovery_reset_due_ = seams_.clock.now() + kDiscoveryReset;
}

Quiesce HostProcess::shutdown_limits() const {
  const Time now = seams_.clock.now();
  const bool for_ever = manifest_.controller_shutdown_timeout == Duration::zero();
  const Duration limit =
      for_ever ? Duration(std::chrono::hours(24)) : manifest_.controller_shutdown_timeout;
  return {.cancel_at = now + std::chrono::duration_cast<Duration>(limit * kCancelShare),
          .give_up_at = now + limit};
}

bool HostProcess::stop() {
  stopping_.store(true);
  log_.info(0, "Shutting down");
  discovery_poll_.reset();
  if (!plugins_.stop(shutdown_limits())) {
    log_.error("Controller shutdown timeout reached");
    return false;
  }
  (void)events_.flush(seams_.clock.now() + kFlushTime);
  if (elector_) elector_->stop(LeaderElector::Release::kYes);
  (void)events_.flush(seams_.clock.now() + kFlushTime);
  events_.stop();
  informers_.stop();
  server_.reset();
  // Objects that such a call uses cannot be destroyed. It writes nothing, so the lease is free.
  const bool idle = probe_threads_.wait_idle(seams_.clock.now() + kPluginResponseTime);
  if (!idle) log_.error("A health check or debug page of a plugin has not returned");
  seams_.log_sink.flush();
  return idle;
}

void HostProcess::want(const DesiredState& desired) {
  MutexLock lock(mutex_);
  desired_ = desired;
  settings_.clear();
  for (const DesiredPlugin& plugin : desired.plugins) {
    for (const DesiredController& each : plugin.controllers) {
      settings_[each.name] = {each.workers, each.config};
    }
  }
}

Reference HostProcess::lease() const {
  // The lease represents the host: an Event needs an object to refer to.
  Reference lease;
  lease.api_version = "coordination.k8s.io/v1";
  lease.kind = "Lease";
  lease.ns = manifest_.leader_election.ns;
  lease.name = manifest_.leader_election.name;
  return lease;
}

void HostProcess::report_rolled_back(const std::string& text) {
  events_.of(kHostEvents).record(lease(), "Warning", "PluginRolledBack", text, "davit");
}

void HostProcess::announce_quarantine() {
  if (seams_.quarantine == nullptr) return;
  for (const QuarantinedPlugin& each : seams_.quarantine->quarantined()) {
    log_.warning("A plugin is quarantined, because it is in a crash loop",
                 {{"plugin", each.plugin},
                  {"build", each.why.build},
                  {"crashes", each.why.crashes},
                  {"controller", each.why.last.controller},
                  {"key", each.why.last.key},
                  {"signal", each.why.last.signal}});
    metrics_->plugin_quarantined(each.plugin, each.why.build, Metrics::Quarantined::kYes);
    events_.of(kHostEvents).record(lease(), "Warning", "PluginQuarantined", each.text(), "davit");
  }
  note_quarantine();
}

void HostProcess::note_quarantine() {
  std::vector<std::string> lines;
  for (const QuarantinedPlugin& each : seams_.quarantine->quarantined())
    lines.push_back(each.text());
  checks_.note("quarantine", std::move(lines));
}

SwapReport HostProcess::load(const std::filesystem::path& file) {
  LoadOrder order{file};
  {
    MutexLock lock(mutex_);
    if (const DesiredPlugin* const here = desired_.plugin_at(file)) {
      order.sha256 = here->sha256;
      order.controllers = here->enabled();
    } else {
      // The pin applies to the plugin: neither another spelling of the path nor a copy of the file
      // evades it. The plugin's name is known once the loader has judged the bytes.
      order.pin = [this](const std::string& plugin) {
        MutexLock name_lock(mutex_);
        const DesiredPlugin* const pinned = desired_.plugin_named(plugin);
        return pinned == nullptr ? std::string() : pinned->sha256;
      };
    }
  }
  SwapReport report = plugins_.load(order);
  if (!report.ok() || seams_.quarantine == nullptr) return report;
  if (const auto lifted = seams_.quarantine->lift(report.plugin)) {
    log_.info(0, "A plugin was released from quarantine", {{"plugin", report.plugin}});
    metrics_->plugin_quarantined(report.plugin, lifted->why.build, Metrics::Quarantined::kNo);
    note_quarantine();
  }
  return report;
}

}  // namespace davit::host
