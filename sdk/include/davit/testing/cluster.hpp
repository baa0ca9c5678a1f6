/// Cluster: a Kubernetes cluster in memory, for the unit tests of controllers.
///
/// It is the host and the API server of `davit sandbox` in one process, without threads and
/// sockets. Nothing happens by itself and nothing takes time: run_until_idle() delivers watch
/// events and runs syncs until all is quiet, advance() moves the clock.
///
///     testing::Cluster cluster;
///     cluster.start("greeter-controller", &make<GreeterController>);
///     cluster.add(testing::PodBuilder("web").annotation("example.davit.dev/greet", "yes"));
///     cluster.run_until_idle();
///     EXPECT_EQ(cluster.find<Pod>({"default", "web"})->label("greeting"), "hello");
///
/// A mistake of the test (malformed JSON, a definition that the server refuses, a controller that
/// does not run) throws std::runtime_error, which fails the test that makes it.
///
/// With a note given (note_of() reads that of a plugin's file), calls and reads outside its rules
/// and projections fail, and are listed by violations(). Link the library davit::testing.
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <davit/api.hpp>
#include <davit/entry.hpp>
#include <davit/testing/builders.hpp>
#include <davit/testing/records.hpp>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::testing {

/// Whether a key waits until the caches have seen what its last sync wrote.
enum class ReadYourWrites { kOn, kOff };

struct ClusterOptions {
  std::string note{};  ///< The plugin's note; empty: everything is allowed.
  WallTime start = std::chrono::sys_days(std::chrono::year(2024) / 5 / 1) + std::chrono::hours(12);
  ReadYourWrites read_your_writes = ReadYourWrites::kOn;
};

/// HTTP as it stands on the wire, without a wire.
struct RawRequest {
  std::string method;  ///< "GET"
  std::string target;  ///< Path and query: "/apis/apps/v1/deployments?limit=5".
  std::vector<std::pair<std::string, std::string>> headers{};
  std::string body{};
};
/// The response to a RawRequest.
struct RawReply {
  int http_status = 0;
  std::vector<std::pair<std::string, std::string>> headers{};  ///< Content-Type among them.
  std::string body{};
  /// For a watch: appends what has come since to a text. False once the watch has ended.
  std::function<bool(std::string&)> read_on{};
};

/// The note of the library that `entry` is in, for ClusterOptions::note. Throws when there
/// is none: without a note a cluster would allow everything.
[[nodiscard]] DAVIT_TESTING_API std::string note_of(davit_plugin_v1_fn entry);

/// Applies a JSON merge patch (RFC 7386) as the server does.
DAVIT_TESTING_API void merge_patch(Json& target, const Json& patch);

/// A cluster begins with its namespaces (default, kube-system, kube-public, kube-node-lease) and
/// its two priority classes. Resources go by their plural, "pods", or "replicasets.apps" where
/// several groups have one of that name. Single-threaded. Views that it gives out live as long as
/// the cluster.
class DAVIT_TESTING_API Cluster {
 public:
  /// Throws for a note that the host would refuse.
  explicit Cluster(ClusterOptions options = {});
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  // ---- Controllers ----

  /// Makes a controller and fills its caches; its syncs run later. `config` is JSON text.
  /// The error of a failed init; kUnsupported and the reason when it was skipped.
  Status start(std::string_view name, const std::function<InitResult(Context&)>& factory,
               std::string_view config = {}) {
    return start_with(name, init_of(factory), config);
  }
  /// The same for a row of a plugin's table, as the host starts it.
  Status start(std::string_view name, davit_init_fn init, std::string_view config = {}) {
    return start_with(name, init, config);
  }
  /// Ends a controller.
  void stop(std::string_view name);

  /// Puts another build of a controller in the place of the one that runs, as a hot swap does: it
  /// sees what the caches hold, then gets state and keys. After an error the old one runs on.
  Status swap(std::string_view name, const std::function<InitResult(Context&)>& factory,
              std::string_view config = {}) {
    return swap_with(name, init_of(factory), config);
  }
  /// The same for a row of a plugin's table.
  Status swap(std::string_view name, davit_init_fn init, std::string_view config = {}) {
    return swap_with(name, init, config);
  }
  /// Gives a controller another configuration while it runs, as the manifest does; its refusal.
  /// kUnsupported: the host would swap to another instance.
  Status configure(std::string_view name, std::string_view config);

  /// The health that a controller reports.
  [[nodiscard]] Status health(std::string_view name) const;

  /// The page of a controller at GET /debug/controllers/<name>/<path>?<query>.
  [[nodiscard]] Result<DebugPage> debug_page(std::string_view name, std::string_view path,
                                             std::string_view query = {}) const;

