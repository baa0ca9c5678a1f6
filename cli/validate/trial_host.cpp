#include "cli/validate/trial_host.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>
#include <utility>

#include "cli/host_process.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/change.hpp"
#include "lib/kube/label_selector.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/crd/open_definition.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/field_selector.hpp"
#include "sandbox/server/api_server.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;

/// Nothing is held back: the cluster is in this process.
constexpr TokenBucket::Rate kNoLimit{-1, 1};
constexpr Duration kLongQuiet = milliseconds(30);
constexpr Duration kShortQuiet = milliseconds(5);
/// The longest time that a well-behaved plugin needs to stop.
constexpr Duration kStopLimit = std::chrono::seconds(5);

/// Keeps what a plugin did wrong. Thread-safe.
class LoggedProblems final : public LogSink {
 public:
  [[nodiscard]] int verbosity() const override { return 0; }
  void write(Severity severity, int, std::string_view logger, std::string_view message,
             std::span<const LogPair> fields) override EXCLUDES(mutex_) {
    if (severity == Severity::kInfo) return;
    LoggedProblem problem{std::string(message), std::string(logger) + ": " + std::string(message),
                          "", ""};
    for (const LogPair& field : fields) {
      problem.text.append(" ").append(field.key).append("=").append(field.text());
      if (field.key == "err") problem.error = field.text();
      if (field.key == "code") problem.code = field.text();
    }
    MutexLock lock(mutex_);
    if (all_.size() < kMost) all_.push_back(std::move(problem));
  }
  void flush() override {}
  std::vector<LoggedProblem> take() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return std::exchange(all_, {});
  }

 private:
  static constexpr std::size_t kMost = 10'000;  // A plugin may fail as often as it likes.
  Mutex mutex_;
  std::vector<LoggedProblem> all_ GUARDED_BY(mutex_);
};

/// A trial must not change the world.
Result<std::unique_ptr<Transport>> no_way_out(const OutboundServer& server) {
  return Status(Code::kUnavailable,
                server.url + ": davit plugin validate sends no HTTP requests to the outside");
}

/// Counts the controllers' own requests.
class CountingTransport final : public Transport {
 public:
  CountingTransport(Transport& next, Clock& clock) : next_(next), clock_(clock) {}
  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override
      EXCLUDES(mutex_) {
    if (request.purpose == ConnectionPurpose::kWrite) {
      MutexLock lock(mutex_);
      ++requests_;
      last_ = clock_.now();
    }
    return next_.start(std::move(request), reader);
  }
  [[nodiscard]] std::string_view server() const override { return next_.server(); }
  [[nodiscard]] std::size_t count() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return requests_;
  }
  /// Waits until no request has begun for `quiet`, counted from `since` at the earliest. False when
  /// `give_up` comes first.
  [[nodiscard]] bool wait_quiet(Time since, Duration quiet, Time give_up) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    for (;;) {
      const Time due = std::max(since, last_) + quiet;
      const Time now = clock_.now();
      if (now >= due) return true;
      if (now >= give_up) return false;
      clock_.wait_until(due_, mutex_, std::min(due, give_up));
    }
  }

 private:
  Transport& next_;
  Clock& clock_;
  mutable Mutex mutex_;
  CondVar due_;  // Never notified: a request moves the end of a wait, which time alone brings.
  std::size_t requests_ GUARDED_BY(mutex_) = 0;
  Time last_ GUARDED_BY(mutex_){};
};

/// Wakes a wait when a cache moves to another version.
class CacheProgress final : public Listener {
 public:
  explicit CacheProgress(Clock& clock) : clock_(clock) {}
  void on_initial(std::vector<ObjectRef>) override { moved(); }
  void on_change(const Change&) override {}
  void on_progress(std::uint64_t) override { moved(); }

  /// Waits until `done`, which is asked after each move. False when `give_up` comes first.
  template <typename Done>
  [[nodiscard]] bool wait(Done done, Time give_up) EXCLUDES(mutex_) {
    for (;;) {
      const std::uint64_t seen = moves();
      if (done()) return true;
      MutexLock lock(mutex_);
      while (moves_ == seen) {
        if (clock_.now() >= give_up) return false;
        clock_.wait_until(changed_, mutex_, give_up);
      }
    }
  }

