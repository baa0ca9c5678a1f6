#include <dlfcn.h>

#include <davit/testing/cluster.hpp>
#include <limits>
#include <set>

#include "host/loading/plugin_file.hpp"
#include "host/object/parse.hpp"
#include "host/plugin/call_frame.hpp"
#include "host/plugin/host_abi.hpp"
#include "lib/base/text_file.hpp"
#include "lib/kube/yaml.hpp"
#include "lib/kube/yaml_stream.hpp"
#include "testing/outside.hpp"
#include "testing/read_note.hpp"
#include "testing/replica.hpp"
#include "testing/request_log.hpp"
#include "testing/wire.hpp"

namespace davit::testing {
namespace {

/// As ClusterServer::find() takes it.
std::string qualified(const Resource& resource) {
  return host::ResourceId{std::string(resource.group), {}, std::string(resource.resource)}.text();
}

}  // namespace

class Cluster::Engine final : private host::ControllerObserver {
 public:
  explicit Engine(const ClusterOptions& options);

  using Hosted = HostedController;
  /// Makes a controller whose handlers have seen the caches, and which does not sync yet.
  Result<Hosted*> make(std::string_view name, const Init& init, std::string_view config);
  [[nodiscard]] Hosted& must_find(std::string_view name) const {
    if (Hosted* const found = replica.find(name)) return *found;
    fail("no controller " + std::string(name));
  }
  /// Lets it sync, unless the replica is a standby and the controller needs leadership.
  void begin(host::ControllerHost& controller) const {
    if (leads || controller.declared().without_leadership) controller.lead();
  }
  void lead() {
    leads = true;
    for (const auto& each : replica.hosts()) each->host->lead();
  }
  /// Adds the calls that the host refused to the violations.
  void note_refused_calls();
  /// Hands state and keys to another build.
  Status hand_over(host::ControllerHost& from, host::ControllerHost& to);

  std::size_t run_until_idle();

  /// The declarations that the started controllers have not used.
  [[nodiscard]] std::vector<std::string> unused_declarations();

  /// The root of an object that this keeps.
  [[nodiscard]] Value keep(std::string_view json);

 private:
  void synced(std::string_view controller, std::string_view key,
              const host::SyncOutcome& outcome) override;
  void logged(std::int32_t level, std::string_view message,
              std::span<const LogPair> fields) override;
  void recorded(const host::Reference& regarding, std::string_view type, std::string_view reason,
                std::string_view message) override;
  void measured(std::string_view metric, double value,
                std::span<const std::string_view> labels) override;
  void refused(std::string_view controller, std::string_view why) override;

  [[nodiscard]] ReplicaOptions replica_options(ReadYourWrites read_your_writes) const;

  const std::optional<host::PluginDeclaration> note_;

 public:
  ClusterClock clock;
  const std::unique_ptr<Random> names = make_seeded_random(1);
  ClusterServer server{clock, *names};
  host::NoteUse note_use;
  RequestLog requests{server, note_use};
  Mistakes mistakes;
  Outside outside{mistakes};
  host::RefusalReader refusals;
  std::vector<std::unique_ptr<HttpBodyStream>> streams;  // Open streams of exchange().
  bool leads = true;                                     // The replica is no standby.

  std::vector<SyncRecord> sync_records;
  std::vector<LogRecord> log_records;
  std::vector<EventRecord> event_records;
  std::vector<MetricSample> metric_samples;
  std::vector<std::string> violations;

 private:
  Wire wire_{server, mistakes};
  Wire recorded_wire_{requests, mistakes};

 public:
  Replica replica;
  Caches& caches = replica.caches();
  host::Discovery& discovery = replica.services().discovery;
  host::RestClient& client = replica.client();

