/// Who may call what: the @call marks of abi.h, function by function.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr unsigned bit(Phase phase) { return 1U << static_cast<unsigned>(phase); }
constexpr unsigned kInit = bit(Phase::kInit);
constexpr unsigned kHandler = bit(Phase::kHandler);
constexpr unsigned kSync = bit(Phase::kSync) | bit(Phase::kTimer);
constexpr unsigned kAny = kInit | kHandler | kSync | bit(Phase::kProbe) | bit(Phase::kDestroy);
constexpr Phase kPhases[] = {Phase::kInit,  Phase::kHandler, Phase::kSync,
                             Phase::kTimer, Phase::kProbe,   Phase::kDestroy};

/// One function, called with arguments that do no harm.
struct PhaseCase {
  const char* name;
  unsigned callers;
  davit_code (*call)(const Tables& tables, const davit_call* call);
};

davit_code undeclared_request(const Tables& tables, const davit_call* call) {
  davit_request request{};
  request.size = sizeof(request);
  request.verb = DAVIT_GET;
  davit_response response{};
  response.size = sizeof(response);
  return tables.client->call(call, &request, &response);
}

davit_code open_queue_of(const Tables& tables, const davit_call* call) {
  davit_queue_options options{};
  options.size = sizeof(options);
  options.sync = [](void*, const davit_call*, davit_str, davit_sync_result*) {
    return davit_code{DAVIT_OK};
  };
  davit_handle out = 0;
  const davit_code code = tables.queue->open(call, &options, &out);
  EXPECT_EQ(code == DAVIT_OK, out != 0);
  return code;
}

davit_code open_metric_of(const Tables& tables, const davit_call* call) {
  davit_metric_options options{};
  options.size = sizeof(options);
  options.type = DAVIT_METRIC_GAUGE;
  options.name = str("sample_things");
  davit_handle out = 0;
  const davit_code code = tables.metric->open(call, &options, &out);
  EXPECT_EQ(code == DAVIT_OK, out != 0);
  return code;
}

davit_code start_timer_of(const Tables& tables, const davit_call* call) {
  davit_timer_options options{};
  options.size = sizeof(options);
  options.fire = [](void*, const davit_call*, davit_sync_result*) { return davit_code{DAVIT_OK}; };
  davit_handle out = 0;
  const davit_code code = tables.timer->start(call, &options, &out);
  EXPECT_EQ(code == DAVIT_OK, out != 0);
  return code;
}

using T = const Tables&;
using H = const davit_call*;

const davit_freshness_v1* freshness() {
  return static_cast<const davit_freshness_v1*>(host_capability("davit.freshness/1"));
}
const davit_informer_v2* dynamic() {
  return static_cast<const davit_informer_v2*>(host_capability("davit.informer/2"));
}
const davit_discovery_v1* discovery() {
  return static_cast<const davit_discovery_v1*>(host_capability("davit.discovery/1"));
}