 private:
  [[nodiscard]] std::uint64_t moves() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return moves_;
  }
  void moved() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    ++moves_;
    changed_.notify_all();
  }

  Clock& clock_;
  mutable Mutex mutex_;
  CondVar changed_;
  std::uint64_t moves_ GUARDED_BY(mutex_) = 0;
};

/// A host for one plugin in a cluster of its own: no lease, no limit of requests.
Manifest trial_manifest() {
  Manifest manifest;
  manifest.leader_election.enabled = false;
  manifest.client.qps = kNoLimit.qps;
  manifest.client.burst = kNoLimit.burst;
  // Protobuf cannot carry the wrong types of hostile objects.
  manifest.client.content_type = kContentTypeJson;
  manifest.controller_shutdown_timeout = kStopLimit;
  return manifest;
}

/// The value that a field selector asks for; nothing when it asks for none.
std::string asked_for(const std::string& selector, std::string_view field) {
  std::size_t begin = 0;
  while (begin < selector.size()) {
    const std::size_t end = std::min(selector.find(',', begin), selector.size());
    std::string_view term = std::string_view(selector).substr(begin, end - begin);
    begin = end + 1;
    if (!term.starts_with(field)) continue;
    term.remove_prefix(field.size());
    if (!term.starts_with('=')) continue;
    term.remove_prefix(term.starts_with("==") ? 2 : 1);
    return std::string(term);
  }
  return "";
}

std::string definition(const DeclaredWatch& watch) {
  std::string kind = watch.resource.substr(0, watch.resource.size() - 1);
  if (!kind.empty()) kind[0] = static_cast<char>(std::toupper(kind[0]));
  return sandbox::definition_text({.group = watch.group,
                                   .version = watch.version,
                                   .plural = watch.resource,
                                   .kind = std::move(kind)});
}

}  // namespace

struct TrialHost::State {
  std::unique_ptr<Clock> clock = make_system_clock();
  std::unique_ptr<Random> random = make_seeded_random(1);
  LoggedProblems problems;
  const Logger log{problems};
  sandbox::Store store{*clock};
  std::unique_ptr<sandbox::ApiServer> server;
  std::unique_ptr<sandbox::InProcessTransport> wire;
  std::unique_ptr<CountingTransport> transport;
  NoRestMetrics metrics;
  std::unique_ptr<RestClient> client;  // The checks' own.
  std::filesystem::path staging;
  std::filesystem::path file;
  std::filesystem::path opened;
  PluginDeclaration declaration;
  std::shared_ptr<const LoadedPlugin> plugin;
  std::unique_ptr<LoadedPlugin> next;  // Opens the successors.
  std::vector<Watched> watched;
  std::unique_ptr<HostProcess> host;

  Status define(const DeclaredWatch& watch) {
    if (watch.group.empty()) {
      return Status(Code::kInvalid, "watches " + watch.version + "/" + watch.resource +
                                        ", which is not a resource of Kubernetes");
    }
    ApiRequest request;
    request.verb = Verb::kCreate;
    request.path = {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "", "", ""};
    request.body = definition(watch);
    const Status made = client->call(request).status;
    return made.code() == Code::kAlreadyExists ? Status() : made.with_context(watch.resource);
  }

  /// Finds what the controllers watch, and defines what is not there.
  Status find_watched() {
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (const DeclaredController& controller : declaration.controllers) {
      for (const DeclaredWatch& watch : controller.watches) {
        const std::string name = asked_for(watch.field_selector, "metadata.name");
        const std::string ns = asked_for(watch.field_selector, "metadata.namespace");
        if (!seen.emplace(watch.group, watch.version, watch.resource).second) {
          add_selection(watch, name, ns);
          continue;
        }
        auto served = server->resources()->find(watch.group, watch.version, watch.resource);
        if (!served) {
          if (Status s = define(watch); !s.ok()) return s;
          served = server->resources()->find(watch.group, watch.version, watch.resource);
        }
        if (!served) return Status(Code::kInternal, "cannot define " + watch.resource);
        watched.push_back({watch,
                           served->collection,
                           served->api_version(),
                           served->kind,
                           served->namespaced,
                           {name},
                           ns.empty() ? "default" : ns});
      }
    }
    return {};
  }

  /// A further watch of a resource that is known asks for a name and a namespace.
  void add_selection(const DeclaredWatch& watch, const std::string& name, const std::string& ns) {
    for (Watched& each : watched) {
      if (each.watch.group != watch.group || each.watch.version != watch.version ||
          each.watch.resource != watch.resource) {
        continue;
      }
      if (std::find(each.names.begin(), each.names.end(), name) == each.names.end()) {
        each.names.push_back(name);
      }
      if (!ns.empty()) each.ns = ns;
    }
  }

