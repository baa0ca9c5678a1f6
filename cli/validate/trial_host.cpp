#include "cli/validate/trial_host.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <tuple>
#include <utility>

#include "cli/validate/cache_wait.hpp"
#include "cli/validate/open_definition.hpp"
#include "cli/validate/trial_seams.hpp"
#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/loading/declared_config.hpp"
#include "host/plugin/call_slots.hpp"
#include "host/plugin/note_use.hpp"
#include "host/process/host_process.hpp"
#include "lib/base/assert.hpp"
#include "sandbox/client/in_process_transport.hpp"
#include "sandbox/faults/fault_layer.hpp"
#include "sandbox/rest/convert.hpp"
#include "sandbox/server/api_server.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;

/// Nothing is held back: the cluster is in this process.
constexpr TokenBucket::Rate kNoLimit{-1, 1};
constexpr Duration kLongQuiet = milliseconds(30);
constexpr Duration kShortQuiet = milliseconds(5);
/// The longest time for which idle controllers wait for a cache: its watch may be refused.
constexpr Duration kSeenLimit = std::chrono::seconds(5);
/// The longest time that a well-behaved plugin needs to stop.
constexpr Duration kStopLimit = std::chrono::seconds(5);

/// A trial must not change the world.
Result<std::unique_ptr<Transport>> no_way_out(const OutboundServer& server) {
  return Status(Code::kUnavailable,
                server.url + ": davit plugin validate sends no HTTP requests to the outside");
}

constexpr const char* kLeases = "coordination.k8s.io";

/// A host for one plugin in a cluster of its own: no limit of requests.
Manifest trial_manifest(TrialOptions::Election election) {
  Manifest manifest;
  manifest.leader_election.enabled = election == TrialOptions::Election::kHeld;
  // Short, so that a loss shows soon.
  manifest.leader_election.lease_duration = std::chrono::seconds(3);
  manifest.leader_election.renew_deadline = std::chrono::seconds(2);
  manifest.leader_election.retry_period = milliseconds(200);
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

/// Whether `path` or something around it was read.
bool is_read(const std::string& path, const std::set<std::string>& read) {
  return std::any_of(read.begin(), read.end(), [&](const std::string& each) {
    return path == each ||
           (path.starts_with(each) && (path[each.size()] == '.' || path[each.size()] == '['));
  });
}

}  // namespace

struct TrialHost::State {
  explicit State(const TrialOptions& with) : options(with) {}

  const TrialOptions options;
  RefusalReader refusals;
  std::unique_ptr<Clock> clock = make_system_clock();
  std::unique_ptr<Random> random = make_seeded_random(1);
  LoggedProblems problems;
  const Logger log{problems};
  sandbox::Store store{*clock};
  std::unique_ptr<sandbox::ApiServer> server;
  std::unique_ptr<sandbox::InProcessTransport> direct;  // The checks' own.
  std::unique_ptr<sandbox::FaultLayer> faults;
  std::unique_ptr<sandbox::InProcessTransport> wire;
  std::unique_ptr<RecordingTransport> transport;
  TrialObserver observer;
  std::unique_ptr<LentMemory> lent;
  NoRestMetrics metrics;
  std::unique_ptr<RestClient> client;  // The checks' own.
  std::unique_ptr<Discovery> discovery;
  std::filesystem::path staging;
  std::filesystem::path file;
  std::filesystem::path opened;
  PluginDeclaration declaration;
  std::shared_ptr<const LoadedPlugin> plugin;
  std::unique_ptr<LoadedPlugin> next;  // Opens the successors.
  std::vector<Watched> watched;
  std::set<std::string> defined;  // Names of definitions that the content lacks.
  std::unique_ptr<HostProcess> host;
  Mutex mutex;
  CondVar lost_changed;
  bool lost GUARDED_BY(mutex) = false;  // The lease.

  void lose() EXCLUDES(mutex) {
    MutexLock lock(mutex);
    lost = true;
    lost_changed.notify_all();
  }

  /// The content's definitions, or all else of it.
  [[nodiscard]] Status apply(bool definitions) {
    if (options.content == nullptr) return {};
    std::vector<ClusterObject> chosen;
    for (const ClusterObject& each : options.content->objects) {
      if (each.is_definition() == definitions) chosen.push_back(each);
    }
    const std::vector<Mistake> refused = apply_cluster_objects(chosen, *client, *discovery);
    return refused.empty() ? Status() : Status(Code::kInvalid, lines_of(refused));
  }

