/// Cluster: a Kubernetes cluster in memory, for the unit tests of controllers.
///
/// It combines the host and the API server of `davit sandbox` in one process, without threads and
/// sockets. Nothing happens until the test asks for it: run_until_idle() delivers watch events and
/// runs syncs until nothing is due, and advance() moves the clock.
///
///     testing::Cluster cluster;
///     cluster.start("greeter-controller", &make<GreeterController>);
///     cluster.add(testing::PodBuilder("web").annotation("example.davit.dev/greet", "yes"));
///     cluster.run_until_idle();
///     EXPECT_EQ(cluster.find<Pod>({"default", "web"})->label("greeting"), "hello");
///
/// An error in the test itself (malformed JSON, a definition that the server refuses, a controller
/// that does not run) throws std::runtime_error, which fails the test.
///
/// If a note is given (note_of() reads a plugin's note), calls and reads outside its rules and
/// projections fail, and violations() lists them. Link the library davit::testing.
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

/// Whether a key waits until the caches have seen the writes of its last sync.
enum class ReadYourWrites { kOn, kOff };

struct ClusterOptions {
  std::string note{};  ///< The plugin's note; empty: everything is allowed.
  WallTime start = std::chrono::sys_days(std::chrono::year(2024) / 5 / 1) + std::chrono::hours(12);
  ReadYourWrites read_your_writes = ReadYourWrites::kOn;
};

/// An HTTP request as it would be sent, without a connection.
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
  /// For a watch: appends the data since the last call to a text. False once the watch has ended.
  std::function<bool(std::string&)> read_on{};
};

/// The note of the library that contains `entry`, for ClusterOptions::note. Throws if there is
/// none, because without a note a cluster allows everything.
[[nodiscard]] DAVIT_TESTING_API std::string note_of(davit_plugin_v1_fn entry);

/// Applies a JSON merge patch (RFC 7386) as the server does.
DAVIT_TESTING_API void merge_patch(Json& target, const Json& patch);

/// A new cluster has its namespaces (default, kube-system, kube-public, kube-node-lease) and its
/// two priority classes. Resources are named by their plural, "pods", or "replicasets.apps" if
/// several groups have one of that name. Single-threaded. Views that it returns live as long as the
/// cluster.
class DAVIT_TESTING_API Cluster {
 public:
  /// Throws for a note that the host would refuse.
  explicit Cluster(ClusterOptions options = {});
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;
  ~Cluster();

  // ---- Controllers ----

  /// Creates a controller and fills its caches; its syncs run later. `config` is JSON text. Returns
  /// the error of a failed init, or kUnsupported with the reason if the controller was skipped.
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

  /// Replaces the running build of a controller, like a hot swap: the new build sees the content of
  /// the caches, then gets the state and the keys. After an error the old build keeps running.
  Status swap(std::string_view name, const std::function<InitResult(Context&)>& factory,
              std::string_view config = {}) {
    return swap_with(name, init_of(factory), config);
  }
  /// The same for a row of a plugin's table.
  Status swap(std::string_view name, davit_init_fn init, std::string_view config = {}) {
    return swap_with(name, init, config);
  }
  /// Changes the configuration of a running controller, as the manifest does. Returns the
  /// controller's refusal; kUnsupported: the host would swap to another instance.
  Status configure(std::string_view name, std::string_view config);

  /// The health that a controller reports.
  [[nodiscard]] Status health(std::string_view name) const;

  /// The page of a controller at GET /debug/controllers/<name>/<path>?<query>.
  [[nodiscard]] Result<DebugPage> debug_page(std::string_view name, std::string_view path,
                                             std::string_view query = {}) const;

  /// Ends the replica's leadership: controllers that start from now on fill their caches but sync
  /// nothing, and writes of running ones return kCancelled. A new cluster is the leader.
  void stand_by();
  /// Makes the replica the leader: controllers sync.
  void lead();

  /// The state that a controller would hand over ("davit.state/1"); empty if it has none.
  [[nodiscard]] std::string state_of(std::string_view name) const;
  /// Passes a text to a controller as the state of another build. Returns the controller's refusal.
  Status give_state(std::string_view name, std::uint32_t version, std::string_view text);

  /// The C struct of a started controller, for its optional sides; all zero for others.
  [[nodiscard]] davit_controller raw_controller(std::string_view name) const;

  // ---- Time and work ----

