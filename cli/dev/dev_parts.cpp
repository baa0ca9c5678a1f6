#include "cli/dev/dev_parts.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "cli/dev/stuck_call.hpp"
#include "cli/dev/stuck_watch.hpp"
#include "cli/sandbox_process.hpp"
#include "cli/server_connection.hpp"
#include "host/api/connect.hpp"
#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/crash/crash_handler.hpp"
#include "host/crash/stack_sampler.hpp"
#include "host/metrics/metrics.hpp"
#include "host/process/host_plan.hpp"
#include "host/process/host_process.hpp"
#include "lib/base/silent_log_sink.hpp"

namespace davit::host {
namespace {

constexpr std::chrono::milliseconds kTick{1000};
/// The line of the queue after each sync; see host/run/controller_queue.cpp.
constexpr int kSyncVerbosity = 5;
constexpr std::string_view kSynced = "Synced";
/// The lines for calls that do not end; see ControllerQueue::report() and ControllerRunner.
constexpr std::string_view kStuckSync = "Sync has not returned";
constexpr std::string_view kStuckHandler = "Handler has not returned";
/// The sandbox is in this process.
constexpr TokenBucket::Rate kNoLimit{-1, 1};
/// On a cluster of one developer a sync takes milliseconds.
constexpr Duration kSyncLimit = std::chrono::seconds(3);
/// The length of a write that is shown: a patch of a few members.
constexpr std::size_t kBodyShownMost = 160;

/// Turns log lines into reports.
class ReportingSink final : public LogSink {
 public:
  /// `controllers` are those whose information is shown, too.
  ReportingSink(const LineWriter& reports, const Clock& clock, std::set<std::string> controllers)
      : reports_(reports), clock_(clock), controllers_(std::move(controllers)) {}
  [[nodiscard]] int verbosity() const override { return kSyncVerbosity; }
  void write(Severity severity, int verbosity, std::string_view logger, std::string_view message,
             std::span<const LogPair> fields) override {
    if (severity == Severity::kInfo && message == kSynced) return report_sync(fields);
    if (message == kStuckSync || message == kStuckHandler) return report_stuck(fields);
    const bool shown = verbosity == 0 && controllers_.contains(std::string(logger));
    if (severity == Severity::kInfo && !shown) return;
    std::string text = std::string(logger) + ": " + std::string(message);
    for (const LogPair& each : fields) {
      text += " " + std::string(each.key) + "=" + std::string(each.text());
    }
    const bool info = severity == Severity::kInfo;
    reports_.say(info ? "log" : severity == Severity::kWarning ? "warning" : "error", text);
  }
  void flush() override {}

 private:
  void report_sync(std::span<const LogPair> fields) const {
    std::string_view key;
    std::string_view generation;
    for (const LogPair& each : fields) {
      if (each.key == "key") key = each.text();
      if (each.key == "generation") generation = each.text();
    }
    reports_.say("sync", std::to_string(clock_.now().time_since_epoch().count()) + " " +
                             std::string(generation) + " " + std::string(key));
  }

  /// On the one thread that looks for such calls.
  void report_stuck(std::span<const LogPair> fields) {
    StuckCall call;
    for (const LogPair& each : fields) {
      const std::string text(each.text());
      if (each.key == "key") call.key = text;
      if (each.key == "activity") call.activity = text;
      if (each.key == "runsSeconds") {
        std::from_chars(text.data(), text.data() + text.size(), call.seconds);
      }
    }
    call.stack = sampler_.plugin_stack(call.activity, call.key);
    reports_.say("stuck", call.report());
  }

