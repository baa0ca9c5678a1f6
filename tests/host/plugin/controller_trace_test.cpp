/// The trace of a sync: its spans, the headers of its requests, its id for the plugin and in logs.
#include "host/config/tracing_config.hpp"
#include "host/trace/work_trace.hpp"
#include "tests/host/plugin/controller_fixture.hpp"
#include "tests/host/trace/trace_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::Pair;

constexpr char kTracedPod[] = R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a",)"
                              R"("namespace":"default","uid":"u1","resourceVersion":"12"}})";

std::string header_of(const HttpRequest& request) {
  for (const auto& [name, value] : request.headers) {
    if (name == "Traceparent") return value;
  }
  return "";
}

/// "name parent: key=value …" of a span, without what the test does not decide.
std::string attribute(const Span& span, std::string_view key) {
  for (const auto& [name, value] : span.attributes) {
    if (name != key) continue;
    const auto* const number = std::get_if<std::int64_t>(&value);
    return number != nullptr ? std::to_string(*number) : std::get<std::string>(value);
  }
  return "";
}

class ControllerTraceTest : public ControllerHostTest {
 protected:
  void trace(std::uint32_t sampled_per_million = kSampleAll) {
    tracer_made_.emplace(clock_, *random_, trace_metrics_,
                         TracerOptions{.sampled_per_million = sampled_per_million});
    tracer_ = &*tracer_made_;
    ControllerHostOptions made = options();
    made.declared.http.hosts = {"dns.example.com"};
    make(std::move(made));
  }

  /// Runs one sync of "default/web" which does `what`; all spans of it.
  std::vector<Span> sync_with(std::function<davit_code()> what) {
    davit_handle queue = 0;
    start_with([&] {
      queue = open_queue([&, what = std::move(what)](davit_str, davit_sync_result&) {
        seen_trace_id_ = view(current_call->trace_id);
        return what();
      });
    });
    commit();
    run();
    add(queue, "default/web");
    synced_.await(1);
    (void)host_->stop({clock_.now(), Time::max()});
    return tracer_->take(100);
  }
  davit_code call(davit_request request) {
    davit_response response{};
    response.size = sizeof(response);
    return tables_.client->call(current_call, &request, &response);
  }
  davit_code get(std::string_view name) {
    davit_request request = pod_request(DAVIT_GET);
    request.name = str(name);
    return call(request);
  }
  davit_code call_outside(const davit_http_header* header = nullptr) {
    davit_http_request request{};
    request.size = sizeof(request);
    request.url = str("https://dns.example.com/v2/records?token=t0p-s3cret");
    request.headers = header;
    request.header_count = header == nullptr ? 0 : 1;
    davit_http_response response{};
    response.size = sizeof(response);
    return tables_.http->call(current_call, &request, &response);
  }

  RecordedTraceMetrics trace_metrics_;
  std::optional<Tracer> tracer_made_;
  std::string seen_trace_id_;
};

