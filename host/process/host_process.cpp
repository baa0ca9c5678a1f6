#include "host/process/host_process.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <map>
#include <thread>
#include <utility>

#include "host/api/wait.hpp"
#include "host/cache/cache_report.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "host/process/host_settings.hpp"
#include "host/process/pages/host_pages.hpp"
#include "host/process/status_source.hpp"
#include "host/upstream/service_account_rules.hpp"
#include "host/upstream/upstream_clients.hpp"
#include "lib/base/await_stop.hpp"
#include "lib/base/heap.hpp"
#include "lib/base/program_pages.hpp"
#include "lib/base/version.hpp"

namespace davit::host {
namespace {

/// Pages that work of every 30 seconds brought back leave soon. Costs about a millisecond.
constexpr Duration kPagesReleased = std::chrono::seconds(5);
/// The share of the shutdown time that remains when the tokens of running syncs are cancelled.
constexpr double kCancelShare = 0.5;
/// Events, and then spans, get so long to be written at the end.
constexpr Duration kFlushTime = std::chrono::seconds(2);

/// Null without an endpoint, and with one that cannot be used: controllers do not need it.
std::unique_ptr<Tracing> open_tracing(const HostSeams& seams, TraceMetrics& metrics) {
  const Logger log(seams.log_sink);
  for (const std::string& each : seams.tracing.warnings) log.warning(each);
  if (seams.tracing.endpoint.empty()) return nullptr;
  Result<std::unique_ptr<Tracing>> opened = Tracing::open(
      seams.tracing, {seams.clock, seams.random, metrics, log, seams.outside, Threads::kOwn});
  if (opened) return *std::move(opened);
  log.warning("Nothing is traced", {{"err", opened.error().message()}});
  return nullptr;
}

SettingsByController settings_of_plan(const std::vector<PlannedController>& planned) {
  SettingsByController out;
  for (const PlannedController& each : planned) {
    out[each.declared.name] = {each.workers, each.config};
  }
  return out;
}

}  // namespace

struct HostProcess::Parts {
  const Manifest& manifest;
  const ConnectionConfig& connection;
  std::vector<PlannedController> controllers;
  const HostSeams& seams;
  std::function<void()> on_lost_lease;
  std::unique_ptr<Metrics> metrics;
  std::unique_ptr<HostClients> clients;
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
              Metrics::make(build_info(std::string("v") + kVersion), seams.clock,
                            metric_rules(manifest.metrics)),
              nullptr};
  Result<std::unique_ptr<HostClients>> clients = HostClients::open(
      manifest, connection, {seams.clock, *parts.metrics, Logger(seams.log_sink), seams.transport});
  if (!clients) return clients.error();
  parts.clients = std::move(*clients);
  auto host = std::make_unique<HostProcess>(std::move(parts));
  if (seams.health_server == HostSeams::HealthServer::kOff) return host;
  if (Status s = host->serve(); !s.ok()) return s;
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
      tracing_(open_tracing(seams_, *metrics_)),
      orders_(settings_of_plan(planned_)),
      ports_({manifest_, seams_.clock, seams_.random, *metrics_, log_}),
      clients_(std::move(parts.clients)),
      discovery_client_(clients_->transport(), seams_.clock, *metrics_, log_,
                        clients_->options("controller-discovery", {.rate = kDiscoveryRate})),
      informer_client_(
          clients_->transport(), seams_.clock, *metrics_, log_,
          clients_->options("shared-informers",
                            {.rate = clients_->rate(), .purpose = ConnectionPurpose::kWatch})),
      lease_client_(clients_->transport(), seams_.clock, *metrics_, log_,
                    clients_->options("leader-election", {.rate = clients_->rate(),
                                                          .purpose = ConnectionPurpose::kLease})),
      discovery_(discovery_client_),
      discovery_refresh_(discovery_, seams_.clock, log_.named("discovery")),
      // Like kube-controller-manager, which names no machine in its events.
      events_([this](std::string_view client) { return make_event_api(client); }, seams_.clock,
              seams_.random, log_.named("events"), EventRecorderOptions{}),
      reports_({events_, ports_.checks(), *metrics_, seams_.quarantine}, manifest_.leader_election,
               log_),
      list_watch_(informer_client_, &discovery_),
      context_(context_seams(), context_options()),
      status_([this] { return recent_writes(context_.journal(), seams_.clock); }),
      plugins_(
          seams_.clock, log_,
          [this](const LoadedPlugin& plugin, const DeclaredController& declared,
                 std::uint64_t generation) {
            return make_controller(plugin, declared, generation);
          },
          observers(), swap_limits(manifest_, seams_.staging, seams_.trial)),
      why_client_(clients_->transport(), seams_.clock, *metrics_, log_,
                  clients_->options("why", {.rate = clients_->rate()})),
      why_({context_.journal(), discovery_, plugins_.serving(), why_client_, seams_.clock,
            [this](std::string_view controller, std::string_view path, Time deadline) {
              return ports_.routes().debug_page(controller, path, deadline);
            },
            [this] {
              return elections_ && !elections_->is_leader() ? elections_->holder() : std::string();
            }}) {
  context_.space().set_debugging(seams_.debugging);
  report_feature_gates(manifest_.feature_gates, *metrics_);
  if (elects()) prepare_elections();
}

HostProcess::~HostProcess() {
  ports_.close();
  discovery_refresh_.stop();
  // Informers stop first, so that their last notifications reach controllers that still exist.
  context_.informers().stop();
}

ContextSeams HostProcess::context_seams() {
  return {
      .clock = seams_.clock,
      .random = seams_.random,
      .log = log_,
      .metrics = *metrics_,
      .discovery = discovery_,
      .lists = list_watch_,
      .cache_metrics = *metrics_,
      .client = [this](const DeclaredController& declared) { return client_of(declared); },
      .leads =
          [this](ControllerLease lease) {
            return elections_ ? elections_->gate(lease) : WriteGate();
          },
      .on_restored = [this](const ServerHistory::Restore& what) { reports_.server_restored(what); },
      .on_undecided = [this](const ServerHistory::Restore& what) { reports_.server_doubted(what); },
      .on_skip = [this](const ResourceId& resource,
                        const SkippedObject& object) { reports_.skipped(resource, object); },
      .contact = &clients_->contact(),
      .observer = seams_.observer,
      .outside = seams_.outside,
      .tracer = tracing_ == nullptr ? nullptr : &tracing_->tracer()};
}

ContextOptions HostProcess::context_options() const {
  return {.reflector = reflector_options(manifest_.client),
          .journal_bytes = static_cast<std::size_t>(manifest_.journal.bytes),
          .sync_limit = seams_.sync_limit,
          .dry_run = clients_->dry_run()};
}

ControllerClient HostProcess::client_of(const DeclaredController& declared) {
  const std::string client = upstream_client(declared);
  const HostClients::Route route = clients_->route(client);
  return {route.transport, clients_->options(route.agent, {.rate = clients_->rate(declared.name)}),
          events_.of(client)};
}

std::unique_ptr<EventApi> HostProcess::make_event_api(std::string_view client) {
  const HostClients::Route route = client == kHostEvents
                                       ? HostClients::Route{clients_->transport(), "davit"}
                                       : clients_->route(std::string(client));
  return std::make_unique<RestEventApi>(std::make_unique<RestClient>(
      route.transport, seams_.clock, *metrics_, log_,
      clients_->options(route.agent, {.rate = clients_->rate(), .dry_run = clients_->dry_run()})));
}

void HostProcess::prepare_elections() {
  elections_.emplace(
      election_options(manifest_, seams_.random, seams_.lease_holders, log_),
      manifest_.leader_election.migration,
      HostElections::Seams{lease_client_, seams_.clock, seams_.random, *metrics_,
                           &events_.of(kHostEvents), log_.named("leaderelection")},
      HostElections::Handlers{
          .on_won = [this](ControllerLease lease) { plugins_.lead(seams_.clock.now(), lease); },
          .on_stopped =
              [this](ElectionEnd end) {
                plugins_.lose();
                if (end == ElectionEnd::kLost) on_lost_lease_();
              },
          .on_went_back =
              [this](const LeaderElection::WentBack& lease) {
                context_.history().went_back({"coordination.k8s.io", "v1", "leases"}, lease.known,
                                             lease.version);
              }});
}

SetObservers HostProcess::observers() {
  return {
      .on_up = [this](const std::string& controller) { show_controller(controller); },
      .on_down =
          [this](const std::string& controller) {
            ports_.hide(controller);
            cloud_loops_.ended(controller);
          },
      .on_phase = {},
      .start_informers = [this] { return context_.informers().start(); },
      .metrics = metrics_.get(),
      .on_rolled_back = [this](const std::string& text) { reports_.rolled_back(text); },
      .on_swapped =
          [this](const SwapReport& report) { status_.swapped(report, seams_.clock.wall_now()); }};
}

Status HostProcess::start(const std::stop_token& stop) {
  began_ = seams_.clock.now();
  log_flags(in_force(), log_);
  if (manifest_.dry_run) {
    log_.info(0, "Dry run: every write is sent with dryRun=All, without leader election");
  }
  if (Status s = discover(stop); !s.ok()) return s;
  if (Status s = init_controllers(stop); !s.ok()) return s;
  if (Status s = start_controllers(); !s.ok()) return s;
  if (seams_.rights == HostSeams::Rights::kReviewed) {
    const auto leads = [this] { return !elections_ || elections_->is_leader(); };
    rights_ = HostRights::start(manifest_, {*clients_, plugins_.serving(), *metrics_,
                                            ports_.checks(), seams_.clock, log_, leads});
  }
  reports_.quarantined();
  if (seams_.quarantine != nullptr) crashes_ = seams_.quarantine->crashes();
  started_.store(true, std::memory_order_relaxed);
  if (elects()) {
    return stand_for_election();
  }
  // An earlier life of this process may have written until a moment ago.
  plugins_.lead(mutant("earlier-life") ? std::nullopt : std::optional(began_));
  return {};
}

Status HostProcess::serve() {
  constexpr HealthEndpoints kReadyOnly{.health = false, .live = false, .ready = true};
  ports_.checks().add("startup", kReadyOnly, [this]() -> Status {
    if (stopping_.load(std::memory_order_relaxed)) return Status(Code::kUnavailable, "stopping");
    if (started_.load(std::memory_order_relaxed)) return {};
    return Status(Code::kUnavailable, "not all controllers are initialised yet");
  });
  ObservabilityRoutes& routes = ports_.routes();
  routes.add_page("/debug/why", [this](std::string_view /*path*/, std::string_view query) {
    return why_.page(query);
  });
  add_status_routes(routes, status_);
  add_host_pages(routes, {[this] { return in_force(); }, seams_.clock, log_, seams_.verbosity});
  return ports_.open(clients_->transport());
}

Status HostProcess::discover(const std::stop_token& stop) {
  if (Status s = wait_for_api_server(discovery_client_, seams_.clock, stop); !s.ok()) return s;
  if (Status s = discovery_.refresh(stop); !s.ok()) {
    return s.with_context("cannot discover the API of " + std::string(discovery_client_.server()));
  }
  discovery_refresh_.begin();
  if (Result<std::string> version = server_version(discovery_client_, stop)) {
    log_.info(0, "Connected", {{"server", discovery_client_.server()}, {"version", *version}});
    metrics_->set_build_info(build_info(*version));
  }
  if (!manifest_.dry_run) {
    std::vector<std::string> controllers;
    for (const PlannedController& each : planned_) controllers.push_back(each.declared.name);
    const NeighbourTerms terms{manifest_.leader_election, controllers, manifest_.controllers,
                               seams_.beside};
    const Status alone = check_neighbour(discovery_client_, seams_.clock, terms, log_, stop);
    if (!alone.ok()) return alone;
  }
  return ports_.look_up_trust(stop);
}

void HostProcess::wait_between_controllers(const std::stop_token& stop) {
  if (manifest_.controller_start_interval == Duration::zero()) return;
  const Time until =
      seams_.clock.now() + seams_.random.jitter(manifest_.controller_start_interval, 1.0);
  (void)await_stop(seams_.clock, until, stop);
}

Status HostProcess::init_controllers(const std::stop_token& stop) {
  const std::vector<PlannedController> all = std::exchange(planned_, {});
  std::vector<InitialisedController> made;
  for (const PlannedController& planned : all) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "stopped while starting");
    if (Status s = init_controller(planned, made); !s.ok()) return s;
    wait_between_controllers(stop);
  }
  // Informers of whole objects come first: they also serve those that need only metadata.
  for (const InitialisedController& each : made) {
    for (const CacheNeed& need : each.host->abi().informers.needs()) {
      if (Result<Informer*> informer = context_.informers().informer(need); !informer) {
        return failed_to_start(*each.planned, informer.error());
      }
    }
  }
  for (InitialisedController& each : made) {
    const Status status = each.host->commit();
    plugins_.add(each.planned->plugin->declaration().name, std::move(each.host));
    if (!status.ok()) return failed_to_start(*each.planned, status);
  }
  return {};
}