  const LineWriter& reports_;
  const Clock& clock_;
  const std::set<std::string> controllers_;
  StackSampler sampler_;
};

/// Reports the controllers' writes.
class ReportingTransport final : public Transport {
 public:
  ReportingTransport(Transport& next, const LineWriter& reports) : next_(next), reports_(reports) {}
  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    const bool event = request.target.find("/events") != std::string::npos;
    if (request.purpose == ConnectionPurpose::kWrite && request.method != "GET" && !event) {
      const bool text = request.body.starts_with('{') || request.body.starts_with('[');
      const std::string path = request.target.substr(0, request.target.find('?'));
      reports_.say("write", request.method + " " + path +
                                (text ? " " + request.body.substr(0, kBodyShownMost) : ""));
    }
    return next_.start(std::move(request), reader);
  }
  [[nodiscard]] bool is_ready() override { return next_.is_ready(); }
  [[nodiscard]] Status prepare() override { return next_.prepare(); }
  void close_idle() override { next_.close_idle(); }
  [[nodiscard]] std::string_view server() const override { return next_.server(); }

 private:
  Transport& next_;
  const LineWriter& reports_;
};

std::optional<std::string> variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

RunSettings dev_settings(const std::filesystem::path& plugin) {
  RunSettings settings;
  Manifest& manifest = settings.manifest;
  manifest.leader_election.enabled = false;
  manifest.health.port = 0;
  manifest.client.qps = -1;
  PluginSettings one;
  one.path = plugin.string();
  manifest.plugins = {std::move(one)};
  return settings;
}

std::string listed(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& each : names) out += (out.empty() ? "" : ", ") + each;
  return out;
}

/// Whether the build is fine, but does not fit into the host that runs.
bool needs_another_host(SwapOutcome outcome) {
  return outcome == SwapOutcome::kLacksController || outcome == SwapOutcome::kOtherPlugin ||
         outcome == SwapOutcome::kStateRefused || outcome == SwapOutcome::kTooManyResident;
}

void swap(PluginSet& plugins, const PluginState& plugin, const LineWriter& reports) {
  const SwapReport report = plugins.swap({.plugin = plugin.name, .file = plugin.file});
  if (!report.ok()) {
    return reports.say(needs_another_host(report.outcome) ? "restart" : "refused", report.text);
  }
  // Controllers that the build before did not have.
  for (const std::string& each : report.not_started) {
    if (const SwapReport up = plugins.enable(each); !up.ok()) reports.say("error", up.text);
  }
  reports.say("swapped", std::to_string(report.to.generation) + " " + report.text);
}

/// Carries out orders until they end.
void serve(HostProcess& host, LineReader& orders, const LineWriter& reports) {
  while (!orders.ended()) {
    for (const std::string& order : orders.take(kTick)) {
      if (!order.starts_with("swap")) continue;
      for (const PluginState& each : host.plugins().serving().state().plugins) {
        swap(host.plugins(), each, reports);
      }
    }
    host.tick();
    if (host.has_seen_a_restore()) {
      return reports.say("restart", "the API server was restored to an older state");
    }
  }
}

void apply_content(const SandboxContent& content, RestClient& client, const LineWriter& reports) {
  if (content.empty()) return;
  const ClusterObjects files = content.read();
  Discovery discovery(client);
  std::vector<Mistake> mistakes = files.mistakes;
  const std::vector<Mistake> refused = apply_cluster_objects(files.objects, client, discovery);
  mistakes.insert(mistakes.end(), refused.begin(), refused.end());
  for (const Mistake& each : mistakes) reports.say("mistake", each.str());
  reports.say("content", std::to_string(files.objects.size() - refused.size()));
}

Result<ConnectionConfig> connection_of(const std::string& kubeconfig) {
  return load_connection(lookup_of(kubeconfig));
}

}  // namespace

Status check_kubeconfig(const std::string& kubeconfig) { return connection_of(kubeconfig).error(); }

