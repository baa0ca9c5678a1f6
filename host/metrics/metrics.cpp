#include "host/metrics/metrics.hpp"

#include <prometheus/registry.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <map>
#include <utility>

#include "host/metrics/exposition.hpp"
#include "host/metrics/host_metrics.hpp"
#include "host/metrics/plugin_metrics.hpp"
#include "host/metrics/process_stats.hpp"
#include "lib/base/mutex.hpp"

namespace davit::host {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;

/// Value of the labels `manager` and informer `name`.
constexpr std::string_view kManager = "davit";
constexpr std::uint64_t kVersionDigits = 1'000'000'000'000'000;  // The last 15, exact in a double.

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

/// Upstream's few values of the label "username": a series of each name would have no limit and
/// would show who the users are.
std::string_view kind_of_user(std::string_view name) {
  for (const std::string_view known :
       {"admin", "client", "kube_proxy", "kubelet", "system:serviceaccount:kube-system:default"}) {
    if (name == known) return known;
  }
  return name.find('@') != std::string_view::npos ? "email_id" : "other";
}

class QueueSeries final : public QueueMetrics {
 public:
  QueueSeries(HostMetrics& all, std::string_view name)
      : depth_(all.queue_depth.at({name})),
        adds_(all.queue_adds.at({name})),
        latency_(all.queue_latency.at({name})),
        work_(all.queue_work.at({name})),
        retries_(all.queue_retries.at({name})) {}

  void added() override {
    depth_.Increment();
    adds_.Increment();
  }
  void taken(Duration waited) override {
    depth_.Decrement();
    latency_.Observe(seconds(waited));
  }
  void dropped(std::size_t keys) override { depth_.Decrement(static_cast<double>(keys)); }
  void done(Duration worked) override { work_.Observe(seconds(worked)); }
  void retried() override { retries_.Increment(); }

 private:
  prometheus::Gauge& depth_;
  prometheus::Counter& adds_;
  prometheus::Histogram& latency_;
  prometheus::Histogram& work_;
  prometheus::Counter& retries_;
};

class InformerSeries final : public InformerMetrics {
 public:
  InformerSeries(HostMetrics& all, const ResourceId& id)
      : all_(all),
        id_(id),
        queued_(all.informer_queued.at({kManager, id.group, id.version, id.resource})),
        latency_(all.informer_latency.at({kManager, id.group, id.version, id.resource})),
        version_(all.informer_version.at({kManager, id.group, id.version, id.resource})),
        objects_(all.informer_objects.at({kManager, id.group, id.version, id.resource})),
        skipped_(all.informer_skipped_now.at({kManager, id.group, id.version, id.resource})) {}

  void queued(std::size_t items) override { queued_.Set(static_cast<double>(items)); }
  void processed(Duration time) override { latency_.Observe(seconds(time)); }
  void store_version(std::uint64_t version) override {
    version_.Set(static_cast<double>(version % kVersionDigits));
  }
  void objects(std::size_t count) override { objects_.Set(static_cast<double>(count)); }
  void listed() override {
    all_.informer_lists.at({kManager, id_.group, id_.version, id_.resource}).Increment();
  }
  void stalled_watch() override {
    all_.informer_stalled_watches.at({kManager, id_.group, id_.version, id_.resource}).Increment();
  }
  void fell_back_to_json() override {
    all_.informer_json_fallbacks.at({kManager, id_.group, id_.version, id_.resource}).Increment();
  }
  void skipped(std::string_view reason) override {
    all_.informer_skipped.at({kManager, id_.group, id_.version, id_.resource, reason}).Increment();
  }
  void skipped_now(std::size_t count) override { skipped_.Set(static_cast<double>(count)); }
  void relist_requested(RelistReason reason) override {
    all_.informer_relists.at({kManager, id_.group, id_.version, id_.resource, label_of(reason)})
        .Increment();
  }

