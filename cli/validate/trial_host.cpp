#include "cli/validate/trial_host.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/informer_factory.hpp"
#include "host/cache/rest_list_watch.hpp"
#include "host/events/event_api.hpp"
#include "host/events/event_recorder.hpp"
#include "host/health/metrics.hpp"
#include "host/plugin/controller_host.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/rest/field_selector.hpp"
#include "sandbox/rest/label_selector.hpp"
#include "sandbox/server/api_server.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;

/// Nothing is held back: the cluster is in this process.
constexpr TokenBucket::Rate kNoLimit{-1, 1};
constexpr Duration kLongQuiet = milliseconds(30);
constexpr Duration kShortQuiet = milliseconds(5);
constexpr milliseconds kLook{1};
/// What a plugin that ends well needs at most.
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

/// Counts the controllers' own requests.
class CountingTransport final : public Transport {
 public:
  explicit CountingTransport(Transport& next) : next_(next) {}
  [[nodiscard]] std::unique_ptr<Call> start(HttpRequest request, ResponseReader& reader) override {
    if (request.purpose == ConnectionPurpose::kWrite)
      requests_.fetch_add(1, std::memory_order_relaxed);
    return next_.start(std::move(request), reader);
  }
  [[nodiscard]] std::string_view server() const override { return next_.server(); }
  /// A count only: nothing hangs on its order.
  [[nodiscard]] std::size_t count() const { return requests_.load(std::memory_order_relaxed); }

