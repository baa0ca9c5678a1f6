#include "host/embedded/embedded_host.hpp"

#include <poll.h>
#include <signal.h>

#include <array>
#include <cerrno>
#include <optional>
#include <sstream>
#include <stop_token>
#include <utility>

#include "host/process/host_plan.hpp"
#include "host/process/host_process.hpp"
#include "host/process/host_settings.hpp"
#include "host/process/interruptions.hpp"
#include "host/process/run_settings.hpp"
#include "lib/base/spdlog_sink.hpp"
#include "lib/base/start_thread.hpp"

namespace davit::host {
namespace {

/// HostProcess::tick() is due every second.
constexpr int kTickMs = 1000;
constexpr int kNoLimitMs = -1;

/// The descriptors of two that are readable; neither at the end of the limit.
struct Ready {
  bool first = false;
  bool second = false;
};

Ready await(const UniqueFd& first, const UniqueFd& second, int limit_ms) {
  std::array<pollfd, 2> both = {{{first.get(), POLLIN, 0}, {second.get(), POLLIN, 0}}};
  int found = 0;
  do {
    found = poll(both.data(), both.size(), limit_ms);
  } while (found < 0 && errno == EINTR && limit_ms == kNoLimitMs);
  if (found <= 0) return {};
  return {(both[0].revents & POLLIN) != 0, (both[1].revents & POLLIN) != 0};
}

/// A connection that the server has closed must not end the program.
void ignore_broken_pipes() {
  struct sigaction now {};
  if (sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL) {
    signal(SIGPIPE, SIG_IGN);
  }
}

Status mistakes_in(const SettingsResult& settings) {
  std::string text;
  for (const Mistake& each : settings.mistakes) text += (text.empty() ? "" : "\n") + each.str();
  return {Code::kInvalid, text};
}

/// A bundle needs registries, logins and a cache: that is the business of `davit run`.
Status check_sources(const Manifest& manifest) {
  if (!manifest.plugins) return {};
  for (const PluginSettings& each : *manifest.plugins) {
    if (each.source.empty()) continue;
    return {Code::kInvalid,
            "plugin " + each.label() + ": an embedded host pulls no bundles: give a path"};
  }
  return {};
}

}  // namespace

struct EmbeddedHost::State {
  explicit State(Manifest manifest_read)
      : manifest(std::move(manifest_read)),
        verbosity(verbosity_of(manifest.logging)),
        sink(make_log_sink(manifest.logging.format, verbosity)) {}

  [[nodiscard]] Status open(const RunSettings& settings);
  /// Starts the host; the stop ends the waits.
  [[nodiscard]] Status start();
  /// Ticks until something ends the run, and says what.
  [[nodiscard]] Status follow();

  const Manifest manifest;
  LogVerbosity verbosity;
  const std::unique_ptr<LogSink> sink;
  const std::unique_ptr<Clock> clock = make_system_clock();
  const std::unique_ptr<Random> random = make_system_random();
  const UniqueFd stop = make_event();
  const UniqueFd lost_lease = make_event();
  bool hangs = false;
  std::unique_ptr<HostProcess> host;  // Last: it uses all of the rest.
};

Status EmbeddedHost::State::open(const RunSettings& settings) {
  if (!stop.valid() || !lost_lease.valid()) {
    return {Code::kUnavailable, "cannot create a descriptor"};
  }
  const KubeconfigOptions lookup = lookup_of(manifest.client);
  const Result<ConnectionConfig> connection = load_connection(lookup);
  if (!connection) return connection.error();
  const Logger log(*sink);
  if (Status s = check_files(*connection, manifest, log); !s.ok()) return s;
  std::ostringstream mistakes;
  std::optional<HostPlan> plan = HostPlan::make(settings, mistakes);
  if (!plan) return {Code::kInvalid, mistakes.str()};
  if (plan->controllers().empty()) return {Code::kInvalid, "no controller is enabled"};
  Result<std::unique_ptr<HostProcess>> opened =
      HostProcess::open(manifest, *connection, std::move(plan->controllers()),
                        HostSeams{.clock = *clock,
                                  .random = *random,
                                  .log_sink = *sink,
                                  .tracing = tracing_config(manifest.tracing, lookup.environment),
                                  .verbosity = &verbosity,
                                  .rights = HostSeams::Rights::kReviewed},
                        [this] { signal_event(lost_lease); });
  if (!opened) return opened.error();
  host = std::move(*opened);
  host->want(plan->desired());
  return {};
}

Status EmbeddedHost::State::start() {
  std::stop_source stopping;
  const UniqueFd started = make_event();
  std::jthread watch;
  const auto await_stop = [&] {
    if (await(stop, started, kNoLimitMs).first) stopping.request_stop();
  };
  if (!started.valid() || !start_thread(watch, "start", await_stop)) {
    return {Code::kUnavailable, "cannot start a thread that waits for a stop"};
  }
  const Status status = host->start(stopping.get_token());
  signal_event(started);
  watch.join();
  // A stop that ended the start is no error of it.
  return stopping.stop_requested() ? Status() : status;
}

Status EmbeddedHost::State::follow() {
  for (;;) {
    const Ready ready = await(stop, lost_lease, kTickMs);
    if (ready.second) return {Code::kUnavailable, "leaderelection lost"};
    if (ready.first) return {};
    if (host->has_seen_a_restore()) {
      return {Code::kExpired, "the API server was restored to an older state"};
    }
    host->tick();
  }
}

EmbeddedHost::EmbeddedHost(std::unique_ptr<State> state) : state_(std::move(state)) {}

EmbeddedHost::~EmbeddedHost() {
  if (state_->hangs) (void)state_.release();
}

Result<std::unique_ptr<EmbeddedHost>> EmbeddedHost::open(const std::string& manifest) {
  const SettingsResult read = load_settings(manifest);
  if (!read.ok()) return mistakes_in(read);
  if (Status s = check_sources(read.settings.manifest); !s.ok()) return s;
  ignore_broken_pipes();
  auto state = std::make_unique<State>(read.settings.manifest);
  if (Status s = state->open(read.settings); !s.ok()) return s;
  return std::make_unique<EmbeddedHost>(std::move(state));
}

Status EmbeddedHost::run() {
  Status ended = state_->start();
  if (ended.ok()) ended = state_->follow();
  if (state_->host->stop()) return ended;
  state_->hangs = true;
  return {Code::kUnavailable, "a call into a plugin has not returned"};
}

void EmbeddedHost::request_stop() noexcept { signal_event(state_->stop); }

bool EmbeddedHost::hangs() const { return state_->hangs; }

}  // namespace davit::host