 private:
  // Through it the test reads objects as a controller does.
  Api reader_api_;
  std::unique_ptr<host::ControllerHost> reader_;
  std::optional<host::CallFrame> reader_call_;  // The test is in it all the time.
  std::vector<host::ObjectRef> kept_;
  std::set<std::string> made_;  // Names of controllers that were ever started.
};

Cluster::Engine::Engine(const ClusterOptions& options)
    : note_(options.note.empty() ? std::nullopt : std::optional(read_note(options.note))),
      clock(options.start),
      replica(replica_options(options.read_your_writes),
              {clock, server, recorded_wire_, wire_, *this,
               [this](const host::OutboundServer& outbound) {
                 return Result<std::unique_ptr<Transport>>(outside.connect(outbound));
               }}) {
  host::ControllerHostOptions reader;
  reader.declared = replica.declared("test");
  reader.rate = {0, 1};
  reader.threads = Threads::kNone;
  reader_ = std::make_unique<host::ControllerHost>(std::move(reader), replica.services());
  static_cast<void>(reader_->init(
      [this](const davit_call* call, const davit_context* context, davit_controller*) {
        const davit::detail::CallScope scope(call);
        if (const Status s = reader_api_.open(*context); !s.ok()) fail(s.message());
        return DAVIT_STARTED;
      }));
  reader_call_.emplace(reader_->abi(), host::Phase::kProbe);
  reader_api_.outside = reader_call_->call();
}

ReplicaOptions Cluster::Engine::replica_options(ReadYourWrites read_your_writes) const {
  using Mode = host::ControllerHostOptions::ReadYourWrites;
  ReplicaOptions options;
  options.note = note_ ? &*note_ : nullptr;
  options.read_your_writes = read_your_writes == ReadYourWrites::kOn ? Mode::kOn : Mode::kOff;
  options.may_write = [this] {
    return leads ? Status() : Status(Code::kCancelled, "not the leader");
  };
  return options;
}

std::vector<std::string> Cluster::Engine::unused_declarations() {
  std::vector<std::string> out;
  if (!note_) return out;
  for (const host::DeclaredController& each : note_->controllers) {
    if (!made_.contains(each.name)) continue;
    std::ranges::move(note_use.unused(each, caches.informers()), std::back_inserter(out));
  }
  return out;
}

Result<Cluster::Engine::Hosted*> Cluster::Engine::make(std::string_view name, const Init& init,
                                                       std::string_view config) {
  Result<Hosted*> made = replica.make(name, init, config);
  if (!made) return made;
  made_.insert((*made)->host->name());
  replica.process_pending();
  return made;
}

Status Cluster::Engine::hand_over(host::ControllerHost& from, host::ControllerHost& to) {
  if (const auto handed = replica.hand_over(from, to); !handed) return handed.error();
  begin(to);
  static_cast<void>(
      from.runner().stop({clock.now(), clock.now()}, host::ControllerRunner::Successor::kRuns));
  return {};
}

void Cluster::Engine::note_refused_calls() {
  for (const host::RefusedCalls& each : refusals.take()) {
    if (each.why == host::Refusal::kPhase || each.plugin.empty()) continue;  // Reported.
    refused(each.controller, each.why == host::Refusal::kEnded
                                 ? "a call was used that had ended"
                                 : "a call was used that another thread is in");
  }
}

std::size_t Cluster::Engine::run_until_idle() {
  constexpr std::size_t kSyncsMax = 100'000;  // Far above any test; a loop reaches it in seconds.
  std::size_t syncs = 0;
  for (;;) {
    mistakes.rethrow();
    replica.process_pending();
    if (replica.step(Replica::Work::kTimer)) continue;
    if (!replica.sync_once()) break;
    if (++syncs > kSyncsMax) fail("the controllers never become idle");
  }
  replica.services().events.write_waiting();
  mistakes.rethrow();
  return syncs;
}

Value Cluster::Engine::keep(std::string_view json) {
  // The host's objects begin with a member.
  const std::string text = R"({"value":)" + std::string(json) + "}";
  Result<host::ObjectRef> parsed = host::parse_object(replica.services().space, text);
  if (!parsed) fail(parsed.error().message() + "\n" + std::string(json));
  kept_.push_back(std::move(*parsed));
  return Value(&reader_api_, kept_.back().root().raw)["value"];
}

void Cluster::Engine::synced(std::string_view controller, std::string_view key,
                             const host::SyncOutcome& outcome) {
  SyncRecord record{std::string(controller), std::string(key), static_cast<Code>(outcome.code),
                    outcome.error, 0};
  if (record.ok()) {
    record.again_ms = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(outcome.again).count());
  }
  sync_records.push_back(std::move(record));
}