 private:
  Transport& next_;
  std::atomic<std::size_t> requests_{0};
};

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
  return R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
         R"("metadata":{"name":")" +
         watch.resource + "." + watch.group + R"("},"spec":{"group":")" + watch.group +
         R"(","scope":"Namespaced","names":{"plural":")" + watch.resource + R"(","kind":")" + kind +
         R"("},"versions":[{"name":")" + watch.version +
         R"(","served":true,"storage":true,"subresources":{"status":{}},)"
         R"("schema":{"openAPIV3Schema":)"
         R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";
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
  std::unique_ptr<Metrics> metrics = Metrics::make({}, *clock);
  ObjectSpace space;
  std::unique_ptr<RestClient> client;
  std::unique_ptr<RestClient> watch_client;
  std::unique_ptr<Discovery> discovery;
  std::unique_ptr<EventApi> event_api;
  std::unique_ptr<EventRecorder> events;
  std::unique_ptr<ListWatch> list_watch;
  std::unique_ptr<InformerFactory> informers;
  std::filesystem::path staging;
  std::filesystem::path file;
  std::filesystem::path opened;
  PluginDeclaration declaration;
  std::shared_ptr<const LoadedPlugin> plugin;
  std::unique_ptr<LoadedPlugin> next;  // Of the successors.
  std::vector<Watched> watched;
  std::vector<std::string> skipped;
  mutable Mutex mutex;
  std::vector<ControllerHost*> hosts GUARDED_BY(mutex);  // Of the build that serves.
  std::unique_ptr<PluginSet> plugins;

  std::unique_ptr<ControllerHost> make(const LoadedPlugin& loaded,
                                       const DeclaredController& declared, std::uint64_t generation)
      EXCLUDES(mutex) {
    auto made = make_aside(loaded, declared, generation);
    MutexLock lock(mutex);
    hosts.push_back(made.get());
    return made;
  }
  /// One that is not among those that serve.
  std::unique_ptr<ControllerHost> make_aside(const LoadedPlugin& loaded,
                                             const DeclaredController& declared,
                                             std::uint64_t generation) {
    ControllerHostOptions options;
    options.declared = declared;
    options.plugin = loaded.declaration().name;
    options.build_id = loaded.file().digest.substr(0, 12);
    options.generation = generation;
    options.rate = kNoLimit;
    return std::make_unique<ControllerHost>(
        std::move(options), HostServices{space, *informers, *transport, *discovery, *events,
                                         *metrics, *clock, *random, log});
  }

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

  [[nodiscard]] bool busy() const EXCLUDES(mutex) {
    MutexLock lock(mutex);
    for (ControllerHost* host : hosts) {
      if (!host->runner().caches_ready() || host->runner().waiting() > 0) return true;
      if (!host->runner().overdue(Duration::zero()).ok()) return true;
    }
    return false;
  }
};

TrialHost::TrialHost() : state_(std::make_unique<State>()) {}

TrialHost::~TrialHost() {
  if (state_->informers) state_->informers->stop();
  state_->plugins.reset();
  if (state_->events) state_->events->stop();
}

Status TrialHost::open() {
  State& at = *state_;
  auto server = sandbox::ApiServer::open({at.store, *at.clock, *at.random, at.log});
  if (!server) return server.error();
  at.server = std::move(*server);
  auto wire = sandbox::InProcessTransport::open(*at.server, *at.clock);
  if (!wire) return wire.error();
  at.wire = std::move(*wire);
  at.transport = std::make_unique<CountingTransport>(*at.wire);
  const auto client = [&](ConnectionPurpose purpose) {
    RestOptions options;
    options.rate = kNoLimit;
    options.purpose = purpose;
    return std::make_unique<RestClient>(*at.wire, *at.clock, *at.metrics, at.log,
                                        std::move(options));
  };
  at.client = client(ConnectionPurpose::kWrite);
  at.watch_client = client(ConnectionPurpose::kWatch);
  at.discovery = std::make_unique<Discovery>(*at.client);
  at.event_api = std::make_unique<RestEventApi>(*at.client);
  at.events = std::make_unique<EventRecorder>(*at.event_api, *at.clock, *at.random, at.log,
                                              EventRecorderOptions{});
  at.list_watch = std::make_unique<RestListWatch>(*at.watch_client);
  at.informers = std::make_unique<InformerFactory>(
      InformerSeams{*at.list_watch, at.space, *at.clock, *at.random, *at.metrics}, at.log);
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
  if (Status s = at.discovery->refresh({}); !s.ok()) return s;
  SwapLimits limits;
  limits.staging = at.staging;
  at.plugins = std::make_unique<PluginSet>(
      *at.clock, at.log,
      [&at](const LoadedPlugin& plugin, const DeclaredController& declared,
            std::uint64_t generation) { return at.make(plugin, declared, generation); },
      SetObservers{.on_up = {},
                   .on_down = {},
                   .on_phase = {},
                   .start_informers = [&at] { return at.informers->start(); }},
      limits);
  const std::shared_ptr<const LoadedPlugin> plugin = std::exchange(at.plugin, nullptr);
  at.plugins->add(plugin, "");
  for (const DeclaredController& declared : at.declaration.controllers) {
    auto controller = at.make(*plugin, declared, 1);
    const InitResult result = controller->init(plugin->init(declared.name));
    Status status;
    if (result.outcome == InitOutcome::kStarted) status = controller->commit();
    if (result.outcome == InitOutcome::kFailed) {
      status = Status(Code::kInternal, result.reason);
    }
    if (result.outcome == InitOutcome::kStarted && status.ok()) {
      at.plugins->add(at.declaration.name, std::move(controller));
      continue;
    }
    {
      MutexLock lock(at.mutex);
      at.hosts.pop_back();
    }
    if (!status.ok()) return status.with_context("the InitFunc of " + declared.name);
    at.skipped.push_back(declared.name + " was skipped: " + result.reason);
  }
  if (Status s = at.informers->start(); !s.ok()) return s;
  at.plugins->start();
  at.plugins->lead();
  return {};
}

bool TrialHost::wait_until_idle(Duration limit, Quiet quiet) {
  const State& at = *state_;
  const Duration wanted = quiet == Quiet::kLong ? kLongQuiet : kShortQuiet;
  const Time give_up = at.clock->now() + limit;
  Time quiet_since = at.clock->now();
  std::size_t seen = at.transport->count();
  for (;;) {
    const Time now = at.clock->now();
    const std::size_t sent = at.transport->count();
    if (sent != seen || at.busy()) quiet_since = now;
    seen = sent;
    if (now - quiet_since >= wanted) return true;
    if (now >= give_up) return false;
    std::this_thread::sleep_for(kLook);
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
    const auto labels = sandbox::LabelSelector::parse(spec.label_selector);
    const auto fields = sandbox::FieldSelector::parse(spec.field_selector, *served);
    if (!labels || !fields) return false;  // The server refuses the watch.
    const auto matches = [&](const sandbox::Version& object) {
      return labels->matches(object.labels) && fields->matches(object);
    };
    return matches(now) || (before != nullptr && matches(*before));
  };
  const auto behind = [&](const Informer* informer) {
    const ResourceId& id = informer->resource();
    const std::string version = informer->store().resource_version();
    return id.group == resource.watch.group && id.resource == resource.watch.resource &&
           std::strtoull(version.c_str(), nullptr, 10) < now.revision && selects(informer->spec());
  };
  const Time give_up = at.clock->now() + limit;
  for (;;) {
    const std::vector<Informer*> informers = at.informers->informers();
    if (std::none_of(informers.begin(), informers.end(), behind)) return true;
    if (at.clock->now() >= give_up) return false;
    std::this_thread::sleep_for(kLook);
  }
}

SwapReport TrialHost::swap() {
  {
    MutexLock lock(state_->mutex);
    state_->hosts.clear();  // Those of the new build take their place.
  }
  return state_->plugins->swap({state_->declaration.name, state_->file});
}

std::vector<ControllerHost*> TrialHost::serving() const {
  MutexLock lock(state_->mutex);
  return state_->hosts;
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
  auto made = at.make_aside(*at.next, of.declared(), kSecond);
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
  return Status(Code::kUnavailable, "its handlers do not end");
}

bool TrialHost::stop() {
  const Time now = state_->clock->now();
  const bool ended = state_->plugins->stop({now + kStopLimit / 2, now + kStopLimit});
  MutexLock lock(state_->mutex);
  state_->hosts.clear();
  return ended;
}

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
const std::vector<std::string>& TrialHost::skipped() const { return state_->skipped; }

std::size_t TrialHost::retained() const {
  std::size_t count = 0;
  MutexLock lock(state_->mutex);
  for (ControllerHost* host : state_->hosts) count += host->abi().retained.size();
  return count;
}

std::string TrialHost::running() const {
  MutexLock lock(state_->mutex);
  for (ControllerHost* host : state_->hosts) {
    if (const Status s = host->runner().overdue(Duration::zero()); !s.ok()) return s.message();
  }
  return "";
}

std::size_t TrialHost::requests() const { return state_->transport->count(); }

}  // namespace davit::host