const PhaseCase kPhaseCases[] = {
    {"object.parse", kAny,
     [](T t, H h) {
       davit_value out;
       return t.object->parse(h, str("{}"), &out);
     }},
    {"object.retain", kAny,
     [](T t, H h) {
       davit_handle out;
       return t.object->retain(h, davit_value{}, &out);
     }},
    {"object.retained", kAny,
     [](T t, H h) {
       davit_value out;
       return t.object->retained(h, 0, &out);
     }},
    {"object.release", kAny, [](T t, H h) { return t.object->release(h, 0); }},
    {"informer.open", kInit,
     [](T t, H h) {
       davit_informer_options options{};
       davit_handle out;
       return t.informer->open(h, &options, &out);
     }},
    {"informer.add_index", kInit,
     [](T t, H h) { return t.informer->add_index(h, 0, str("a"), str("b")); }},
    {"informer.get", kHandler | kSync,
     [](T t, H h) {
       davit_value out;
       return t.informer->get(h, 0, str(""), str("a"), &out);
     }},
    {"informer.select", kHandler | kSync,
     [](T t, H h) {
       davit_list out;
       return t.informer->select(h, 0, str(""), str(""), &out);
     }},
    {"queue.open", kInit, open_queue_of},
    {"queue.add", kAny, [](T t, H h) { return t.queue->add(h, 0, str("a")); }},
    {"queue.add_sharded", kAny,
     [](T t, H h) { return t.queue->add_sharded(h, 0, str("a"), str("b")); }},
    {"queue.add_after", kAny, [](T t, H h) { return t.queue->add_after(h, 0, str("a"), 1); }},
    {"queue.add_rate_limited", kAny,
     [](T t, H h) { return t.queue->add_rate_limited(h, 0, str("a")); }},
    {"queue.forget", kAny, [](T t, H h) { return t.queue->forget(h, 0, str("a")); }},
    {"clock.pause", kSync, [](T t, H h) { return t.clock->pause(h, 0); }},
    {"client.call", kSync, undeclared_request},
    {"client.batch", kSync,
     [](T t, H h) {
       return t.client->batch(h, nullptr, sizeof(davit_request), nullptr, sizeof(davit_response),
                              0);
     }},
    {"client.resource_exists", kInit | kSync,
     [](T t, H h) { return t.client->resource_exists(h, str(""), str("v1"), str("pods")); }},
    {"timer.start", kAny, start_timer_of},
    {"timer.stop", kAny, [](T t, H h) { return t.timer->stop(h, 0); }},
    {"event.record", kAny,
     [](T t, H h) {
       davit_reference about{};
       return t.event->record(h, &about, str(""), str(""), str(""));
     }},
    {"metric.open", kInit, open_metric_of},
    {"metric.record", kAny, [](T t, H h) { return t.metric->record(h, 0, 1, nullptr, 0); }},
    {"metric.remove", kAny, [](T t, H h) { return t.metric->remove(h, 0, nullptr, 0); }},
    {"freshness.limit_silence", kInit,
     [](T, H h) { return freshness()->limit_silence(h, 0, 1000); }},
    {"freshness.read", kHandler | kSync,
     [](T, H h) {
       davit_freshness out{};
       return freshness()->read(h, 0, &out);
     }},
    {"freshness.verify", kHandler | kSync, [](T, H h) { return freshness()->verify(h, 0); }},
    {"informer/2.close", kInit | kHandler | kSync, [](T, H h) { return dynamic()->close(h, 0); }},
    {"informer/2.synced", kHandler | kSync, [](T, H h) { return dynamic()->synced(h, 0); }},
    {"discovery.refresh", kAny, [](T, H h) { return discovery()->refresh(h); }},
    {"context.last_error", kAny,
     [](T, H h) {
       davit_error out{};
       return make_context("").last_error(h, &out);
     }},
};

/// One function without a code; whether it has done anything.
struct SilentCase {
  const char* name;
  bool (*call)(const Tables& tables, const davit_call* call);
};

const SilentCase kSilentCases[] = {
    {"object.name", [](T t, H h) { return t.object->name(h, str("metadata")) != 0; }},
    {"log.enabled", [](T t, H h) { return t.log->enabled(h, 0) != 0; }},
    {"clock.monotonic_ns", [](T t, H h) { return t.clock->monotonic_ns(h) != 0; }},
    {"clock.wall_ns", [](T t, H h) { return t.clock->wall_ns(h) != 0; }},
    {"random.next", [](T t, H h) { return t.random->next(h) != 0; }},
    {"config.value", [](T t, H h) { return t.config->value(h).object != nullptr; }},
    {"context.capability",
     [](T, H h) { return make_context("").capability(h, str("davit.log/1")) != nullptr; }},
};

class HostPhasesTest : public ControllerHostTest {
 protected:
  HostPhasesTest() {
    clock_.advance(std::chrono::seconds(1));  // Zero is what a refused call gets.
    ControllerHostOptions with_config = options();
    with_config.config = R"({"burst":500})";
    make(std::move(with_config));
    start_with([] {});
  }

  /// Each function answers `code`, or nothing, and does nothing.
  void expect_refused(const davit_call* call, davit_code code) {
    for (const PhaseCase& each : kPhaseCases)
      EXPECT_EQ(each.call(tables_, call), code) << each.name;
    for (const SilentCase& each : kSilentCases) EXPECT_FALSE(each.call(tables_, call)) << each.name;
    EXPECT_EQ(tables_.queue->failures(call, 0, str("")), 0U);
    tables_.log->write(call, DAVIT_LOG_ERROR, str("unheard"), nullptr, 0);
    make_context("").error_text(call, str("unheard"));
    EXPECT_THAT(log_.lines(), Not(Contains(HasSubstr("unheard"))));
    EXPECT_TRUE(transport_.requests().empty());
  }
};