void Cluster::Engine::logged(std::int32_t level, std::string_view message,
                             std::span<const LogPair> fields) {
  LogRecord record{level, std::string(message), {}};
  for (const LogPair& each : fields) record.fields.emplace_back(each.key, each.text());
  log_records.push_back(std::move(record));
}

void Cluster::Engine::recorded(const host::Reference& regarding, std::string_view type,
                               std::string_view reason, std::string_view message) {
  event_records.push_back({std::string(type), std::string(reason), std::string(message),
                           regarding.api_version, regarding.kind, regarding.ns, regarding.name,
                           regarding.uid});
}

void Cluster::Engine::measured(std::string_view metric, double value,
                               std::span<const std::string_view> labels) {
  metric_samples.push_back({std::string(metric), value, {labels.begin(), labels.end()}});
}

void Cluster::Engine::refused(std::string_view controller, std::string_view why) {
  std::string line = std::string(controller) + ": " + std::string(why);
  if (violations.empty() || violations.back() != line) violations.push_back(std::move(line));
}

// ---- What tests use ----

Cluster::Cluster(ClusterOptions options) : engine_(std::make_unique<Engine>(options)) {}
Cluster::~Cluster() = default;

Status Cluster::start_with(std::string_view name, const Init& init, std::string_view config) {
  const Result<Engine::Hosted*> made = engine_->make(name, init, config);
  if (made) engine_->begin(*(*made)->host);
  engine_->mistakes.rethrow();
  return made.error();
}

void Cluster::stop(std::string_view name) {
  engine_->replica.end(engine_->replica.find(name));
  engine_->mistakes.rethrow();
}

Status Cluster::swap_with(std::string_view name, const Init& init, std::string_view config) {
  Engine::Hosted* const old = &engine_->must_find(name);
  const Result<Engine::Hosted*> next = engine_->make(name, init, config);
  if (!next) engine_->mistakes.rethrow();
  if (!next) return next.error();
  Status handed = engine_->hand_over(*old->host, *(*next)->host);
  engine_->replica.end(handed.ok() ? old : *next);
  engine_->mistakes.rethrow();
  return handed;
}

Status Cluster::configure(std::string_view name, std::string_view config) {
  Status taken = engine_->must_find(name).host->configure(std::string(config));
  engine_->mistakes.rethrow();
  return taken;
}
Status Cluster::health(std::string_view name) const {
  return engine_->must_find(name).host->plugin().health();
}

Result<DebugPage> Cluster::debug_page(std::string_view name, std::string_view path,
                                      std::string_view query) const {
  auto made = engine_->must_find(name).host->plugin().debug_page(path, query);
  if (!made) return made.error();
  return DebugPage{std::move(made->body), std::move(made->content_type), made->http_status};
}

void Cluster::stand_by() { engine_->leads = false; }
void Cluster::lead() {
  engine_->lead();
  engine_->mistakes.rethrow();
}

std::string Cluster::state_of(std::string_view name) const {
  const Engine::Hosted* const hosted = engine_->replica.find(name);
  return hosted == nullptr ? "" : hosted->host->plugin().write_state().value_or("");
}