TEST_F(ControllerTraceTest, RequestsAreSpansBelowTheirSync) {
  trace();
  transport_.respond(response_of(200, kTracedPod));
  transport_.respond(
      response_of(404, R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":404,)"
                       R"("reason":"NotFound","message":"no such pod"})"));
  outside_.respond(response_of(200, "{}"));
  const std::vector<Span> spans = sync_with([this] {
    EXPECT_EQ(get("a"), DAVIT_OK);
    EXPECT_EQ(get("b"), DAVIT_NOT_FOUND);
    EXPECT_EQ(call_outside(), DAVIT_OK);
    return DAVIT_OK;
  });

  ASSERT_EQ(spans.size(), 4U);
  const Span& sync = spans.back();
  EXPECT_EQ(sync.name, "sample-controller sync");
  EXPECT_EQ(sync.parent_id, "");
  EXPECT_EQ(attribute(sync, "davit.key"), "default/web");
  EXPECT_EQ(attribute(sync, "davit.plugin"), "sample");
  EXPECT_EQ(attribute(sync, "davit.build"), "b1");
  EXPECT_EQ(attribute(sync, "davit.queue"), "sample");
  EXPECT_EQ(attribute(sync, "davit.attempt"), "0");
  EXPECT_EQ(attribute(sync, "davit.result"), "OK");
  EXPECT_EQ(sync.outcome, Span::Outcome::kUnset);
  EXPECT_EQ(seen_trace_id_, sync.context.trace_id);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(spans[i].context.trace_id, sync.context.trace_id);
    EXPECT_EQ(spans[i].parent_id, sync.context.span_id);
    EXPECT_EQ(spans[i].kind, Span::Kind::kClient);
  }
  EXPECT_EQ(spans[0].name, "get pods");
  EXPECT_EQ(attribute(spans[0], "http.request.method"), "GET");
  EXPECT_EQ(attribute(spans[0], "http.response.status_code"), "200");
  EXPECT_EQ(attribute(spans[0], "k8s.namespace.name"), "default");
  EXPECT_EQ(attribute(spans[0], "davit.name"), "a");
  EXPECT_EQ(attribute(spans[1], "http.response.status_code"), "404");
  EXPECT_EQ(spans[1].outcome, Span::Outcome::kError);
  EXPECT_EQ(spans[1].error, "no such pod");
  EXPECT_EQ(spans[2].name, "GET");
  EXPECT_EQ(attribute(spans[2], "url.full"), "https://dns.example.com/v2/records")
      << "the query may hold secrets";
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(header_of(transport_.requests()[i]), spans[i].context.traceparent());
  }
  EXPECT_EQ(header_of(outside_.requests()[0]), spans[2].context.traceparent());
}

TEST_F(ControllerTraceTest, SpanOfARequestCountsItsRetries) {
  trace();
  test::ScriptedResponse later = response_of(429, "{}");
  later.headers.emplace_back("retry-after", "1");
  transport_.respond(later);
  transport_.respond(response_of(200, kTracedPod));
  std::jthread time([this] {
    clock_.await_deadline(test::FakeClock::kStart + std::chrono::seconds(1));
    clock_.advance(std::chrono::seconds(1));
  });
  const std::vector<Span> spans = sync_with([this] { return get("a"); });
  ASSERT_EQ(spans.size(), 2U);
  EXPECT_EQ(attribute(spans[0], "http.request.resend_count"), "1");
  EXPECT_EQ(spans[0].ended - spans[0].began, std::chrono::seconds(1));
}

TEST_F(ControllerTraceTest, BatchAndStreamHaveASpanForEachRequest) {
  trace();
  for (int i = 0; i < 2; ++i) transport_.respond(response_of(200, kTracedPod));
  transport_.respond(response_of(200, "a line"));
  const std::vector<Span> spans = sync_with([this] {
    davit_request two[] = {pod_request(DAVIT_GET), pod_request(DAVIT_GET)};
    two[0].name = str("a");
    two[1].name = str("b");
    davit_response responses[2] = {};
    for (davit_response& each : responses) each.size = sizeof(each);
    tables_.client->batch(current_call, two, sizeof(davit_request), responses,
                          sizeof(davit_response), 2);
    davit_sink sink{};
    sink.size = sizeof(sink);
    sink.write = [](void*, davit_str) -> davit_code { return DAVIT_OK; };
    davit_request list = pod_request(DAVIT_LIST);
    list.raw = &sink;
    return call(list);
  });
  std::vector<std::string> names;
  for (const Span& each : spans) names.push_back(each.name + " " + attribute(each, "davit.name"));
  EXPECT_THAT(names,
              ElementsAre("get pods a", "get pods b", "list pods ", "sample-controller sync "));
}