Status HostProcess::failed_to_start(const PlannedController& planned, const Status& why) {
  return why.with_context("controller " + planned.declared.name + " of plugin " +
                          planned.plugin->declaration().name + " failed to start");
}

std::unique_ptr<ControllerHost> HostProcess::make_controller(const LoadedPlugin& plugin,
                                                             const DeclaredController& declared,
                                                             std::uint64_t generation) {
  cloud_loops_.made(plugin.declaration(), declared.name);
  const OperatorSettings settings = orders_.settings_of(declared.name);
  const bool elects = elections_.has_value();
  return context_.make({.declared = declared,
                        .plugin = plugin.declaration().name,
                        .build_id = build_id(plugin.file()),
                        .generation = generation,
                        .workers = settings.workers,
                        .config = with_root_ca(declared.name, settings.config, connection_.ca_data),
                        .lease = elects ? manifest_.leader_election.lease_of(declared.name)
                                        : ControllerLease::kMain});
}

Status HostProcess::init_controller(const PlannedController& planned,
                                    std::vector<InitialisedController>& made) {
  auto controller = make_controller(*planned.plugin, planned.declared, 1);
  const InitResult result = controller->init(planned.plugin->init(planned.declared.name));
  plugins_.add(planned.plugin, planned.sha256);
  cloud_loops_.begin();
  if (result.outcome == InitOutcome::kSkipped) {
    log_.info(0, "Warning: skipping controller",
              {{"controller", planned.declared.name}, {"reason", result.reason}});
    skipped_.push_back(planned.declared.name + " was skipped: " + result.reason);
    return {};
  }
  if (result.outcome == InitOutcome::kFailed) {
    return failed_to_start(planned, {Code::kInternal, result.reason});
  }
  made.push_back({&planned, std::move(controller)});
  return {};
}