 private:
  HostMetrics& all_;
  const ResourceId id_;
  prometheus::Gauge& queued_;
  prometheus::Histogram& latency_;
  prometheus::Gauge& version_;
  prometheus::Gauge& objects_;
  prometheus::Gauge& skipped_;
};

MetricFamily family(std::string name, std::string help, prometheus::MetricType type, double value) {
  MetricFamily made{std::move(name), std::move(help), type, {}};
  made.metric.resize(1);
  made.metric[0].counter.value = value;
  made.metric[0].gauge.value = value;
  return made;
}

void add_process(std::vector<MetricFamily>& out) {
  const ProcessStats stats = read_process_stats();
  const auto gauge = [&out](const char* name, const char* help, double value) {
    out.push_back(family(name, help, prometheus::MetricType::Gauge, value));
  };
  const auto counter = [&out](const char* name, const char* help, double value) {
    out.push_back(family(name, help, prometheus::MetricType::Counter, value));
  };
  counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.",
          stats.cpu_seconds);
  gauge("process_resident_memory_bytes", "Resident memory size in bytes.",
        static_cast<double>(stats.resident_bytes));
  gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.",
        static_cast<double>(stats.virtual_bytes));
  gauge("process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.",
        stats.virtual_bytes_max);
  gauge("process_open_fds", "Number of open file descriptors.",
        static_cast<double>(stats.open_files));
  gauge("process_max_fds", "Maximum number of open file descriptors.", stats.open_files_max);
  gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.",
        stats.start_time_seconds);
  counter("process_network_receive_bytes_total",
          "Number of bytes received by the process over the network.",
          static_cast<double>(stats.received_bytes));
  counter("process_network_transmit_bytes_total",
          "Number of bytes sent by the process over the network.",
          static_cast<double>(stats.sent_bytes));
  gauge("go_goroutines", "Number of threads; under this name for existing dashboards.",
        static_cast<double>(stats.threads));
}

/// "30" of "v1.30.1" for part 1.
std::string version_part(std::string_view version, int part) {
  if (version.starts_with('v')) version.remove_prefix(1);
  for (; part > 0; --part) {
    const std::size_t dot = version.find('.');
    if (dot == std::string_view::npos) return {};
    version.remove_prefix(dot + 1);
  }
  return std::string(version.substr(0, version.find('.')));
}

MetricFamily build_family(const BuildInfo& build) {
  MetricFamily made = family("kubernetes_build_info",
                             "[BETA] A metric with a constant '1' value labeled by major, minor, "
                             "git version, git commit, git tree state, build date, Go version, "
                             "and compiler from which Kubernetes was built, and platform on which "
                             "it is running.",
                             prometheus::MetricType::Gauge, 1);
  made.metric[0].label = {{"build_date", build.build_date},
                          {"compiler", build.compiler},
                          {"git_commit", build.git_commit},
                          {"git_tree_state", ""},
                          {"git_version", build.git_version},
                          {"go_version", build.compiler},
                          {"major", version_part(build.git_version, 0)},
                          {"minor", version_part(build.git_version, 1)},
                          {"platform", build.platform}};
  return made;
}

/// davit's own version; kubernetes_build_info has that of the cluster.
MetricFamily own_build_family(const BuildInfo& build) {
  MetricFamily made =
      family("davit_build_info",
             "[ALPHA] A metric with a constant '1' value labeled by the version of davit, the "
             "compiler that built it and the platform on which it runs.",
             prometheus::MetricType::Gauge, 1);
  made.metric[0].label = {
      {"compiler", build.compiler}, {"platform", build.platform}, {"version", kVersion}};
  return made;
}

/// registered_metrics_total of these.
MetricFamily registered_family(const std::vector<MetricDefinition>& all) {
  MetricFamily made{"registered_metrics_total",
                    "[BETA] The count of registered metrics broken by stability level and "
                    "deprecation version.",
                    prometheus::MetricType::Counter,
                    {}};
  std::map<std::string, double> levels{{"ALPHA", 0}, {"BETA", 0}, {"STABLE", 0}};
  for (const MetricDefinition& each : all) {
    if (each.help.starts_with('[')) ++levels[each.help.substr(1, each.help.find(']') - 1)];
  }
  for (const auto& [level, count] : levels) {
    ClientMetric& metric = made.metric.emplace_back();
    metric.label = {{"deprecated_version", ""}, {"stability_level", level}};
    metric.counter.value = count;
  }
  return made;
}

std::string_view name_of(Metrics::Kinds kinds) {
  return kinds == Metrics::Kinds::kBuiltIn ? "built_in" : "custom";
}