  /// From now on the replica does not lead: controllers that are started fill their caches and sync
  /// nothing, and writes of those that run end with kCancelled. A cluster begins as leader.
  void stand_by();
  /// The replica leads: controllers sync.
  void lead();

  /// The state that a controller would hand over ("davit.state/1"); empty if it has none.
  [[nodiscard]] std::string state_of(std::string_view name) const;
  /// Hands a text to a controller as the state of another build; its refusal.
  Status give_state(std::string_view name, std::uint32_t version, std::string_view text);

  /// The C side of a controller that was started, for its optional sides; all zero for others.
  [[nodiscard]] davit_controller raw_controller(std::string_view name) const;

  // ---- Time and work ----

  /// Delivers events and runs timers and syncs until nothing is left that is due. Returns how many
  /// syncs ran; throws if a controller never becomes idle.
  std::size_t run_until_idle();
  /// Runs one sync, if a key is ready. Delivers events before, not after.
  bool run_one_sync();
  /// Moves the clock by `duration`, running at each instant what is due then.
  void advance(Duration duration);
  /// Moves the clock and runs nothing.
  void skip(Duration duration);
  /// Sets the wall clock, as an administrator does. What waits is due when the same time has
  /// passed.
  void set_wall_clock(WallTime now);
  [[nodiscard]] Time now() const;
  [[nodiscard]] WallTime wall_now() const;
  /// When the next delayed key or timer is due.
  [[nodiscard]] std::optional<Duration> next_due_in() const;

  // ---- Cache lag ----

  /// From now on changes of a resource ("pods") reach no cache and no handler, and nothing confirms
  /// the content: a stalled watch.
  void hold(std::string_view resource);
  /// Ends hold(); what was missed is delivered by the next run.
  void release(std::string_view resource);
  /// Delivers the oldest change that is held back. False: there is none.
  bool release_one(std::string_view resource);
  /// Like hold() and release(), but the host finds the connection lost.
  void begin_outage(std::string_view resource);
  void end_outage(std::string_view resource);
  /// The number of times that the host compared a cache with the server's state, because a
  /// controller requested it or a write did not show up.
  [[nodiscard]] int verifications(std::string_view resource) const;
  /// The number of lists of a resource that filled a cache. Builds that watch the same share one.
  [[nodiscard]] int lists(std::string_view resource) const;
  /// Delivers every cached object of a resource as an update to itself, as a periodic resync does.
  void resync(std::string_view resource);

  // ---- Objects, as an administrator ----

  /// Stores JSON text or a builder's object whole, status included, as if it had been in etcd
  /// before: nothing judges it. Replaces a present one; the generation rises when its spec changes.
  /// It gets its kind's defaults and what the server sets and it lacks; one that does not even fit
  /// its kind's schema is stored as it is.
  ///
  /// A missing namespace is created. A kind that is not served becomes a custom resource whose
  /// objects may have any content.
  template <std::convertible_to<std::string_view> Text>
  void add(const Text& json) {
    put(json);
  }
  void add(const Json& object) { put(object.dump()); }
  template <typename Builder>
  requires requires(const Builder& builder) { builder.json(); }
  void add(const Builder& builder) { add(builder.json()); }
  /// The same for each document of a YAML text; `file` names it in the reason for a mistake.
  void add_yaml(std::string_view yaml, const std::string& file = "YAML");
  /// The same for a file of YAML or JSON: the project's definitions and examples.
  void add_file(const std::string& path);
  /// Edits an object in place, status included.
  template <typename View>
  void modify(const Key& key, const std::function<void(Json&)>& edit) {
    Json object = json<View>(key);
    edit(object);
    add(object);
  }
  /// Applies a JSON merge patch to an object, status included.
  template <typename View>
  void merge(const Key& key, std::string_view patch) {
    modify<View>(key, [patch](Json& object) { merge_patch(object, Json::must(patch)); });
  }
  /// Deletes as kubectl does: bound pods and objects with finalizers stay until they are finished.
  template <typename View>
  void remove(const Key& key, DeleteOptions options = {}) {
    remove_object(View::kResource, key, options);
  }
  /// Takes an object away at once, whatever its finalizers and grace. False: there was none.
  template <typename View>
  bool erase(const Key& key) {
    return erase_object(View::kResource, key);
  }

  template <typename View>
  [[nodiscard]] std::optional<View> find(const Key& key) {
    const std::optional<std::string> text = text_of(View::kResource, key);
    return text ? std::optional<View>(View(value(*text))) : std::nullopt;
  }
  /// The objects of a resource, by key.
  template <typename View>
  [[nodiscard]] std::vector<View> all() {
    std::vector<View> views;
    for (const std::string& each : texts_of(View::kResource)) views.push_back(View(value(each)));
    return views;
  }
  /// A copy of an object that must be there. metadata.managedFields is left out.
  template <typename View>
  [[nodiscard]] Json json(const Key& key) const {
    Json object = Json::must(text_of(View::kResource, key).value_or(""));
    object["metadata"].erase("managedFields");
    return object;
  }
  /// A view of JSON text, for tests of pure rules.
  [[nodiscard]] Value value(std::string_view json);
  template <typename View>
  [[nodiscard]] View view_of(std::string_view json) {
    return View(value(json));
  }