  /// Delivers events and runs timers and syncs until nothing is due. Returns the number of syncs;
  /// throws if a controller never becomes idle.
  std::size_t run_until_idle();
  /// Delivers events, then runs one sync if a key is ready.
  bool run_one_sync();
  /// Moves the clock by `duration` and runs, at each instant, everything that is due.
  void advance(Duration duration);
  /// Moves the clock without running anything.
  void skip(Duration duration);
  /// Sets the wall clock, as an administrator does. Delayed keys and timers stay due after the same
  /// time.
  void set_wall_clock(WallTime now);
  [[nodiscard]] Time now() const;
  [[nodiscard]] WallTime wall_now() const;
  /// When the next delayed key or timer is due.
  [[nodiscard]] std::optional<Duration> next_due_in() const;

  // ---- Cache lag ----

  /// Stalls the watch of a resource ("pods"): its changes reach no cache and no handler, and
  /// nothing confirms the content.
  void hold(std::string_view resource);
  /// Ends hold(); the next run delivers the missed changes.
  void release(std::string_view resource);
  /// Delivers the oldest change that hold() delays. False: there is none.
  bool release_one(std::string_view resource);
  /// Like hold() and release(), but the host notices that the connection is lost.
  void begin_outage(std::string_view resource);
  void end_outage(std::string_view resource);
  /// The number of times that the host compared a cache with the server's state because a
  /// controller requested it or the cache did not show a write.
  [[nodiscard]] int verifications(std::string_view resource) const;
  /// The number of lists of a resource that filled a cache. Builds that watch the same share one.
  [[nodiscard]] int lists(std::string_view resource) const;
  /// Delivers every cached object of a resource as an update to itself, as a periodic resync does.
  void resync(std::string_view resource);

  // ---- Objects, as an administrator ----

  /// Stores JSON text or a builder's object, including its status, without validation, as if it had
  /// been in etcd before. Replaces an existing object; a change of the spec raises the generation.
  /// Fields that the server sets, and the kind's defaults, are added if missing; an object that
  /// does not fit its kind's schema is stored unchanged.
  ///
  /// Creates a missing namespace. A kind that is not served becomes a custom resource whose objects
  /// may have any content.
  template <std::convertible_to<std::string_view> Text>
  void add(const Text& json) {
    put(json);
  }
  void add(const Json& object) { put(object.dump()); }
  template <typename Builder>
  requires requires(const Builder& builder) { builder.json(); }
  void add(const Builder& builder) { add(builder.json()); }
  /// The same for each document of a YAML text; errors name it as `file`.
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
  /// Removes an object at once, regardless of its finalizers and grace period. False: there was
  /// none.
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
  /// A copy of an object that must exist, without metadata.managedFields.
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

  /// A request of a client with every right. requests() does not list it, and faults do not affect
  /// it.
  [[nodiscard]] RawReply exchange(const RawRequest& request);
  /// Discards the server's history: watches from earlier versions expire.
  void forget_history();

  // ---- Faults ----

  void fail_next(Fault fault);
  void clear_faults();
  /// Sets a function that is called before each request is carried out; for races with other
  /// writers.
  void on_request(std::function<void(const RequestRecord&)> hook);
  /// Removes a resource ("deployments") from the server's discovery.
  void remove_resource(std::string_view resource);

  /// Makes the server behave as if it did not know a field of a resource's status: writes drop it;
  /// objects that have it keep it.
  void drop_status_field(std::string_view resource, std::string_view field);
  /// Ends drop_status_field(), like an upgrade of the server.
  void keep_status_field(std::string_view resource, std::string_view field);

  // ---- Servers outside the cluster ----

  /// Sets the function that responds to the controllers' HTTP requests. Without one, no server can
  /// be reached. Pauses between the host's attempts move the clock.
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
  /// The Events that controllers recorded, before repeated ones are merged.
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
  /// Calls from a wrong place, with a davit_call that has ended, or outside the note; empty in the
  /// test of a correct plugin.
  [[nodiscard]] const std::vector<std::string>& violations() const;
  /// The entries of the note that the started controllers have not used in this cluster: verbs of
  /// rules without a request, watches without an informer. One line each, with the entry. A test
  /// that exercises all that the controllers do can assert that it is empty, which shows that the
  /// note declares nothing superfluous. Projections are not checked.
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
  /// An object as JSON text; nothing if there is none.
  [[nodiscard]] std::optional<std::string> text_of(const Resource& resource, const Key& key) const;
  [[nodiscard]] std::vector<std::string> texts_of(const Resource& resource) const;

  class Engine;
  const std::unique_ptr<Engine> engine_;
};

}  // namespace davit::testing