Status Cluster::give_state(std::string_view name, std::uint32_t version, std::string_view text) {
  host::ControllerHost& hosted = *engine_->must_find(name).host;
  const std::optional<host::StateForms> forms = hosted.plugin().state_forms();
  if (!forms) return {};
  if (!forms->reads(version)) return Status(Code::kUnsupported, "it does not read this form");
  return hosted.plugin().read_state(version, text);
}

davit_controller Cluster::raw_controller(std::string_view name) const {
  const Engine::Hosted* const hosted = engine_->replica.find(name);
  return hosted == nullptr ? davit_controller{} : hosted->raw;
}

std::size_t Cluster::run_until_idle() { return engine_->run_until_idle(); }

bool Cluster::run_one_sync() {
  engine_->replica.process_pending();
  const bool has_run = engine_->replica.sync_once();
  engine_->mistakes.rethrow();
  return has_run;
}

void Cluster::advance(Duration duration) {
  const Time end = now() + duration;
  run_until_idle();
  for (auto due = engine_->replica.next_due(); due && *due <= end;
       due = engine_->replica.next_due()) {
    engine_->clock.move_to(*due);
    run_until_idle();
  }
  engine_->clock.move_to(end);
  run_until_idle();
}

void Cluster::skip(Duration duration) { engine_->clock.move_to(now() + duration); }
void Cluster::set_wall_clock(WallTime now) { engine_->clock.set_wall(now); }
Time Cluster::now() const { return engine_->clock.now(); }
WallTime Cluster::wall_now() const { return engine_->clock.wall_now(); }

std::optional<Duration> Cluster::next_due_in() const {
  const std::optional<Time> due = engine_->replica.next_due();
  return due ? std::optional<Duration>(*due - now()) : std::nullopt;
}

void Cluster::hold(std::string_view resource) { engine_->caches.hold(resource); }
void Cluster::release(std::string_view resource) { engine_->caches.release(resource); }
bool Cluster::release_one(std::string_view resource) {
  if (!engine_->caches.release_one(resource)) return false;
  engine_->replica.process_pending();
  return true;
}
void Cluster::begin_outage(std::string_view resource) { engine_->caches.begin_outage(resource); }
void Cluster::end_outage(std::string_view resource) { engine_->caches.end_outage(resource); }
int Cluster::verifications(std::string_view resource) const {
  return engine_->caches.verifications(resource);
}
int Cluster::lists(std::string_view resource) const { return engine_->caches.lists(resource); }
void Cluster::resync(std::string_view resource) {
  engine_->caches.resync(resource);
  while (engine_->replica.step(Replica::Work::kChange)) {
  }
}

void Cluster::put(std::string_view json) {
  const Result<Tree> object = parse_json(json);
  if (!object) fail(object.error().message() + "\n" + std::string(json));
  if (const Status s = engine_->server.put(*object); !s.ok()) fail(s.message());
  engine_->discovery.reset();
}

void Cluster::add_yaml(std::string_view yaml, const std::string& file) {
  for (const YamlPart& each : yaml_documents(yaml)) {
    const YamlDocument document = parse_yaml(each.text, file, each.line);
    if (!document.mistakes.empty()) fail(document.mistakes.front().str());
    if (document.root.is_null()) continue;
    const Result<std::string> json = to_json(document.root);
    if (!json)
      fail(file + ":" + std::to_string(document.root.line) + ": " + json.error().message());
    put(*json);
  }
}

void Cluster::add_file(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) fail(path + " cannot be read: " + text.error().message());
  add_yaml(*text, path);
}

void Cluster::remove_object(const Resource& resource, const Key& key,
                            const DeleteOptions& options) {
  host::ApiRequest request;
  request.verb = host::Verb::kDelete;
  request.path.group = resource.group;
  request.path.version = resource.version;
  request.path.resource = resource.resource;
  request.path.ns = key.ns;
  request.path.name = key.name;
  request.delete_options = {host::api_propagation(static_cast<std::int32_t>(options.propagation)),
                            options.grace_seconds, options.uid, options.resource_version};
  const host::ApiResponse response = engine_->client.call(request);
  if (!response.status.ok()) fail(response.status.message());
}