/// The definition of a family that each exposition makes.
MetricDefinition definition_of(MetricFamily& made) {
  const bool is_gauge = made.type == prometheus::MetricType::Gauge;
  MetricDefinition definition{is_gauge ? MetricType::kGauge : MetricType::kCounter,
                              std::move(made.name), std::move(made.help)};
  for (const ClientMetric::Label& label : made.metric.front().label) {
    definition.labels.push_back(label.name);
  }
  return definition;
}

class PrometheusMetrics final : public Metrics {
 public:
  PrometheusMetrics(BuildInfo build, Clock& clock, MetricRules rules)
      : clock_(clock),
        registry_{.rules = rules},
        slis_{.rules = std::move(rules)},
        build_(std::move(build)) {
    registry_.unexpected = slis_.unexpected = &host_.unexpected_labels.at({});
    host_.disabled_metrics.at({}).Increment(static_cast<double>(registry_.rules.disabled.size()));
  }

  void request_done(std::string_view code, std::string_view method,
                    std::string_view host) override {
    host_.rest_requests.at({code, method, host}).Increment();
    if (code == "403" && method != "POST") refused_.fetch_add(1, std::memory_order_relaxed);
  }
  void request_retried(std::string_view code, std::string_view verb,
                       std::string_view host) override {
    host_.rest_retries.at({code, verb, host}).Increment();
  }
  void request_duration(std::string_view verb, std::string_view host, Duration time) override {
    host_.rest_duration.at({verb, host}).Observe(seconds(time));
  }
  void limiter_duration(std::string_view verb, std::string_view host, Duration time) override {
    host_.rest_limiter.at({verb, host}).Observe(seconds(time));
  }
  void request_size(std::string_view verb, std::string_view host, std::size_t bytes) override {
    host_.rest_request_size.at({verb, host}).Observe(static_cast<double>(bytes));
  }
  void response_size(std::string_view verb, std::string_view host, std::size_t bytes) override {
    host_.rest_response_size.at({verb, host}).Observe(static_cast<double>(bytes));
  }
  void ca_reloaded(std::string_view result, std::string_view reason) override {
    host_.rest_ca_reloads.at({result, reason}).Increment();
  }
  void outbound_request(std::string_view controller, std::string_view host, std::string_view code,
                        Duration took) override {
    host_.outbound_requests.at({controller, host, code}).Increment();
    host_.outbound_duration.at({controller, host}).Observe(seconds(took));
  }
  void spans_exported(std::size_t count) override {
    host_.spans_exported.at({}).Increment(static_cast<double>(count));
  }
  void spans_dropped(std::string_view reason, std::size_t count) override {
    host_.spans_dropped.at({reason}).Increment(static_cast<double>(count));
  }
  void exec_plugin_called(int exit_code, std::string_view call_status) override {
    host_.rest_exec_calls.at({std::to_string(exit_code), call_status}).Increment();
  }
  void exec_plugin_rotated(Duration age) override {
    host_.rest_exec_rotation.at({}).Observe(seconds(age));
  }
  void transport_used(TransportUse use) override {
    const bool is_made = use == TransportUse::kMade;
    host_.rest_transport_calls.at({is_made ? "miss" : "hit"}).Increment();
    if (is_made) host_.rest_transports.at({}).Increment();
  }
  void exec_plugin_expires(WallTime when) override {
    MutexLock lock(mutex_);
    credentials_end_ = when;
  }

  QueueMetrics& queue_metrics(std::string_view queue) override {
    MutexLock lock(mutex_);
    std::unique_ptr<QueueSeries>& series = queues_[std::string(queue)];
    if (!series) {
      series = std::make_unique<QueueSeries>(host_, queue);
      host_.queue_unfinished.at({queue}).Set(0);
      host_.queue_longest.at({queue}).Set(0);
    }
    return *series;
  }
  void queue_running(std::string_view queue, const RunningWork& work) override {
    host_.queue_unfinished.at({queue}).Set(seconds(work.total));
    host_.queue_longest.at({queue}).Set(seconds(work.longest));
  }
  void controller_running(std::string_view controller, Running running) override {
    host_.running_controllers.at({controller, kManager}).Set(running == Running::kYes ? 1 : 0);
  }
  void overdue_syncs(std::string_view controller, std::size_t count) override {
    host_.overdue_syncs.at({controller}).Set(static_cast<double>(count));
  }