  /// Calls `use` with each controller that serves.
  template <typename Use>
  void each_serving(Use use) const {
    ServingPlugins& serving = host->plugins().serving();
    for (const std::string& name : serving.controllers()) {
      if (const auto guarded = serving.guard(name)) use(*guarded->host);
    }
  }

  [[nodiscard]] bool busy() const {
    bool busy = false;
    each_serving([&](ControllerHost& controller) {
      ControllerRunner& runner = controller.runner();
      busy = busy || !runner.caches_ready() || runner.waiting() > 0 ||
             !runner.overdue(Duration::zero()).ok();
    });
    return busy;
  }

  /// Requests and syncs so far: between two equal numbers nothing has ended.
  [[nodiscard]] std::uint64_t activity() const {
    std::uint64_t sum = transport->count();
    each_serving(
        [&](ControllerHost& controller) { sum += controller.abi().work.counter().tally().syncs; });
    return sum;
  }
};

TrialHost::TrialHost() : state_(std::make_unique<State>()) {}

TrialHost::~TrialHost() = default;

Status TrialHost::open() {
  State& at = *state_;
  auto server = sandbox::ApiServer::open({at.store, *at.clock, *at.random, at.log});
  if (!server) return server.error();
  at.server = std::move(*server);
  auto wire = sandbox::InProcessTransport::open(*at.server, *at.clock);
  if (!wire) return wire.error();
  at.wire = std::move(*wire);
  at.transport = std::make_unique<CountingTransport>(*at.wire, *at.clock);
  at.client = std::make_unique<RestClient>(*at.wire, *at.clock, at.metrics, at.log,
                                           RestOptions{.rate = kNoLimit});
  return {};
}

Status TrialHost::load(const std::filesystem::path& file, const std::filesystem::path& below) {
  State& at = *state_;
  at.file = file;
  at.staging = below;
  Result<StagingDirectory> staging = StagingDirectory::create_below(below);
  if (!staging) return staging.error();
  Result<std::unique_ptr<LoadedPlugin>> loaded = load_plugin(*staging, file, "");
  if (!loaded) return loaded.error();
  at.plugin = std::move(*loaded);
  at.declaration = at.plugin->declaration();
  at.opened = at.plugin->opened();
  return at.find_watched();
}

Status TrialHost::start() {
  State& at = *state_;
  std::vector<PlannedController> planned;
  for (const DeclaredController& declared : at.declaration.controllers) {
    planned.push_back(
        {.plugin = at.plugin, .sha256 = "", .declared = declared, .workers = {}, .config = ""});
  }
  at.plugin = nullptr;  // The host's alone, so that its code can leave memory.
  Result<std::unique_ptr<HostProcess>> host =
      HostProcess::open(trial_manifest(), ConnectionConfig{}, std::move(planned),
                        HostSeams{.clock = *at.clock,
                                  .random = *at.random,
                                  .log_sink = at.problems,
                                  .transport = at.transport.get(),
                                  .health_server = HostSeams::HealthServer::kOff,
                                  .staging = at.staging,
                                  .outside = &no_way_out},
                        [] {});
  if (!host) return host.error();
  at.host = std::move(*host);
  return at.host->start({});
}

bool TrialHost::wait_until_idle(Duration limit, Quiet quiet) {
  const State& at = *state_;
  const Duration wanted = quiet == Quiet::kLong ? kLongQuiet : kShortQuiet;
  const Time give_up = at.clock->now() + limit;
  for (;;) {
    const std::uint64_t before = at.activity();
    if (!at.transport->wait_quiet(at.clock->now(), wanted, give_up)) return false;
    if (!at.busy() && at.activity() == before) return true;
  }
}

sandbox::Draft TrialHost::draft(const Watched& resource, Json object) const {
  const auto resources = state_->server->resources();
  const auto served =
      resources->find(resource.watch.group, resource.watch.version, resource.watch.resource);
  sandbox::Draft made = sandbox::make_draft(std::move(object), *served, *resources);
  made.ns = resource.namespaced ? resource.ns : "";
  return made;
}