TEST_F(HostPhasesTest, EachFunctionReturnsMisuseOutsideItsPhases) {
  for (const Phase phase : kPhases) {
    for (const PhaseCase& each : kPhaseCases) {
      const bool allowed = (each.callers & bit(phase)) != 0;
      const davit_code code = inside(phase, [&] { return each.call(tables_, current_call); });
      EXPECT_EQ(code != DAVIT_MISUSE, allowed)
          << each.name << " in phase " << static_cast<int>(phase) << " answered " << code;
    }
    for (const SilentCase& each : kSilentCases) {
      EXPECT_TRUE(inside(phase, [&] { return each.call(tables_, current_call); })) << each.name;
    }
  }
  EXPECT_TRUE(transport_.requests().empty());
}

TEST_F(HostPhasesTest, NoCallIsRefused) { expect_refused(nullptr, DAVIT_MISUSE); }

TEST_F(HostPhasesTest, ThreadOfThePluginsOwnHasNoCall) {
  inside(Phase::kSync, [&] {
    std::jthread([this, call = current_call] { expect_refused(call, DAVIT_MISUSE); }).join();
  });
}

TEST_F(HostPhasesTest, CallThatHasEndedIsStaleOnAnyThread) {
  for (const Phase phase : kPhases) {
    const davit_call* const late = inside(phase, [] { return current_call; });
    expect_refused(late, DAVIT_STALE);
    std::jthread([&] { expect_refused(late, DAVIT_STALE); }).join();
  }
}

TEST_F(HostPhasesTest, CallOfADestroyedControllerIsStaleAndTouchesNothingOfIt) {
  const davit_call* const late = inside(Phase::kSync, [] { return current_call; });
  host_.reset();
  expect_refused(late, DAVIT_STALE);
  std::jthread([&] { expect_refused(late, DAVIT_STALE); }).join();
}

TEST_F(HostPhasesTest, MissingArgumentsAreRefused) {
  inside(Phase::kInit, [&] {
    const davit_call* const call = current_call;
    davit_handle handle = 0;
    davit_informer_options informer{};
    davit_queue_options queue{};
    davit_timer_options timer{};
    davit_metric_options metric{};
    EXPECT_EQ(tables_.informer->open(call, nullptr, &handle), DAVIT_MISUSE);
    EXPECT_EQ(tables_.informer->open(call, &informer, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.queue->open(call, nullptr, &handle), DAVIT_MISUSE);
    EXPECT_EQ(tables_.queue->open(call, &queue, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.queue->open(call, &queue, &handle), DAVIT_MISUSE) << "no sync";
    EXPECT_EQ(tables_.timer->start(call, nullptr, &handle), DAVIT_MISUSE);
    EXPECT_EQ(tables_.timer->start(call, &timer, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.timer->start(call, &timer, &handle), DAVIT_MISUSE) << "no fire";
    EXPECT_EQ(tables_.metric->open(call, nullptr, &handle), DAVIT_MISUSE);
    EXPECT_EQ(tables_.metric->open(call, &metric, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.event->record(call, nullptr, str(""), str(""), str("")), DAVIT_MISUSE);
    EXPECT_EQ(tables_.object->parse(call, str("{}"), nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.object->retain(call, davit_value{}, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.object->retained(call, 0, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(handle, 0u);
  });
  inside(Phase::kSync, [&] {
    const davit_call* const call = current_call;
    davit_request request{};
    request.size = sizeof(request);
    davit_response response{};
    response.size = sizeof(response);
    EXPECT_EQ(tables_.informer->get(call, 0, str(""), str(""), nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.informer->select(call, 0, str(""), str(""), nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->call(call, nullptr, &response), DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->call(call, &request, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->batch(call, nullptr, sizeof(request), &response, sizeof(response), 1),
              DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->batch(call, &request, sizeof(request), nullptr, sizeof(response), 1),
              DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->batch(call, &request, 0, &response, sizeof(response), 1),
              DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->batch(call, &request, sizeof(request), &response, 2, 1),
              DAVIT_MISUSE);
  });
}

}  // namespace
}  // namespace davit::host