  void plugin_swapped(std::string_view plugin, std::string_view outcome) override {
    host_.plugin_swaps.at({plugin, outcome}).Increment();
  }
  void plugin_paused(std::string_view plugin, Duration pause) override {
    host_.plugin_swap_pause.at({plugin}).Observe(seconds(pause));
  }
  void plugin_calls_refused(std::string_view plugin, std::string_view controller,
                            std::string_view why, std::uint64_t count) override {
    host_.plugin_refused_calls.at({plugin, controller, why}).Increment(static_cast<double>(count));
  }
  void plugin_generation(std::string_view plugin, std::uint64_t generation) override {
    host_.plugin_generation.at({plugin}).Set(static_cast<double>(generation));
  }
  void resident_generations(std::size_t count) override {
    host_.resident_generations.at({}).Set(static_cast<double>(count));
  }

  void leader_election_role(std::string_view name, Role role) override {
    host_.leader_status.at({name}).Set(role == Role::kLeader ? 1 : 0);
  }
  void leader_election_slow_path(std::string_view name) override {
    host_.leader_slow_path.at({name}).Increment();
  }

  std::unique_ptr<InformerMetrics> informer(const ResourceId& resource) override {
    return std::make_unique<InformerSeries>(host_, resource);
  }

  [[nodiscard]] Result<std::unique_ptr<PluginMetric>> open_plugin_metric(
      const MetricOptions& options, const MetricOwner& owner) override {
    return plugins_.open(options, owner);
  }

  void before_scrape(std::function<void()> refresh) override {
    MutexLock lock(mutex_);
    refreshers_.push_back(std::move(refresh));
  }

  void set_build_info(const BuildInfo& build) override {
    set_version(build.git_version);
    MutexLock lock(mutex_);
    build_ = build;
  }

  void health_checked(std::string_view check, std::string_view endpoint,
                      const Status& result) override {
    health_.at({check, endpoint}).Set(result.ok() ? 1 : 0);
    healths_.at({check, endpoint, result.ok() ? "success" : "error"}).Increment();
  }

  void authentication(Outcome outcome, Duration took) override {
    const std::string_view result = outcome == Outcome::kSuccess ? "success" : "error";
    host_.authentication_attempts.at({result}).Increment();
    host_.authentication_time.at({result}).Observe(seconds(took));
  }
  void authenticated_user(std::string_view name) override {
    host_.authenticated_users.at({kind_of_user(name)}).Increment();
  }
  void authorization(Decision decision, Duration took) override {
    const std::string_view result = decision == Decision::kAllowed     ? "allowed"
                                    : decision == Decision::kDenied    ? "denied"
                                    : decision == Decision::kNoOpinion ? "no-opinion"
                                                                       : "error";
    host_.authorization_attempts.at({result}).Increment();
    host_.authorization_time.at({result}).Observe(seconds(took));
  }
  void delegated_request(Delegated kind, std::string_view code, Duration took) override {
    const bool is_authn = kind == Delegated::kAuthentication;
    (is_authn ? host_.delegated_authn : host_.delegated_authz).at({code}).Increment();
    (is_authn ? host_.delegated_authn_time : host_.delegated_authz_time)
        .at({code})
        .Observe(seconds(took));
  }
  void token_cache_request(CacheUse use, Duration took) override {
    const std::string_view status = use == CacheUse::kHit ? "hit" : "miss";
    host_.token_cache_requests.at({status}).Increment();
    host_.token_cache_time.at({status}).Observe(seconds(took));
  }
  void token_fetch_began() override { host_.token_fetches_now.at({"in_flight"}).Increment(); }
  void token_fetch_ended(Outcome outcome) override {
    host_.token_fetches_now.at({"in_flight"}).Decrement();
    host_.token_fetches.at({outcome == Outcome::kSuccess ? "ok" : "error"}).Increment();
  }
  void client_certificate(Duration until_expiry) override {
    host_.client_certificates.at({}).Observe(seconds(until_expiry));
  }
  void certificate_reloaded(Outcome outcome) override {
    host_.certificate_reloads.at({outcome == Outcome::kSuccess ? "success" : "error"}).Increment();
  }
  void certificate_expires(WallTime at) override {
    host_.certificate_expiry.at({}).Set(seconds(at.time_since_epoch()));
  }

  void own_certificate_expires(WallTime at) override {
    host_.own_certificate_expiry.at({}).Set(seconds(at.time_since_epoch()));
  }