ClusterObjects SandboxContent::read() const {
  ClusterObjects all;
  const auto add = [&all](const std::filesystem::path& path, Wanted wanted) {
    if (path.empty()) return;
    ClusterObjects some = read_cluster_objects(path, wanted);
    std::move(some.objects.begin(), some.objects.end(), std::back_inserter(all.objects));
    std::move(some.mistakes.begin(), some.mistakes.end(), std::back_inserter(all.mistakes));
  };
  add(definitions, Wanted::kDefinitions);
  add(objects, Wanted::kAll);
  return all;
}

void play_sandbox(const std::string& kubeconfig, const SandboxContent& content, LineReader& orders,
                  const LineWriter& reports) {
  SandboxOptions options;
  options.port = 0;
  options.kubeconfig = kubeconfig;
  const Result<SandboxSettings> settings = merge_sandbox_settings(options, variable);
  if (!settings) return reports.say("failed", settings.error().message());
  const std::unique_ptr<Clock> clock = make_system_clock();
  const std::unique_ptr<Random> random = make_system_random();
  SilentLogSink sink;
  auto process = SandboxProcess::open(*settings, {*clock, *random, sink});
  if (!process) return reports.say("failed", process.error().message());
  const Result<std::unique_ptr<Transport>> wire = (*process)->connect();
  if (!wire) return reports.say("failed", wire.error().message());
  NoRestMetrics metrics;
  RestClient client(**wire, *clock, metrics, Logger(sink), RestOptions{.rate = kNoLimit});
  apply_content(content, client, reports);
  reports.say("ready");
  while (!orders.ended()) {
    // Several saves that came together are applied once.
    if (!orders.take(kTick).empty()) apply_content(content, client, reports);
  }
}

void play_host(const std::filesystem::path& plugin, const std::string& kubeconfig,
               std::span<const ControllerConfig> configs, LineReader& orders,
               const LineWriter& reports) {
  const RunSettings settings = dev_settings(plugin);
  const CrashHandler handler("");
  const Result<ConnectionConfig> connection = connection_of(kubeconfig);
  if (!connection) return reports.say("failed", connection.error().message());
  std::ostringstream mistakes;
  std::optional<HostPlan> plan = HostPlan::make(settings, mistakes);
  if (!plan) return reports.say("failed", mistakes.str());
  const std::unique_ptr<Clock> clock = make_system_clock();
  const std::unique_ptr<Random> random = make_system_random();
  std::set<std::string> controllers;
  std::vector<std::string> names;
  for (PlannedController& each : plan->controllers()) {
    names.push_back(each.declared.name);
    each.config = config_for(configs, each.declared.name);
  }
  controllers.insert(names.begin(), names.end());
  if (const Status s = check_controller_configs(configs, names); !s.ok()) {
    return reports.say("failed", s.message());
  }
  ReportingSink sink(reports, *clock, controllers);
  const std::unique_ptr<Metrics> metrics = Metrics::make({}, *clock);
  auto transport = connect(*connection, *clock, *metrics, Logger(sink));
  if (!transport) return reports.say("failed", transport.error().message());
  ReportingTransport reporting(**transport, reports);
  const Result<std::unique_ptr<HostProcess>> opened =
      HostProcess::open(settings.manifest, *connection, std::move(plan->controllers()),
                        HostSeams{.clock = *clock,
                                  .random = *random,
                                  .log_sink = sink,
                                  .transport = &reporting,
                                  .sync_limit = kSyncLimit},
                        [] {});
  if (!opened) return reports.say("failed", opened.error().message());
  HostProcess& host = **opened;
  if (const Status started = host.start({}); !started.ok()) {
    reports.say("failed", started.message());
    static_cast<void>(host.stop());
    return;
  }
  reports.say("ready", listed(controllers));
  {
    StuckWatch watch(*clock, [&host] { host.plugins().serving().report(); });
    if (!watch.start()) {
      reports.say("warning",
                  "cannot start a thread that looks for stuck calls: none will be reported");
    }
    serve(host, orders, reports);
  }
  if (!host.stop()) _exit(1);  // A call into the plugin does not end.
}

}  // namespace davit::host