TEST_F(ControllerTraceTest, FailedSyncIsAnErrorAndItsLinesHaveTheTrace) {
  trace();
  const std::vector<Span> spans = sync_with([this] {
    tables_.log->write(current_call, DAVIT_LOG_WARNING, str("the plugin's own line"), nullptr, 0);
    davit_request secret = pod_request(DAVIT_CREATE);
    secret.resource = str("secrets");
    secret.body = str("{}");
    EXPECT_EQ(call(secret), DAVIT_UNDECLARED);
    return davit_code{DAVIT_CONFLICT};
  });
  ASSERT_EQ(spans.size(), 1U) << "a request that was not sent has no span";
  EXPECT_EQ(attribute(spans[0], "davit.result"), "Conflict");
  EXPECT_EQ(spans[0].outcome, Span::Outcome::kError);
  const std::string id = "trace_id=" + spans[0].context.trace_id;
  for (const char* const line :
       {"the plugin's own line", "A request was refused", "Sync failed with a conflict"}) {
    EXPECT_THAT(log_.lines(), Contains(AllOf(HasSubstr(line), HasSubstr(id))));
  }
}

TEST_F(ControllerTraceTest, UnsampledSyncHasAnIdButNeitherSpansNorLogFields) {
  trace(0);
  transport_.respond(response_of(200, kTracedPod));
  const std::vector<Span> spans = sync_with([this] {
    tables_.log->write(current_call, DAVIT_LOG_WARNING, str("the plugin's own line"), nullptr, 0);
    EXPECT_EQ(get("a"), DAVIT_OK);
    return davit_code{DAVIT_CONFLICT};
  });
  EXPECT_THAT(spans, IsEmpty());
  EXPECT_THAT(seen_trace_id_, MatchesRegex("[0-9a-f]{32}"));
  EXPECT_THAT(header_of(transport_.requests()[0]),
              MatchesRegex("00-" + seen_trace_id_ + "-[0-9a-f]{16}-00"));
  EXPECT_EQ(log_.count("trace_id"), 0U);
}

TEST_F(ControllerTraceTest, HeaderThatThePluginSetsStays) {
  trace();
  outside_.respond(response_of(200, "{}"));
  const davit_http_header own{str("traceparent"), str("its-own")};
  sync_with([&] { return call_outside(&own); });
  EXPECT_THAT(outside_.requests()[0].headers, Contains(Pair("traceparent", "its-own")));
  EXPECT_EQ(header_of(outside_.requests()[0]), "");
}

TEST_F(ControllerTraceTest, WithoutTracingNothingIsAdded) {
  transport_.respond(response_of(200, kTracedPod));
  tracer_ = nullptr;
  make();
  davit_handle queue = 0;
  start_with([&] {
    queue = open_queue([this](davit_str, davit_sync_result&) {
      seen_trace_id_ = "seen: " + std::string(view(current_call->trace_id));
      return get("a");
    });
  });
  commit();
  run();
  add(queue, "default/web");
  synced_.await(1);
  EXPECT_EQ(seen_trace_id_, "seen: ");
  EXPECT_EQ(header_of(transport_.requests()[0]), "");
}

TEST_F(ControllerTraceTest, TimerHasATraceOfItsOwn) {
  trace();
  test::Collector<std::string> fired;
  start_with([&] {
    davit_timer_options timer{};
    timer.size = sizeof(timer);
    timer.self = &fired;
    timer.fire = [](void* self, const davit_call* call, davit_sync_result*) -> davit_code {
      static_cast<test::Collector<std::string>*>(self)->push(std::string(view(call->trace_id)));
      return DAVIT_OK;
    };
    davit_handle handle = 0;
    EXPECT_EQ(tables_.timer->start(current_call, &timer, &handle), DAVIT_OK);
  });
  commit();
  run();
  const std::string id = fired.await(1).front();
  (void)host_->stop({clock_.now(), Time::max()});
  const std::vector<Span> spans = tracer_->take(10);
  ASSERT_EQ(spans.size(), 1U);
  EXPECT_EQ(spans[0].name, "sample-controller timer");
  EXPECT_EQ(spans[0].context.trace_id, id);
}

}  // namespace
}  // namespace davit::host