void HostProcess::show_controller(const std::string& controller) {
  const bool is_migrated =
      manifest_.leader_election.lease_of(controller) == ControllerLease::kMigration;
  if (elections_ && is_migrated) elections_->want_migration();
  ports_.show(controller, plugins_.serving());
}

Status HostProcess::start_controllers() {
  constexpr HealthEndpoints kReady{.health = false, .live = false, .ready = true};
  ports_.checks().add("informer-sync", kReady,
                      [this] { return plugins_.serving().caches_filled(); });
  // Not for /livez: a new process would reach the server no better.
  ports_.checks().add("informer-freshness", kReady, [this] {
    return check_current(cache_states(context_.informers()), seams_.clock.now());
  });
  if (Status s = context_.informers().start(); !s.ok()) return s;
  plugins_.start(began_);
  metrics_->before_scrape([this] {
    plugins_.serving().report();
    report_caches();
  });
  return {};
}

Status HostProcess::stand_for_election() {
  constexpr HealthEndpoints kAll{.health = true, .live = true, .ready = true};
  ports_.checks().add("leaderElection", kAll, [this] { return elections_->health(); });
  ports_.checks().set_standby([this] { return !elections_->is_leader(); });
  return elections_->start();
}

void HostProcess::report_caches() {
  metrics_->journal_bytes(context_.journal().bytes());
  if (const auto end = ports_.first_certificate_end(connection_))
    metrics_->own_certificate_expires(*end);
  host::report_caches(context_.informers(), *metrics_, seams_.clock.now());
}