bool TrialHost::await_seen(const Watched& resource, const sandbox::Version& now,
                           const sandbox::Version* before, Duration limit) {
  const State& at = *state_;
  const auto served = at.server->resources()->find(resource.watch.group, resource.watch.version,
                                                   resource.watch.resource);
  const auto selects = [&](const InformerSpec& spec) {
    const auto labels = LabelSelector::parse(spec.label_selector);
    const auto fields = sandbox::FieldSelector::parse(spec.field_selector, *served);
    if (!labels || !fields) return false;  // The server refuses the watch.
    const auto matches = [&](const sandbox::Version& object) {
      return labels->matches(object.labels) && fields->matches(object);
    };
    return matches(now) || (before != nullptr && matches(*before));
  };
  const auto is_behind = [&](const Informer* informer) {
    const ResourceId& id = informer->resource();
    return id.group == resource.watch.group && id.resource == resource.watch.resource &&
           informer->store().version() < now.revision && selects(informer->spec());
  };
  std::vector<Informer*> behind = at.host->informers().informers();
  std::erase_if(behind, [&](const Informer* informer) { return !is_behind(informer); });
  CacheProgress progress(*at.clock);
  for (Informer* informer : behind) informer->add_listener(progress, Informer::PastContent::kSkip);
  const bool seen =
      progress.wait([&] { return std::none_of(behind.begin(), behind.end(), is_behind); },
                    at.clock->now() + limit);
  for (Informer* informer : behind) informer->remove_listener(progress);
  return seen;
}

SwapReport TrialHost::swap() {
  return state_->host->plugins().swap({state_->declaration.name, state_->file});
}

std::vector<ControllerHost*> TrialHost::serving() const {
  std::vector<ControllerHost*> hosts;
  state_->each_serving([&](ControllerHost& controller) { hosts.push_back(&controller); });
  return hosts;
}

Result<std::unique_ptr<ControllerHost>> TrialHost::successor(const ControllerHost& of) {
  State& at = *state_;
  if (at.next == nullptr) {
    Result<StagingDirectory> staging = StagingDirectory::create_below(at.staging);
    if (!staging) return staging.error();
    Result<std::unique_ptr<LoadedPlugin>> loaded = load_plugin(*staging, at.file, "");
    if (!loaded) return loaded.error();
    at.next = std::move(*loaded);
  }
  constexpr std::uint64_t kSecond = 2;
  auto made = at.host->make_controller(*at.next, of.declared(), kSecond);
  const InitResult result = made->init(at.next->init(of.name()));
  if (result.outcome != InitOutcome::kStarted) {
    return Status(Code::kInternal, "a second build of " + of.name() +
                                       " does not start beside the "
                                       "first: " +
                                       result.reason);
  }
  if (Status s = made->commit(Reach::kRunning); !s.ok()) return s;
  made->start();
  if (made->runner().wait_caches(at.clock->now() + kStopLimit)) return made;
  (void)made->runner().stop({Time::min(), at.clock->now() + kStopLimit},
                            ControllerRunner::Successor::kRuns);
  return Status(Code::kUnavailable, "its handlers have not returned");
}

bool TrialHost::stop() { return state_->host->stop(); }

const PluginDeclaration& TrialHost::declaration() const { return state_->declaration; }
const std::filesystem::path& TrialHost::opened() const { return state_->opened; }
sandbox::Store& TrialHost::store() { return state_->store; }
const std::vector<TrialHost::Watched>& TrialHost::watched() const { return state_->watched; }

int TrialHost::create(const Watched& resource, const std::string& json) {
  ApiRequest request;
  request.verb = Verb::kCreate;
  request.path = {resource.watch.group,
                  resource.watch.version,
                  resource.watch.resource,
                  "",
                  resource.namespaced ? resource.ns : "",
                  ""};
  request.body = json;
  return state_->client->call(request).http_status;
}

std::vector<LoggedProblem> TrialHost::take_problems() { return state_->problems.take(); }
const std::vector<std::string>& TrialHost::skipped() const { return state_->host->skipped(); }

std::size_t TrialHost::retained() const {
  std::size_t count = 0;
  state_->each_serving(
      [&](ControllerHost& controller) { count += controller.abi().retained.size(); });
  return count;
}

std::string TrialHost::running() const {
  std::string text;
  state_->each_serving([&](ControllerHost& controller) {
    const Status s = controller.runner().overdue(Duration::zero());
    if (text.empty() && !s.ok()) text = s.message();
  });
  return text;
}

std::size_t TrialHost::requests() const { return state_->transport->count(); }

}  // namespace davit::host
