/// Cluster: a Kubernetes cluster in memory, for the unit tests of controllers.
///
/// It implements the host's capability tables, so a controller runs in it unchanged. Nothing
/// happens by itself and nothing takes time: run_until_idle() delivers watch events and runs syncs
/// until all is quiet, advance() moves the clock.
///
///     testing::Cluster cluster;
///     cluster.start("greeter-controller", &make<GreeterController>);
///     cluster.add(testing::PodBuilder("web").annotation("example.davit.dev/greet", "yes"));
///     cluster.run_until_idle();
///     EXPECT_EQ(cluster.find<Pod>({"default", "web"})->label("greeting"), "hello");
///
/// With a note given (note_of() reads that of a plugin's file), calls and reads outside its rules
/// and projections fail as the host makes them fail, and are listed by violations().
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <davit/entry.hpp>
#include <davit/testing/builders.hpp>
#include <davit/testing/hand_over.hpp>
#include <davit/testing/host_tables.hpp>
#include <davit/testing/plugin_note.hpp>
#include <davit/testing/state.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::testing {

/// Whether a key waits until the caches have seen what its last sync wrote, as the host does it.
enum class ReadYourWrites { kOn, kOff };

struct ClusterOptions {
  std::string note{};  ///< The plugin's note; empty: everything is allowed.
  WallTime start = std::chrono::sys_days(std::chrono::year(2024) / 5 / 1) + std::chrono::hours(12);
  ReadYourWrites read_your_writes = ReadYourWrites::kOn;
};

