/// Who may call what: the @call marks of abi.h, function by function.
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

constexpr unsigned kInit = 1U << static_cast<unsigned>(Phase::kInit);
constexpr unsigned kHandler = 1U << static_cast<unsigned>(Phase::kHandler);
constexpr unsigned kSync = 1U << static_cast<unsigned>(Phase::kSync);
constexpr unsigned kAny = kInit | kHandler | kSync | 1U << static_cast<unsigned>(Phase::kProbe);

/// One function, called with arguments that do no harm.
struct PhaseCase {
  const char* name;
  unsigned callers;
  davit_code (*call)(const Tables& tables, davit_host* host);
};

davit_code undeclared_request(const Tables& tables, davit_host* host) {
  davit_request request{};
  request.size = sizeof(request);
  request.verb = DAVIT_GET;
  davit_response response{};
  response.size = sizeof(response);
  return tables.client->call(host, &request, &response);
}

davit_code open_queue_of(const Tables& tables, davit_host* host) {
  davit_queue_options options{};
  options.size = sizeof(options);
  options.sync = [](void*, davit_str, davit_sync_result*) { return davit_code{DAVIT_OK}; };
  davit_handle out = 0;
  const davit_code code = tables.queue->open(host, &options, &out);
  EXPECT_EQ(code == DAVIT_OK, out != 0);
  return code;
}

davit_code open_metric_of(const Tables& tables, davit_host* host) {
  davit_metric_options options{};
  options.size = sizeof(options);
  options.type = DAVIT_METRIC_GAUGE;
  options.name = str("sample_things");
  davit_handle out = 0;
  const davit_code code = tables.metric->open(host, &options, &out);
  EXPECT_EQ(code == DAVIT_OK, out != 0);
  return code;
}

davit_code start_timer_of(const Tables& tables, davit_host* host) {
  davit_timer_options options{};
  options.size = sizeof(options);
  options.fire = [](void*) {};
  davit_handle out = 0;
  const davit_code code = tables.timer->start(host, &options, &out);
  EXPECT_EQ(code == DAVIT_OK, out != 0);
  return code;
}

using T = const Tables&;
using H = davit_host*;

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
};

using HostPhasesTest = ControllerHostTest;

TEST_F(HostPhasesTest, EachFunctionReturnsMisuseOutsideItsPhases) {
  make();
  for (const Phase phase : {Phase::kInit, Phase::kHandler, Phase::kSync, Phase::kProbe}) {
    for (const PhaseCase& each : kPhaseCases) {
      const bool allowed = (each.callers & (1U << static_cast<unsigned>(phase))) != 0;
      const davit_code code = inside(phase, [&] { return each.call(tables_, &host_->abi()); });
      EXPECT_EQ(code != DAVIT_MISUSE, allowed)
          << each.name << " in phase " << static_cast<int>(phase) << " answered " << code;
    }
  }
  EXPECT_TRUE(transport_.requests().empty());
}

TEST_F(HostPhasesTest, EachFunctionReturnsMisuseOutsideAnyCall) {
  make();
  for (const PhaseCase& each : kPhaseCases) {
    EXPECT_EQ(each.call(tables_, &host_->abi()), DAVIT_MISUSE) << each.name;
    EXPECT_EQ(each.call(tables_, nullptr), DAVIT_MISUSE) << each.name;
  }
}

TEST_F(HostPhasesTest, ThreadOfThePluginsOwnHasNoCall) {
  make();
  inside(Phase::kSync, [&] {
    std::jthread([this] {
      for (const PhaseCase& each : kPhaseCases) {
        EXPECT_EQ(each.call(tables_, &host_->abi()), DAVIT_MISUSE) << each.name;
      }
    }).join();
  });
}

TEST_F(HostPhasesTest, AnotherControllersHostIsRefused) {
  make();
  const std::unique_ptr<ControllerHost> other = std::move(host_);
  make();
  inside(Phase::kSync, [&] {
    for (const PhaseCase& each : kPhaseCases) {
      EXPECT_EQ(each.call(tables_, &other->abi()), DAVIT_MISUSE) << each.name;
    }
  });
}

TEST_F(HostPhasesTest, MissingArgumentsAreRefused) {
  make();
  inside(Phase::kInit, [&] {
    davit_host* host = &host_->abi();
    davit_handle handle = 0;
    davit_informer_options informer{};
    davit_queue_options queue{};
    davit_timer_options timer{};
    davit_metric_options metric{};
    EXPECT_EQ(tables_.informer->open(host, nullptr, &handle), DAVIT_MISUSE);
    EXPECT_EQ(tables_.informer->open(host, &informer, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.queue->open(host, nullptr, &handle), DAVIT_MISUSE);
    EXPECT_EQ(tables_.queue->open(host, &queue, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.queue->open(host, &queue, &handle), DAVIT_MISUSE) << "no sync";
    EXPECT_EQ(tables_.timer->start(host, nullptr, &handle), DAVIT_MISUSE);
    EXPECT_EQ(tables_.timer->start(host, &timer, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.timer->start(host, &timer, &handle), DAVIT_MISUSE) << "no fire";
    EXPECT_EQ(tables_.metric->open(host, nullptr, &handle), DAVIT_MISUSE);
    EXPECT_EQ(tables_.metric->open(host, &metric, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.event->record(host, nullptr, str(""), str(""), str("")), DAVIT_MISUSE);
    EXPECT_EQ(tables_.object->parse(host, str("{}"), nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.object->retain(host, davit_value{}, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.object->retained(host, 0, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(handle, 0u);
  });
  inside(Phase::kSync, [&] {
    davit_host* host = &host_->abi();
    davit_request request{};
    request.size = sizeof(request);
    davit_response response{};
    response.size = sizeof(response);
    EXPECT_EQ(tables_.informer->get(host, 0, str(""), str(""), nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.informer->select(host, 0, str(""), str(""), nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->call(host, nullptr, &response), DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->call(host, &request, nullptr), DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->batch(host, nullptr, sizeof(request), &response, sizeof(response), 1),
              DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->batch(host, &request, sizeof(request), nullptr, sizeof(response), 1),
              DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->batch(host, &request, 0, &response, sizeof(response), 1),
              DAVIT_MISUSE);
    EXPECT_EQ(tables_.client->batch(host, &request, sizeof(request), &response, 2, 1),
              DAVIT_MISUSE);
  });
}

TEST_F(HostPhasesTest, FunctionsWithoutACodeBearAMissingHost) {
  EXPECT_EQ(tables_.object->name(nullptr, str("metadata")), 0u);
  EXPECT_EQ(tables_.queue->failures(nullptr, 0, str("")), 0u);
  EXPECT_EQ(tables_.log->enabled(nullptr, 0), 0);
  tables_.log->write(nullptr, 0, str("unheard"), nullptr, 0);
  EXPECT_EQ(tables_.clock->monotonic_ns(nullptr), 0);
  EXPECT_EQ(tables_.clock->wall_ns(nullptr), 0);
  EXPECT_EQ(tables_.random->next(nullptr), 0u);
}

}  // namespace
}  // namespace davit::host