  void informer_freshness(const ResourceId& id, Duration unconfirmed, Stale stale) override {
    host_.informer_unconfirmed.at({kManager, id.group, id.version, id.resource})
        .Set(seconds(unconfirmed));
    host_.informer_stale.at({kManager, id.group, id.version, id.resource})
        .Set(stale == Stale::kYes ? 1 : 0);
  }

  void informer_bytes(const ResourceId& id, std::size_t bytes) override {
    host_.informer_bytes.at({kManager, id.group, id.version, id.resource})
        .Set(static_cast<double>(bytes));
  }
  void journal_bytes(std::size_t bytes) override {
    host_.journal_bytes.at({}).Set(static_cast<double>(bytes));
  }

  void controller_use(const ControllerUse& use) override {
    const auto labels = {use.plugin, use.controller};
    host_.controller_pending.at(labels).Set(static_cast<double>(use.pending_changes));
    host_.controller_delayed.at(labels).Set(static_cast<double>(use.delayed_keys));
    host_.controller_failing.at(labels).Set(static_cast<double>(use.failing_keys));
    const auto held = [&](Gauges& gauges, std::string_view kind, std::size_t value) {
      gauges.at({use.plugin, use.controller, kind}).Set(static_cast<double>(value));
    };
    held(host_.controller_held, "objects", use.held.objects);
    held(host_.controller_held, "informers", use.held.informers);
    held(host_.controller_held, "timers", use.held.timers);
    held(host_.controller_held, "back_offs", use.held.backing_off);
    held(host_.controller_held, "unseen_writes", use.held.unseen_writes);
    held(host_.controller_held_bytes, "objects", use.held.object_bytes);
    held(host_.controller_held_bytes, "journal", use.held.journal_bytes);
    MutexLock lock(mutex_);
    Counted& last = counted_[std::string(use.controller)];
    if (last.generation != use.generation) last = {use.generation};
    host_.controller_cpu.at(labels).Increment(seconds(grown(last.cpu, use.cpu)));
    host_.controller_syncs.at(labels).Increment(static_cast<double>(grown(last.syncs, use.syncs)));
    host_.controller_errors.at(labels).Increment(
        static_cast<double>(grown(last.errors, use.errors)));
  }

  void stale_sync_skipped(std::string_view controller, const ResourceId& id) override {
    host_.stale_skips.at({controller, id.group, id.resource}).Increment();
    Counters* const upstream = controller == "replicaset-controller" ? &host_.replicaset_stale_skips
                               : controller == "daemonset-controller" ? &host_.daemonset_stale_skips
                               : controller == "job-controller"       ? &host_.job_stale_skips
                                                                      : nullptr;
    if (upstream != nullptr) upstream->at({id.group, id.resource}).Increment();
  }

  void controller_informer(std::string_view controller, Kinds kinds, InformerStep step) override {
    const auto labels = {controller, name_of(kinds)};
    switch (step) {
      case InformerStep::kOpened:
        return host_.opened_informers.at(labels).Increment();
      case InformerStep::kClosed:
        return host_.opened_informers.at(labels).Decrement();
      case InformerStep::kRefused:
        return host_.refused_informers.at(labels).Increment();
    }
  }

  void plugin_mapped(std::string_view plugin, std::size_t bytes) override {
    host_.plugin_mapped.at({plugin}).Set(static_cast<double>(bytes));
  }

  void feature(std::string_view name, std::string_view stage, Enabled enabled) override {
    host_.features.at({name, stage}).Set(enabled == Enabled::kYes ? 1 : 0);
  }

  void plugin_quarantined(std::string_view plugin, std::string_view build,
                          Quarantined quarantined) override {
    host_.quarantined.at({plugin, build}).Set(quarantined == Quarantined::kYes ? 1 : 0);
  }

  void controller_waits(std::string_view controller, const ResourceId& of, Waits waits) override {
    host_.controller_waits.at({controller, of.group, of.resource}).Set(waits == Waits::kYes);
  }
  void missing_rights(std::string_view controller, std::size_t rights) override {
    host_.missing_rights.at({controller}).Set(static_cast<double>(rights));
  }

  [[nodiscard]] std::uint64_t refused_requests() const override {
    return refused_.load(std::memory_order_relaxed);
  }