bool Cluster::erase_object(const Resource& resource, const Key& key) {
  const Result<bool> erased = engine_->server.erase(qualified(resource), key);
  if (!erased) fail(erased.error().message());
  return *erased;
}

std::optional<std::string> Cluster::text_of(const Resource& resource, const Key& key) const {
  return engine_->server.text(qualified(resource), key);
}

std::vector<std::string> Cluster::texts_of(const Resource& resource) const {
  return engine_->server.texts(qualified(resource));
}

Value Cluster::value(std::string_view json) { return engine_->keep(json); }

RawReply Cluster::exchange(const RawRequest& request) {
  HttpServerRequest received;
  received.method = request.method;
  received.target = request.target;
  received.headers = request.headers;
  received.body = request.body;
  HttpServerResponse response = engine_->server.handle(received);
  RawReply reply{response.status, std::move(response.headers), std::move(response.body), {}};
  reply.headers.emplace_back("Content-Type", response.content_type);
  if (response.stream == nullptr) return reply;
  HttpBodyStream* const stream = response.stream.get();
  engine_->streams.push_back(std::move(response.stream));
  reply.read_on = [stream](std::string& body) {
    constexpr std::size_t kReadMax = std::numeric_limits<std::size_t>::max() / 2;
    return stream->read(body, kReadMax) == HttpBodyStream::State::kOpen;
  };
  if (!reply.read_on(reply.body)) reply.read_on = nullptr;
  return reply;
}

void Cluster::forget_history() { engine_->server.forget_history(); }

void Cluster::fail_next(Fault fault) { engine_->requests.fail_next(std::move(fault)); }
void Cluster::clear_faults() { engine_->requests.clear_faults(); }
void Cluster::on_request(std::function<void(const RequestRecord&)> hook) {
  engine_->requests.on_request(std::move(hook));
}
void Cluster::remove_resource(std::string_view resource) {
  engine_->server.hide(resource);
  engine_->discovery.reset();
  engine_->discovery.request_refresh();
}
void Cluster::drop_status_field(std::string_view resource, std::string_view field) {
  engine_->server.drop_status_field(resource, field);
}
void Cluster::keep_status_field(std::string_view resource, std::string_view field) {
  engine_->server.keep_status_field(resource, field);
}

const std::vector<RequestRecord>& Cluster::requests() const { return engine_->requests.records(); }
void Cluster::on_http(std::function<HttpReply(const HttpRecord&)> server) {
  engine_->outside.on_http(std::move(server));
}
const std::vector<HttpRecord>& Cluster::http_requests() const { return engine_->outside.records(); }
const std::vector<EventRecord>& Cluster::events() const { return engine_->event_records; }
const std::vector<SyncRecord>& Cluster::syncs() const { return engine_->sync_records; }
const std::vector<LogRecord>& Cluster::log() const { return engine_->log_records; }
const std::vector<MetricSample>& Cluster::metrics() const { return engine_->metric_samples; }
const std::vector<std::string>& Cluster::violations() const {
  engine_->note_refused_calls();
  return engine_->violations;
}
std::vector<std::string> Cluster::unused_declarations() const {
  return engine_->unused_declarations();
}

void Cluster::clear_records() {
  engine_->requests.clear();
  engine_->outside.clear();
  engine_->event_records.clear();
  engine_->sync_records.clear();
  engine_->log_records.clear();
  engine_->metric_samples.clear();
}

std::string note_of(davit_plugin_v1_fn entry) {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(entry), &library) == 0) fail("note_of: no library");
  const Result<host::PluginFile> file = host::inspect_plugin(library.dli_fname);
  if (!file) fail("note_of: " + file.error().message());
  return file->elf.note.value();
}

}  // namespace davit::testing