void HostProcess::sample_status() {
  std::vector<CacheState> caches = cache_states(context_.informers());
  ports_.checks().note("caches", cache_notes(caches, seams_.clock.now()));
  HostStatus status =
      collect_status({.clock = seams_.clock,
                      .plugins = plugins_.serving(),
                      .caches = std::move(caches),
                      .checks = ports_.checks(),
                      .elections = elections_ ? &*elections_ : nullptr,
                      .lease = manifest_.leader_election.ns + "/" + manifest_.leader_election.name,
                      .quarantine = seams_.quarantine,
                      .journal = context_.journal()});
  status.crashes = crashes_;
  status_.sample(std::move(status));
}

void HostProcess::tick() {
  context_.history().follow(context_.informers(), seams_.clock.now());
  plugins_.serving().report();
  cloud_loops_.tick();
  sample_status();
  reports_.waits(plugins_.serving().waits());
  std::vector<std::string> overdue = plugins_.serving().overdue();
  if (seams_.positions == HostSeams::Positions::kSampled) {
    stuck_.add_to(overdue, seams_.clock.now());
  }
  ports_.checks().note("calls", std::move(overdue));
  clients_->close_idle();
  ports_.tick();
  if (discovery_refresh_.tick()) trim_heap();
  release_memory();
}