  [[nodiscard]] std::vector<MetricDefinition> definitions() const override {
    std::vector<MetricDefinition> all = registry_.definitions;
    all.insert(all.end(), slis_.definitions.begin(), slis_.definitions.end());
    BuildInfo build;
    std::vector<MetricFamily> made;
    add_process(made);
    made.push_back(build_family(build));
    made.push_back(own_build_family(build));
    made.push_back(registered_family({}));
    for (MetricFamily& each : made) all.push_back(definition_of(each));
    std::ranges::sort(all, {}, &MetricDefinition::name);
    return all;
  }

  [[nodiscard]] std::string text() override {
    std::vector<std::function<void()>> refreshers;
    WallTime credentials_end;
    BuildInfo build;
    {
      MutexLock lock(mutex_);
      refreshers = refreshers_;
      credentials_end = credentials_end_;
      build = build_;
    }
    for (const auto& refresh : refreshers) refresh();
    host_.rest_exec_ttl.at({}).Set(credentials_end == kNoEnd
                                       ? std::numeric_limits<double>::infinity()
                                       : seconds(credentials_end - clock_.wall_now()));
    std::vector<MetricFamily> families = registry_.families.Collect();
    plugins_.collect(families);
    add_process(families);
    families.push_back(build_family(build));
    families.push_back(own_build_family(build));
    std::vector<MetricDefinition> registered = definitions();
    std::erase_if(registered, [this](const auto& each) { return is_disabled(each.name); });
    families.push_back(registered_family(registered));
    return shown(std::move(families));
  }

  [[nodiscard]] std::string slis_text() override { return shown(slis_.families.Collect()); }

 private:
  [[nodiscard]] bool is_disabled(const std::string& name) const {
    return registry_.rules.disabled.contains(name);
  }
  [[nodiscard]] std::string shown(std::vector<MetricFamily> families) const {
    std::erase_if(families, [this](const MetricFamily& each) { return is_disabled(each.name); });
    return exposition(std::move(families));
  }

  /// version_info, whose oldest compatible version is the minor version before (component-base,
  /// version.go).
  void set_version(std::string_view version) {
    const std::string major = version_part(version, 0);
    const std::string minor = version_part(version, 1);
    if (minor.empty()) return;
    if (version.starts_with('v')) version.remove_prefix(1);
    const int before = std::max(std::atoi(minor.c_str()) - 1, 0);
    host_.version.at({version, "kube", major + "." + minor, major + "." + std::to_string(before)})
        .Set(1);
  }

  /// The counts of the present generation at the last controller_use().
  struct Counted {
    std::uint64_t generation = 0;
    Duration cpu{0};
    std::uint64_t syncs = 0;
    std::uint64_t errors = 0;
  };
  /// The growth from `last` to `now`; `last` becomes `now`.
  template <typename Number>
  static Number grown(Number& last, Number now) {
    if (now <= last) return Number{};
    return now - std::exchange(last, now);
  }

  static constexpr WallTime kNoEnd = WallTime::max();

  Clock& clock_;
  MetricRegistry registry_;
  MetricRegistry slis_;
  HostMetrics host_{registry_};
  std::atomic<std::uint64_t> refused_{0};  // Relaxed: it carries no other data.
  PluginMetrics plugins_{registry_};
  Gauges health_{slis_,
                 {"kubernetes_healthcheck",
                  "[STABLE] This metric records the result of a single healthcheck.",
                  {"name", "type"}}};
  Counters healths_{slis_,
                    {"kubernetes_healthchecks_total",
                     "[STABLE] This metric records the results of all healthcheck.",
                     {"name", "type", "status"}}};

  Mutex mutex_;
  BuildInfo build_ GUARDED_BY(mutex_);
  WallTime credentials_end_ GUARDED_BY(mutex_) = kNoEnd;
  std::map<std::string, std::unique_ptr<QueueSeries>> queues_ GUARDED_BY(mutex_);
  std::map<std::string, Counted> counted_ GUARDED_BY(mutex_);  // The key is the controller.
  std::vector<std::function<void()>> refreshers_ GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<Metrics> Metrics::make(const BuildInfo& build, Clock& clock, MetricRules rules) {
  return std::make_unique<PrometheusMetrics>(build, clock, std::move(rules));
}

}  // namespace davit::host