/// Single-threaded. Views that it gives out live as long as the cluster.
class Cluster {
 public:
  explicit Cluster(ClusterOptions options = {}) : state_(options.start) {
    if (!options.note.empty()) note_ = Json::must(options.note);
    state_.read_your_writes = options.read_your_writes == ReadYourWrites::kOn;
    HostState& reader = *observer_;
    reader.context = make_context(reader);
    if (!observer_api_.open(reader.context).ok()) std::abort();
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster() {
    for (const auto& host : state_.hosts) destroy(*host);
  }

  // ---- Controllers ----

  /// Makes a controller and fills its caches; its syncs run later. `config` is JSON text.
  /// The error of a failed init; kUnsupported and the reason when it was skipped.
  Status start(std::string_view name, const std::function<InitResult(Context&)>& factory,
               std::string_view config = {}) {
    return start_with(name, config, [&factory](const davit_context& raw, davit_controller& out) {
      return davit::detail::start(raw, factory, out);
    });
  }
  /// The same for a row of a plugin's table, as the host starts it.
  Status start(std::string_view name, davit_init_fn init, std::string_view config = {}) {
    return start_with(name, config, [init](const davit_context& raw, davit_controller& out) {
      return init(&raw, &out);
    });
  }
  /// Ends a controller.
  void stop(std::string_view name) {
    for (const auto& host : state_.hosts) {
      if (host->name == name) destroy(*host);
    }
  }

  /// Puts another build of a controller in the place of the one that runs, as a hot swap does: it
  /// sees what the caches hold, then gets state and keys. After an error the old one runs on.
  Status swap(std::string_view name, const std::function<InitResult(Context&)>& factory,
              std::string_view config = {}) {
    HostState* const old = find_host(name);
    if (old == nullptr) fail("no controller " + std::string(name));
    if (Status s = start(name, factory, config); !s.ok()) return s;
    HostState& next = *state_.hosts.back();
    if (const davit_state_v1* const from = detail::state_side(*old); from != nullptr) {
      std::string text;
      const davit_code written = from->write(old->controller.self, append_to(text));
      Status handed(from_c(written), old->error_text);
      if (handed.ok()) handed = detail::read_state(next, from->version, text);
      if (!handed.ok()) return destroy(next), handed;
    }
    for (std::size_t i = 0; i < std::min(old->queues.size(), next.queues.size()); ++i) {
      next.queues[i].adopt(old->queues[i]);
    }
    destroy(*old);
    return {};
  }
  /// What a controller would hand over ("davit.state/1"); empty when it has no state.
  [[nodiscard]] std::string state_of(std::string_view name) const {
    std::string text;
    const HostState* const host = find_host(name);
    const davit_state_v1* const state = host == nullptr ? nullptr : detail::state_side(*host);
    if (state != nullptr) static_cast<void>(state->write(host->controller.self, append_to(text)));
    return text;
  }
  /// Hands a text to a controller as the state of another build; its refusal.
  Status give_state(std::string_view name, std::uint32_t version, std::string_view text) {
    HostState* const host = find_host(name);
    if (host == nullptr) fail("no controller " + std::string(name));
    return detail::read_state(*host, version, text);
  }

  /// The C side of a controller that was started, for its optional sides; all zero for others.
  [[nodiscard]] davit_controller raw_controller(std::string_view name) const {
    const HostState* const host = find_host(name);
    return host == nullptr ? davit_controller{} : host->controller;
  }

  // ---- Time and work ----

  /// Delivers events and runs syncs until nothing is left that is due. Returns how many syncs ran;
  /// a controller that never rests ends the process.
  std::size_t run_until_idle() {
    constexpr std::size_t kSyncsMax =
        100'000;  // Far above any test; a loop reaches it in a second.
    std::size_t syncs = 0;
    state_.fire_timers();
    state_.deliver_all();
    while (state_.sync_next()) {
      if (++syncs > kSyncsMax) fail("the controllers never become idle");
      state_.deliver_all();
    }
    return syncs;
  }
  /// Runs one sync, if a key is ready. Delivers events before, not after.
  bool run_one_sync() {
    state_.deliver_all();
    return state_.sync_next();
  }
  /// Moves the clock by `duration`, running at each instant what is due then.
  void advance(Duration duration) {
    const Time end = state_.now + duration;
    run_until_idle();
    while (const std::optional<Time> due = state_.next_due()) {
      if (*due > end) break;
      state_.now = std::max(state_.now, *due);
      run_until_idle();
    }
    state_.now = end;
    run_until_idle();
  }
  /// Moves the clock and runs nothing.
  void skip(Duration duration) { state_.now += duration; }
  [[nodiscard]] Time now() const { return state_.now; }
  [[nodiscard]] WallTime wall_now() const { return state_.wall_now(); }
  /// When the next delayed key or timer is due.
  [[nodiscard]] std::optional<Duration> next_due_in() const {
    const std::optional<Time> due = state_.next_due();
    return due ? std::optional<Duration>(*due - state_.now) : std::nullopt;
  }

  // ---- Cache lag ----

  /// From now on changes of a resource ("pods") reach no cache and no handler, and nothing confirms
  /// the content.
  void hold(std::string_view resource) {
    Cache& cache = cache_of(resource);
    if (!std::exchange(cache.held, true)) cache.held_at = state_.now;
  }
  /// Ends hold(); what was missed is delivered by the next run.
  void release(std::string_view resource) { cache_of(resource).held = false; }
  /// The same, when an outage of the host's connection was the reason.
  void end_outage(std::string_view resource) {
    release(resource);
    cache_of(resource).followed_since = state_.now;
  }
  /// How often a controller wanted the content of a resource compared with the server's state.
  [[nodiscard]] int verifications(std::string_view resource) const {
    const auto found = state_.caches.find(state_.server.qualified_name(resource));
    return found == state_.caches.end() ? 0 : found->second.verifications;
  }
  /// Delivers the oldest change that is held back. False: there is none.
  bool release_one(std::string_view resource) {
    Cache& cache = cache_of(resource);
    if (cache.pending.empty()) return false;
    state_.deliver_next(cache);
    return true;
  }
  /// Delivers every cached object of a resource as an update to itself, as a periodic resync does.
  void resync(std::string_view resource) {
    const std::string name = state_.server.qualified_name(resource);
    const auto objects = cache_of(resource).objects;
    for (const auto& [key, object] : objects) {
      for (const auto& host : state_.hosts) {
        for (Subscription& each : host->subscriptions) {
          if (!host->started || each.resource != name) continue;
          state_.notify(*host, each, {each.resource, DAVIT_EVENT_UPDATED, object, 0}, object);
        }
      }
    }
  }

  // ---- Objects, as an administrator ----

  /// Stores JSON text or a builder's object whole, status included; replaces a present one.
  template <std::convertible_to<std::string_view> Text>
  void add(const Text& json) {
    add(Json::must(json));
  }
  void add(Json object) { static_cast<void>(state_.server.put(std::move(object))); }
  template <typename Builder>
  requires requires(const Builder& builder) { builder.json(); }
  void add(const Builder& builder) { add(builder.json()); }
  /// Edits an object in place, status included.
  template <typename View>
  void modify(const Key& key, const std::function<void(Json&)>& edit) {
    Json object = json<View>(key);
    edit(object);
    add(std::move(object));
  }
  /// Applies a JSON merge patch to an object, status included.
  template <typename View>
  void merge(const Key& key, std::string_view patch) {
    modify<View>(key, [patch](Json& object) { merge_patch(object, Json::must(patch)); });
  }
  /// Deletes as kubectl does: bound pods and objects with finalizers stay until they are finished.
  template <typename View>
  void remove(const Key& key, DeleteOptions options = {}) {
    const ApiReply reply = state_.server.handle(Request::remove<View>(key, std::move(options)));
    if (!reply.ok()) fail(reply.message);
  }
  /// Takes an object away at once, whatever holds it. False: there was none.
  template <typename View>
  bool erase(const Key& key) {
    return state_.server.erase(name_of<View>(), key);
  }

  template <typename View>
  [[nodiscard]] std::optional<View> find(const Key& key) {
    const auto& all = state_.server.objects(name_of<View>());
    const auto found = all.find(key);
    if (found == all.end()) return std::nullopt;
    return view<View>(found->second);
  }
  /// All objects of a resource, by key.
  template <typename View>
  [[nodiscard]] std::vector<View> all() {
    std::vector<View> views;
    for (const auto& [key, object] : state_.server.objects(name_of<View>())) {
      views.push_back(view<View>(object));
    }
    return views;
  }
  /// A copy of an object that must be there.
  template <typename View>
  [[nodiscard]] Json json(const Key& key) const {
    const auto& all = state_.server.objects(name_of<View>());
    const auto found = all.find(key);
    if (found == all.end()) fail("no object " + key.text());
    return found->second->json();
  }
  /// A view of JSON text, for tests of pure rules.
  [[nodiscard]] Value value(std::string_view json) {
    return keep(std::make_shared<Document>(state_.space, Json::must(json)));
  }
  template <typename View>
  [[nodiscard]] View view_of(std::string_view json) {
    return View(value(json));
  }

  // ---- Faults ----

  void fail_next(Fault fault) { state_.faults.push_back(std::move(fault)); }
  void clear_faults() { state_.faults.clear(); }
  /// Called before each request is carried out; for races with other writers.
  void on_request(std::function<void(const RequestRecord&)> hook) {
    state_.on_request = std::move(hook);
  }
  /// Makes Client::resource_exists answer kNotFound for a resource ("deployments").
  void remove_resource(std::string_view resource) { state_.missing_resources.emplace(resource); }

  /// The server behaves as one that does not know a field of a resource's status: writes lose it.
  void drop_status_field(std::string_view resource, std::string_view field) {
    state_.server.drop_status_field(resource, field);
  }
  /// The server was upgraded: it knows the field now.
  void keep_status_field(std::string_view resource, std::string_view field) {
    state_.server.keep_status_field(resource, field);
  }

  // ---- What happened ----

  /// Every request since the last clear_records().
  [[nodiscard]] const std::vector<RequestRecord>& requests() const { return state_.requests; }
  [[nodiscard]] std::vector<RequestRecord> writes() const {
    std::vector<RequestRecord> writes;
    std::copy_if(state_.requests.begin(), state_.requests.end(), std::back_inserter(writes),
                 [](const RequestRecord& each) { return each.is_write(); });
    return writes;
  }
  /// Requests of one kind: requests_of(Verb::kPatch, "replicasets", "status").
  [[nodiscard]] std::vector<RequestRecord> requests_of(Verb verb, std::string_view resource,
                                                       std::string_view subresource = {}) const {
    std::vector<RequestRecord> found;
    std::copy_if(state_.requests.begin(), state_.requests.end(), std::back_inserter(found),
                 [&](const RequestRecord& each) {
                   return each.verb == verb && each.resource == resource &&
                          each.subresource == subresource;
                 });
    return found;
  }
  [[nodiscard]] const std::vector<EventRecord>& events() const { return state_.events; }
  /// "Normal SuccessfulCreate Created pod: web-x", …
  [[nodiscard]] std::vector<std::string> event_texts() const {
    std::vector<std::string> texts;
    for (const EventRecord& each : state_.events) texts.push_back(each.text());
    return texts;
  }
  [[nodiscard]] const std::vector<SyncRecord>& syncs() const { return state_.syncs; }
  [[nodiscard]] const std::vector<LogRecord>& log() const { return state_.log; }
  [[nodiscard]] const std::vector<MetricSample>& metrics() const { return state_.metrics; }
  /// Calls from the wrong place or outside the note; a test of a good plugin sees none.
  [[nodiscard]] const std::vector<std::string>& violations() const { return state_.violations; }
  void clear_records() {
    state_.requests.clear();
    state_.events.clear();
    state_.syncs.clear();
    state_.log.clear();
    state_.metrics.clear();
  }

 private:
  [[noreturn]] static void fail(const std::string& why) {
    std::fprintf(stderr, "testing::Cluster: %s\n", why.c_str());
    std::abort();
  }

  [[nodiscard]] static davit_context make_context(HostState& host) {
    davit_context context{};
    context.size = sizeof(context);
    context.abi_major = DAVIT_ABI_MAJOR;
    context.abi_minor = DAVIT_ABI_MINOR;
    context.host = host.raw();
    context.controller = to_c(host.name);
    context.capability = &detail::HostMisc::capability;
    context.error_text = &detail::HostMisc::error_text;
    return context;
  }

  template <typename Init>
  Status start_with(std::string_view name, std::string_view config, const Init& init) {
    Declaration declared = note_ ? Declaration(*note_, name) : Declaration();
    HostState& host = *state_.hosts.emplace_back(
        std::make_unique<HostState>(state_, std::string(name), std::move(declared)));
    host.context = make_context(host);
    if (!config.empty()) {
      host.config = std::make_shared<Document>(state_.space, Json::must(config));
    }
    std::int32_t outcome = DAVIT_FAILED;
    {
      const ClusterState::Call call(state_, host, Caller::kInit);
      outcome = init(host.context, host.controller);
    }
    if (outcome == DAVIT_STARTED) {
      state_.deliver_all();
      host.started = true;
      state_.deliver_initial(host);
      return {};
    }
    const Status why(outcome == DAVIT_SKIPPED ? Code::kUnsupported : Code::kInternal,
                     host.explained_error());
    state_.hosts.pop_back();
    return why;
  }
  [[nodiscard]] HostState* find_host(std::string_view name) const {
    for (const auto& host : state_.hosts) {
      if (host->name == name && host->started) return host.get();
    }
    return nullptr;
  }
  static void destroy(HostState& host) {
    if (!host.started) return;
    host.started = false;
    for (TestTimer& timer : host.timers) timer.due.reset();
    if (host.controller.destroy != nullptr) host.controller.destroy(host.controller.self);
  }
  template <typename View>
  [[nodiscard]] static std::string name_of() {
    return qualified(View::kResource.group, View::kResource.resource);
  }
  /// What informers have seen of a resource ("replicasets", or "replicasets.apps").
  [[nodiscard]] Cache& cache_of(std::string_view resource) {
    return state_.caches[state_.server.qualified_name(resource)];
  }
  template <typename View>
  [[nodiscard]] View view(const DocumentPtr& document) {
    return View(keep(document));
  }
  [[nodiscard]] Value keep(DocumentPtr document) {
    const davit_value raw = document->value(Projections::kFull);
    state_.kept.documents.push_back(std::move(document));
    return Value(&observer_api_, raw);
  }

  ClusterState state_;
  std::optional<Json> note_;
  /// Through it the test reads objects as a controller does.
  std::unique_ptr<HostState> observer_ = std::make_unique<HostState>(state_, "test", Declaration());
  Api observer_api_;
};

}  // namespace davit::testing
