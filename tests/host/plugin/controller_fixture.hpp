/// A hosted controller without a plugin file: the test plays the plugin, the API server and time.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/plugin/controller_host.hpp"
#include "host/plugin/host_abi.hpp"
#include "tests/host/cache/cache_fixture.hpp"
#include "tests/support/collector.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/fitting_body.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {

inline davit_str str(std::string_view text) { return lend_view(text); }

/// About the pods of the namespace default.
inline davit_request pod_request(std::int32_t verb) {
  davit_request request{};
  request.size = sizeof(request);
  request.verb = verb;
  request.version = str("v1");
  request.resource = str("pods");
  request.ns = str("default");
  return request;
}

/// A whole response of the API server.
inline test::ScriptedResponse response_of(int status, std::string body) {
  test::ScriptedResponse made;
  made.status = status;
  made.body = std::move(body);
  return made;
}

/// Responds to every request with what fits it.
inline test::ScriptedResponse fitting_response(const HttpRequest& request) {
  return response_of(200, test::fitting_body(request));
}

/// Takes events as the API server would.
class CollectingEventApi final : public EventApi {
 public:
  Status create(const Event& event, std::stop_token) override {
    events.push(event.component + " " + event.type + " " + event.reason + " " +
                event.regarding.kind + "/" + event.regarding.name + ": " + event.message);
    return {};
  }
  Status patch(const Event&, std::stop_token) override { return {}; }
  std::vector<Status> create_all(std::span<const Event> all, std::stop_token stop) override {
    std::vector<Status> responses;
    for (const Event& event : all) responses.push_back(create(event, stop));
    return responses;
  }

  test::Collector<std::string> events;
};

/// The host's tables as a plugin gets them.
struct Tables {
  const davit_object_v1* object;
  const davit_informer_v1* informer;
  const davit_queue_v1* queue;
  const davit_client_v1* client;
  const davit_timer_v1* timer;
  const davit_event_v1* event;
  const davit_log_v1* log;
  const davit_clock_v1* clock;
  const davit_random_v1* random;
  const davit_metric_v1* metric;
  const davit_config_v1* config;
  const davit_http_v1* http;

  template <typename Table>
  static const Table* get(const char* id) {
    const auto* table = static_cast<const Table*>(host_capability(id));
    EXPECT_NE(table, nullptr) << id;
    EXPECT_EQ(table->size, sizeof(Table)) << id;
    return table;
  }
  static Tables make() {
    return {get<davit_object_v1>("davit.object/1"), get<davit_informer_v1>("davit.informer/1"),
            get<davit_queue_v1>("davit.queue/1"),   get<davit_client_v1>("davit.client/1"),
            get<davit_timer_v1>("davit.timer/1"),   get<davit_event_v1>("davit.event/1"),
            get<davit_log_v1>("davit.log/1"),       get<davit_clock_v1>("davit.clock/1"),
            get<davit_random_v1>("davit.random/1"), get<davit_metric_v1>("davit.metric/1"),
            get<davit_config_v1>("davit.config/1"), get<davit_http_v1>("davit.http/1")};
  }
};

/// The call that this thread is in, as the plugin that the test plays knows it; null: none.
inline thread_local const davit_call* current_call = nullptr;

class CallScope {
 public:
  explicit CallScope(const davit_call* call) : outer_(std::exchange(current_call, call)) {}
  ~CallScope() { current_call = outer_; }
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  const davit_call* const outer_;
};

/// Pods are read through a projection, ReplicaSets whole. One controller, "sample-controller".
class ControllerHostTest : public ::testing::Test {
 protected:
  using Outcome = InitOutcome;
  using Init = std::function<std::int32_t(const davit_context&, davit_controller&)>;
  using Sync = std::function<davit_code(davit_str key, davit_sync_result& result)>;

  ControllerHostTest() { playing_ = this; }
  ~ControllerHostTest() override {
    host_.reset();
    events_.stop();
    informers_.stop();
    playing_ = nullptr;
  }
  // Its threads use the members of the test itself, which go before those of this class.
  void TearDown() override { host_.reset(); }

  static DeclaredController declared() {
    DeclaredController made;
    made.name = "sample-controller";
    made.client_name = "sample";
    made.event_component = "sample";
    made.rules = {{"", "pods", "", {"create", "update", "patch", "delete", "deletecollection"}},
                  {"apps", "replicasets", "", {"update"}},
                  {"apps", "replicasets", "status", {"patch"}}};
    made.watches = {{"", "v1", "pods", {"metadata.labels", "spec.nodeName"}, "", ""},
                    {"apps", "v1", "replicasets", {}, "", ""}};
    return made;
  }
  static ControllerHostOptions options() {
    ControllerHostOptions made;
    made.declared = declared();
    made.plugin = "sample";
    made.build_id = "b1";
    made.rate = {1000, 1000};
    return made;
  }