  /// A client's request, with every right; not among requests(), and no fault hits it.
  [[nodiscard]] RawReply exchange(const RawRequest& request);
  /// Discards the server's history before now: watches from before expire.
  void forget_history();

  // ---- Faults ----

  void fail_next(Fault fault);
  void clear_faults();
  /// Called before each request is carried out; for races with other writers.
  void on_request(std::function<void(const RequestRecord&)> hook);
  /// Takes a resource ("deployments") out of what the server says that it serves.
  void remove_resource(std::string_view resource);

  /// The server behaves as one that does not know a field of a resource's status: writes lose it;
  /// objects that have it keep it.
  void drop_status_field(std::string_view resource, std::string_view field);
  /// The server was upgraded: it knows the field now.
  void keep_status_field(std::string_view resource, std::string_view field);

  // ---- Servers outside the cluster ----

  /// Responds to the HTTP requests of controllers from now on. Before, no server can be reached.
  /// Pauses between the host's attempts move the clock.
  void on_http(std::function<HttpReply(const HttpRecord&)> server);
  /// Every attempt since the last clear_records().
  [[nodiscard]] const std::vector<HttpRecord>& http_requests() const;

  // ---- What happened ----

  /// Every request of the controllers since the last clear_records().
  [[nodiscard]] const std::vector<RequestRecord>& requests() const;
  [[nodiscard]] std::vector<RequestRecord> writes() const {
    std::vector<RequestRecord> writes;
    std::copy_if(requests().begin(), requests().end(), std::back_inserter(writes),
                 [](const RequestRecord& each) { return each.is_write(); });
    return writes;
  }
  /// Requests of one kind: requests_of(Verb::kPatch, "replicasets", "status").
  [[nodiscard]] std::vector<RequestRecord> requests_of(Verb verb, std::string_view resource,
                                                       std::string_view subresource = {}) const {
    std::vector<RequestRecord> found;
    std::copy_if(requests().begin(), requests().end(), std::back_inserter(found),
                 [&](const RequestRecord& each) {
                   return each.verb == verb && each.resource == resource &&
                          each.subresource == subresource;
                 });
    return found;
  }
  /// The Events that controllers recorded, before those that repeat are put together.
  [[nodiscard]] const std::vector<EventRecord>& events() const;
  /// "Normal SuccessfulCreate Created pod: web-x", …
  [[nodiscard]] std::vector<std::string> event_texts() const {
    std::vector<std::string> texts;
    for (const EventRecord& each : events()) texts.push_back(each.text());
    return texts;
  }
  [[nodiscard]] const std::vector<SyncRecord>& syncs() const;
  /// The log records of the controllers.
  [[nodiscard]] const std::vector<LogRecord>& log() const;
  [[nodiscard]] const std::vector<MetricSample>& metrics() const;
  /// Calls from the wrong place, with a davit_call that had ended, or outside the note; a test of a
  /// good plugin sees none.
  [[nodiscard]] const std::vector<std::string>& violations() const;
  /// The entries of the note that the started controllers have not needed in this cluster: verbs of
  /// rules without a request, watches without an informer. One line each, with the entry. Empty in
  /// a test that makes the controllers do all that they can, if the note has nothing superfluous.
  /// Projections are not looked at.
  [[nodiscard]] std::vector<std::string> unused_declarations() const;
  void clear_records();

 private:
  using Init =
      std::function<std::int32_t(const davit_call*, const davit_context*, davit_controller*)>;

  [[nodiscard]] static Init init_of(const std::function<InitResult(Context&)>& factory) {
    return [&factory](const davit_call* call, const davit_context* raw, davit_controller* out) {
      return davit::detail::start(call, *raw, factory, *out);
    };
  }
  Status start_with(std::string_view name, const Init& init, std::string_view config);
  Status swap_with(std::string_view name, const Init& init, std::string_view config);

  void put(std::string_view json);
  void remove_object(const Resource& resource, const Key& key, const DeleteOptions& options);
  bool erase_object(const Resource& resource, const Key& key);
  /// An object as JSON text; nothing when there is none.
  [[nodiscard]] std::optional<std::string> text_of(const Resource& resource, const Key& key) const;
  [[nodiscard]] std::vector<std::string> texts_of(const Resource& resource) const;

  class Engine;
  const std::unique_ptr<Engine> engine_;
};

}  // namespace davit::testing