void HostProcess::release_memory() {
  if (!trimmed_ && plugins_.serving().caches_filled().ok()) {
    trim_heap();
    pages_due_ = {};
    trimmed_ = true;
  }
  if (seams_.clock.now() < pages_due_) return;
  release_program_pages();
  pages_due_ = seams_.clock.now() + kPagesReleased;
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
  clients_->stop();
  discovery_refresh_.stop();
  rights_.reset();
  if (!plugins_.stop(shutdown_limits())) {
    log_.error("Controller shutdown timeout reached");
    return false;
  }
  (void)events_.flush(seams_.clock.now() + kFlushTime);
  if (elections_) elections_->stop();
  (void)events_.flush(seams_.clock.now() + kFlushTime);
  events_.stop();
  context_.informers().stop();
  if (tracing_ != nullptr) tracing_->stop(seams_.clock.now() + kFlushTime);
  ports_.close();
  // Objects that such a call uses cannot be destroyed. It writes nothing, so the lease is free.
  const bool idle = ports_.wait_idle();
  if (!idle) log_.error("A health check or debug page of a plugin has not returned");
  seams_.log_sink.flush();
  return idle;
}

SettingsInForce HostProcess::in_force() const {
  SettingsInForce out{.manifest = manifest_,
                      .verbosity = seams_.verbosity == nullptr ? seams_.log_sink.verbosity()
                                                               : seams_.verbosity->get()};
  for (const auto& [controller, settings] : orders_.settings()) {
    ControllerSettings& each = out.controllers[controller];
    each.workers = settings.workers;
    each.config = settings.config;
  }
  return out;
}

SwapReport HostProcess::load(const std::filesystem::path& file) {
  SwapReport report = plugins_.load(orders_.load_order(file));
  if (!report.ok() || seams_.quarantine == nullptr) return report;
  if (const auto lifted = seams_.quarantine->lift(report.plugin)) {
    reports_.released(report.plugin, lifted->why.build);
  }
  return report;
}

}  // namespace davit::host