  [[nodiscard]] std::vector<ControllerConfig> configs() const {
    return options.content == nullptr ? std::vector<ControllerConfig>() : options.content->configs;
  }

  Status define(const DeclaredWatch& watch) {
    if (watch.group.empty()) {
      return Status(Code::kInvalid, "watches " + watch.version + "/" + watch.resource +
                                        ", which is not a resource of Kubernetes");
    }
    const std::string name = watch.resource + "." + watch.group;
    ApiRequest request;
    request.path = {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "", "", ""};
    if (defined.insert(name).second) {
      request.verb = Verb::kCreate;
      request.body = open_definition(watch);
      return client->call(request).status.unless(Code::kAlreadyExists).with_context(watch.resource);
    }
    request.verb = Verb::kPatch;
    request.path.name = name;
    request.patch_type = PatchType::kJson;
    request.body = version_patch(watch);
    return client->call(request).status.with_context(watch.resource);
  }

  /// Finds what the controllers watch, and defines what is not there.
  Status find_watched(const std::vector<DeclaredWatch>& watches) {
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (const DeclaredWatch& watch : watches) {
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
      const auto runs = [&] { return !runner.overdue(Duration::zero()).ok(); };
      // In the order of a change: it waits, its handler runs, its key waits, and a sync runs.
      busy = busy || !runner.caches_ready() || runner.use().pending_changes > 0 || runs() ||
             runner.waiting() > 0 || runs();
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

std::vector<DeclaredWatch> watches_of(const PluginDeclaration& declaration,
                                      const TrialContent* content) {
  std::vector<DeclaredWatch> watches;
  for (DeclaredController each : declaration.controllers) {
    // The InitFunc fails for a configuration that lacks a value, and says which.
    if (content != nullptr) (void)apply_config(each, config_for(content->configs, each.name));
    watches.insert(watches.end(), each.watches.begin(), each.watches.end());
  }
  return watches;
}

TrialHost::TrialHost(const TrialOptions& options) : state_(std::make_unique<State>(options)) {}

TrialHost::~TrialHost() = default;

Status TrialHost::open() {
  State& at = *state_;
  auto server = sandbox::ApiServer::open({at.store, *at.clock, *at.random, at.log});
  if (!server) return server.error();
  at.server = std::move(*server);
  at.faults = std::make_unique<sandbox::FaultLayer>(
      sandbox::FaultParts{.inner = *at.server, .store = at.store, .clock = *at.clock}, 1);
  auto wire = sandbox::InProcessTransport::open(*at.faults, *at.clock);
  if (!wire) return wire.error();
  at.wire = std::move(*wire);
  at.transport = std::make_unique<RecordingTransport>(*at.wire, *at.clock);
  auto direct = sandbox::InProcessTransport::open(*at.server, *at.clock);
  if (!direct) return direct.error();
  at.direct = std::move(*direct);
  at.client = std::make_unique<RestClient>(*at.direct, *at.clock, at.metrics, at.log,
                                           RestOptions{.rate = kNoLimit});
  at.discovery = std::make_unique<Discovery>(*at.client);
  if (at.options.borrowed == TrialOptions::Borrowed::kIsPoisoned) {
    Result<std::unique_ptr<LentMemory>> lent = LentMemory::open();
    if (!lent) return lent.error();
    at.lent = std::move(*lent);
  }
  return {};
}

Status TrialHost::load(const std::filesystem::path& file, const std::filesystem::path& below) {
  State& at = *state_;
  at.file = file;
  at.staging = below;
  Result<StagingDirectory> staging = StagingDirectory::create_below(below);
  if (!staging) return staging.error();
  Result<std::unique_ptr<LoadedPlugin>> loaded = load_plugin(*staging, file, LoadTerms{});
  if (!loaded) return loaded.error();
  at.plugin = std::move(*loaded);
  at.declaration = at.plugin->declaration();
  at.opened = at.plugin->opened();
  return define(watches_of(at.declaration, at.options.content));
}

Status TrialHost::define(const std::vector<DeclaredWatch>& watches) {
  State& at = *state_;
  if (Status s = at.apply(true); !s.ok()) return s;
  return at.find_watched(watches);
}

Status TrialHost::start() {
  State& at = *state_;
  std::vector<PlannedController> planned;
  for (const DeclaredController& declared : at.declaration.controllers) {
    planned.push_back({.plugin = at.plugin,
                       .sha256 = "",
                       .declared = declared,
                       .workers = {},
                       .config = config_for(at.configs(), declared.name)});
  }
  at.plugin = nullptr;  // The host's alone, so that its code can leave memory.
  Result<std::unique_ptr<HostProcess>> host =
      HostProcess::open(trial_manifest(at.options.election), ConnectionConfig{}, std::move(planned),
                        HostSeams{.clock = *at.clock,
                                  .random = *at.random,
                                  .log_sink = at.problems,
                                  .transport = at.transport.get(),
                                  .health_server = HostSeams::HealthServer::kOff,
                                  .staging = at.staging,
                                  .outside = &no_way_out,
                                  .observer = &at.observer,
                                  .debugging = {.reads = &at.observer, .lent = at.lent.get()}},
                        [&at] { at.lose(); });
  if (!host) return host.error();
  at.host = std::move(*host);
  return at.host->start({});
}

bool TrialHost::wait_until_idle(Duration limit, Quiet quiet) {
  const State& at = *state_;
  const Duration wanted = quiet == Quiet::kLong ? kLongQuiet : kShortQuiet;
  const Time seen_by = at.clock->now() + kSeenLimit;
  const auto await_seen = [&] {
    return await_caches(at.host->informers().informers(), *at.server, at.store, *at.clock, seen_by);
  };
  (void)await_seen();  // The machine is slow, not the controllers: it is not in `limit`.
  const Time give_up = at.clock->now() + limit;
  for (;;) {
    (void)await_seen();
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
    Result<std::unique_ptr<LoadedPlugin>> loaded = load_plugin(*staging, at.file, LoadTerms{});
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

Status TrialHost::create(const Watched& resource, const std::string& json) {
  ApiRequest request;
  request.verb = Verb::kCreate;
  request.path = {resource.watch.group,
                  resource.watch.version,
                  resource.watch.resource,
                  "",
                  resource.namespaced ? resource.ns : "",
                  ""};
  request.body = json;
  return state_->client->call(request).status;
}

Status TrialHost::add_namespace(const std::string& name) {
  ApiRequest request;
  request.verb = Verb::kCreate;
  request.path = {"", "v1", "namespaces", "", "", ""};
  request.body = to_text(Json::object(
      {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Json::object({{"name", name}})}}));
  const Status made = state_->client->call(request).status;
  return made.code() == Code::kAlreadyExists ? Status() : made;
}

Status TrialHost::put_objects() { return state_->apply(false); }

const Json* TrialHost::example_of(const Watched& resource) const {
  if (state_->options.content == nullptr) return nullptr;
  for (const ClusterObject& each : state_->options.content->objects) {
    if (each.is_of(resource.api_version, resource.kind)) return &each.object;
  }
  return nullptr;
}

const Json* TrialHost::schema_of(const Watched& resource) const {
  if (state_->options.content == nullptr) return nullptr;
  for (const ClusterObject& each : state_->options.content->objects) {
    const Json& spec = each.object.get("spec");
    if (!each.is_definition() || spec.get("group").text() != resource.watch.group ||
        spec.text_at({"names", "plural"}) != resource.watch.resource) {
      continue;
    }
    for (const Json& version : spec.get("versions").items()) {
      if (version.get("name").text() == resource.watch.version) {
        return version.at({"schema", "openAPIV3Schema"});
      }
    }
  }
  return nullptr;
}

void TrialHost::add_faults(std::string_view script) {
  Result<sandbox::FaultScript> parsed = sandbox::parse_fault_script(json_literal(script));
  DAVIT_ASSERT(parsed);
  (void)state_->faults->add(std::move(*parsed));
}

void TrialHost::clear_faults() { state_->faults->clear(); }

void TrialHost::await(Time due) { (void)state_->transport->wait_quiet(due, Duration::zero(), due); }

bool TrialHost::is_own_lease(const Watched& resource, std::string_view ns,
                             std::string_view name) const {
  const LeaderElectionSettings lease = trial_manifest(state_->options.election).leader_election;
  return lease.enabled && resource.watch.group == kLeases && ns == lease.ns && name == lease.name;
}

bool TrialHost::lose_leadership(Duration limit) {
  State& at = *state_;
  const LeaderElectionSettings lease = trial_manifest(at.options.election).leader_election;
  ApiRequest request;
  request.verb = Verb::kPatch;
  request.path = {kLeases, "v1", "leases", "", lease.ns, lease.name};
  request.body = R"({"spec":{"holderIdentity":"another","leaseDurationSeconds":60}})";
  if (!at.client->call(request).status.ok()) return false;
  const Time give_up = at.clock->now() + limit;
  MutexLock lock(at.mutex);
  while (!at.lost && at.clock->now() < give_up) {
    at.clock->wait_until(at.lost_changed, at.mutex, give_up);
  }
  return at.lost;
}

std::vector<LoggedProblem> TrialHost::take_problems() { return state_->problems.take(); }
const std::vector<std::string>& TrialHost::skipped() const { return state_->host->skipped(); }

std::size_t TrialHost::retained() const {
  std::size_t count = 0;
  state_->each_serving(
      [&](ControllerHost& controller) { count += controller.abi().retained.size(); });
  return count;
}

std::string TrialHost::running(Duration at_least) const {
  std::string text;
  state_->each_serving([&](ControllerHost& controller) {
    const Status s = controller.runner().overdue(at_least);
    if (text.empty() && !s.ok()) text = s.message();
  });
  return text;
}

std::string TrialHost::stuck(Duration limit) {
  const Clock& clock = *state_->clock;
  const Time since = clock.now();
  for (;;) {
    const Time now = clock.now();
    std::string text = running(now - since);
    if (text.empty() || now >= since + limit) return text;
    await(std::min(now + kLongQuiet, since + limit));
  }
}

TrialBreaches TrialHost::take_breaches() {
  TrialBreaches breaches = state_->observer.take();
  for (const RefusedCalls& each : state_->refusals.take()) {
    if (each.why == Refusal::kPhase) continue;  // The observer has reported it.
    const char* const what =
        each.why == Refusal::kEnded
            ? "used a call that had returned: a davit_call is valid until its callback returns"
            : "used a call on a thread that is not in it: other threads may use a waker only";
    breaches.misuses[what] += static_cast<int>(each.count);
  }
  return breaches;
}

std::vector<std::string> TrialHost::unused() const {
  const State& at = *state_;
  const NoteUse use = at.transport->use();
  const TrialWrites written = at.transport->writes();
  std::vector<std::string> out;
  at.each_serving([&](ControllerHost& controller) {
    const DeclaredController& declared = controller.declared();
    for (std::string& each : use.unused(declared, at.host->informers().informers())) {
      out.push_back(std::move(each));
    }
    for (const DeclaredWatch& watch : declared.watches) {
      std::string unread;
      for (const OpenedInformer* each :
           controller.abi().informers.of(watch.group, watch.resource)) {
        if (!each->projection || *each->projection != watch.projection) continue;
        const std::set<std::string> read = at.observer.read_paths(each->mask);
        for (const std::string& path : watch.projection) {
          if (!is_read(path, read)) unread += (unread.empty() ? "" : ", ") + path;
        }
      }
      if (unread.empty()) continue;
      out.push_back(declared.name + ": nothing read " + unread + " of " + watch.resource +
                    ", which \"projection\" has");
    }
    const int syncs = at.observer.syncs(declared.name);
    const std::string& client = declared.client_name.empty() ? declared.name : declared.client_name;
    if (syncs == 0) {
      out.push_back(declared.name +
                    ": no key was synced; give it objects that concern it "
                    "(--objects)");
    } else if (!written.by_client.contains(client)) {
      out.push_back(declared.name + ": none of " + std::to_string(syncs) +
                    " syncs wrote anything; give it objects that require work (--objects)");
    }
  });
  return out;
}

TrialWrites TrialHost::writes() const { return state_->transport->writes(); }

std::map<std::string, std::size_t> TrialHost::census() const {
  std::map<std::string, std::size_t> out;
  for (const sandbox::ResourcePtr& each : state_->server->resources()->all()) {
    if (each->group == kLeases || each->name == "events") continue;
    const std::size_t count = state_->store.list(each->collection, "").objects.size();
    if (count > 0) out[each->qualified_name()] = count;
  }
  return out;
}

const LentMemory* TrialHost::lent_memory() const { return state_->lent.get(); }

std::size_t TrialHost::requests() const { return state_->transport->count(); }

}  // namespace davit::host