  ControllerHost& make(ControllerHostOptions made = options()) {
    host_ = std::make_unique<ControllerHost>(
        std::move(made), HostServices{space_, informers_, transport_, discovery_, events_,
                                      *metrics_, clock_, *random_, Logger(log_), observer_,
                                      [this](const OutboundServer& server) {
                                        outside_servers_.push_back(server.url);
                                        return Result<std::unique_ptr<Transport>>(
                                            std::make_unique<test::BorrowedTransport>(outside_));
                                      },
                                      tracer_});
    return *host_;
  }
  /// Calls the InitFunc, which does `what`.
  InitResult init(Init what) {
    if (!host_) make();
    init_ = std::move(what);
    return host_->init(
        [](const davit_call* call, const davit_context* context, davit_controller* out) {
          const CallScope scope(call);
          playing_->context_ = context;
          return playing_->init_(*context, *out);
        });
  }
  /// init() that starts, with what it opens.
  void start_with(std::function<void()> opens) {
    const auto result = init([&](const davit_context&, davit_controller&) {
      opens();
      return DAVIT_STARTED;
    });
    ASSERT_EQ(result.outcome, Outcome::kStarted) << result.reason;
  }

  /// Does `what` as if the host had called the controller.
  template <typename What>
  auto inside(Phase phase, What what) {
    CallFrame frame(host_->abi(), phase);
    const CallScope scope(frame.call());
    return what();
  }

  davit_handle open_informer(std::string_view group, std::string_view resource) {
    davit_informer_options options{};
    options.size = sizeof(options);
    options.group = str(group);
    options.version = str("v1");
    options.resource = str(resource);
    options.self = this;
    options.on_event = [](void* self, const davit_call* call, const davit_event* event) {
      const CallScope scope(call);
      auto* test = static_cast<ControllerHostTest*>(self);
      if (test->on_event_) test->on_event_(*event);
    };
    davit_handle handle = 0;
    EXPECT_EQ(tables_.informer->open(current_call, &options, &handle), DAVIT_OK);
    return handle;
  }
  /// A queue whose sync is `sync`; every key that was synced is in synced_ afterwards.
  davit_handle open_queue(Sync sync = {}) {
    sync_ = std::move(sync);
    davit_queue_options options{};
    options.size = sizeof(options);
    options.name = str("sample");
    options.self = this;
    options.sync = [](void* self, const davit_call* call, davit_str key,
                      davit_sync_result* result) {
      const CallScope scope(call);
      auto* test = static_cast<ControllerHostTest*>(self);
      Synced after{test, key};
      return test->sync_ ? test->sync_(key, *result) : davit_code{DAVIT_OK};
    };
    davit_handle handle = 0;
    EXPECT_EQ(tables_.queue->open(current_call, &options, &handle), DAVIT_OK);
    return handle;
  }
  davit_code add(davit_handle queue, std::string_view key) {
    return inside(Phase::kHandler,
                  [&] { return tables_.queue->add(current_call, queue, str(key)); });
  }

  /// Makes what init() opened real and fills the caches: one list for each informer.
  void commit(const std::vector<std::string>& lists = {}) {
    const Status committed = host_->commit();
    ASSERT_TRUE(committed.ok()) << committed.message();
    const std::vector<Informer*> all = informers_.informers();
    ASSERT_EQ(all.size(), lists.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_TRUE(all[i]->prepare().ok());
      send(i, lists[i]);
    }
  }
  /// The next response to the `number`-th informer.
  void send(std::size_t number, std::string body) {
    api_.replies.push_back({.body = std::move(body), .lasts = std::chrono::seconds(2)});
    ASSERT_FALSE(informers_.informers()[number]->reflector().step({}));
  }
  void run() {
    host_->start();
    host_->lead();
  }

  test::FakeClock clock_;
  test::RecordingLogSink log_{5};
  ObjectSpace space_;
  std::unique_ptr<Random> random_ = make_seeded_random(7);
  std::unique_ptr<Metrics> metrics_ = Metrics::make({}, clock_);
  ScriptedApi api_{clock_};
  InformerFactory informers_{InformerSeams{api_, space_, clock_, *random_, *metrics_}, Logger(log_),
                             ReflectorOptions{.streaming_list = false}};
  test::FakeTransport transport_;
  test::FakeTransport discovery_transport_;
  test::FakeTransport outside_;               // The servers outside the cluster.
  std::vector<std::string> outside_servers_;  // Those that were connected to.
  RestClient discovery_client_{discovery_transport_, clock_, *metrics_, Logger(log_),
                               RestOptions{.rate = {1000, 1000}}};
  Discovery discovery_{discovery_client_};
  CollectingEventApi event_api_;
  EventRecorder events_{event_api_, clock_, *random_, Logger(log_), {}};
  const Tables tables_ = Tables::make();
  const davit_context* context_ = nullptr;  // As init() got it.
  ControllerObserver* observer_ = nullptr;  // Set before make().
  Tracer* tracer_ = nullptr;                // Likewise.

  Init init_;
  Sync sync_;
  std::function<void(const davit_event&)> on_event_;
  test::Collector<std::string> synced_;
  std::unique_ptr<ControllerHost> host_;

 private:
  /// Notes a key when its sync ends, be it by an exception.
  struct Synced {
    ControllerHostTest* test;
    davit_str key;
    ~Synced() { test->synced_.push(std::string(view(key))); }
  };

  // An InitFunc has no argument of its author's.
  static inline ControllerHostTest* playing_ = nullptr;
};

}  // namespace davit::host
