#include "host/trace/tracing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "lib/kube/json.hpp"
#include "tests/host/trace/trace_fixture.hpp"
#include "tests/support/fake_transport.hpp"
#include "tests/support/recording_log_sink.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr std::size_t kBatch = 2;

class TracingTest : public testing::Test {
 protected:
  TracingTest() {
    config_.endpoint = "http://collector:4318/v1/traces";
    config_.headers = {{"api-key", "t0p-s3cret"}};
    config_.batch_max = kBatch;
    config_.queue_max = 5;
  }
  void open(Threads threads = Threads::kNone) {
    Result<std::unique_ptr<Tracing>> opened =
        Tracing::open(config_, {.clock = clock_,
                                .random = *random_,
                                .metrics = metrics_,
                                .log = Logger(sink_),
                                .connect =
                                    [this](const OutboundServer& server) {
                                      connected_ = server.url;
                                      return Result<std::unique_ptr<Transport>>(
                                          std::make_unique<test::BorrowedTransport>(receiver_));
                                    },
                                .threads = threads});
    ASSERT_TRUE(opened) << opened.error().message();
    tracing_ = *std::move(opened);
  }
  void record(std::size_t spans) {
    for (std::size_t i = 0; i < spans; ++i) {
      tracing_->tracer().record(span_of(tracing_->tracer().begin()));
    }
  }
  /// Records a batch and exports it; the receiver has `response` for it.
  void export_batch(test::ScriptedResponse response) {
    receiver_.respond(std::move(response));
    record(kBatch);
    tracing_->step();
  }
  /// A step that waits for its whole interval, as it does after a failure.
  void step_after_pause() {
    const std::jthread thread([this] { tracing_->step(); });
    clock_.await_deadline(clock_.now() + config_.interval);
    clock_.advance(config_.interval);
  }

  test::FakeClock clock_;
  std::unique_ptr<Random> random_ = make_seeded_random(3);
  RecordedTraceMetrics metrics_;
  test::RecordingLogSink sink_{6};
  test::FakeTransport receiver_;
  std::string connected_;
  TracingConfig config_;
  std::unique_ptr<Tracing> tracing_;
};

test::ScriptedResponse response_of(int status, std::string body = "{}") {
  return {status, std::move(body), {}, {}, {}};
}

TEST_F(TracingTest, BatchGoesToTheEndpointWithTheHeaders) {
  open();
  export_batch(response_of(200));

  EXPECT_EQ(connected_, "http://collector:4318");
  ASSERT_EQ(receiver_.requests().size(), 1U);
  const HttpRequest request = receiver_.requests().front();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/v1/traces");
  EXPECT_THAT(request.headers, Contains(Pair("Content-Type", "application/json")));
  EXPECT_THAT(request.headers, Contains(Pair("api-key", "t0p-s3cret")));
  EXPECT_THAT(std::string(request.body), HasSubstr(R"("key":"service.version")"));
  EXPECT_EQ(metrics_.exported(), kBatch);
  EXPECT_THAT(metrics_.dropped(), IsEmpty());
  EXPECT_EQ(sink_.count("t0p-s3cret"), 0U) << "headers may hold secrets";
}

TEST_F(TracingTest, FewSpansLeaveAfterTheInterval) {
  open();
  receiver_.respond(response_of(200));
  record(1);
  step_after_pause();
  EXPECT_EQ(metrics_.exported(), 1U);
}

struct LiarCase {
  const char* name;
  test::ScriptedResponse response;
  std::size_t exported;
  std::map<std::string, std::size_t> dropped;
};

TEST_F(TracingTest, ReceiverThatRefusesOrLiesCostsItsSpansAlone) {
  const std::map<std::string, std::size_t> failed = {{"export_failed", kBatch}};
  test::ScriptedResponse elsewhere = response_of(307);
  elsewhere.headers = {{"location", "http://evil:1/"}};
  test::ScriptedResponse cut = response_of(200, "{\"par");
  cut.end = {Break::kReset, "it announced more"};
  test::ScriptedResponse later = response_of(503);
  later.headers = {{"retry-after", "100000"}};
  const LiarCase cases[] = {
      {"BadRequest", response_of(400), 0, failed},
      {"TooLarge", response_of(413), 0, failed},
      {"NoLoginPage", response_of(200, "<html>"), kBatch, {}},
      {"Redirect", elsewhere, 0, failed},
      {"HugeResponse", response_of(200, std::string(std::size_t{1} << 20U, 'x')), 0, failed},
      {"ComeBackTomorrow", later, 0, failed},
      {"OneIsTooOld",
       response_of(200, R"({"partialSuccess":{"rejectedSpans":"1","errorMessage":"old"}})"),
       1,
       {{"rejected", 1}}},
  };
  for (const LiarCase& each : cases) {
    SCOPED_TRACE(each.name);
    open();
    const std::size_t exported = metrics_.exported();
    const std::map<std::string, std::size_t> before = metrics_.dropped();
    export_batch(each.response);
    EXPECT_EQ(metrics_.exported() - exported, each.exported);
    for (auto [reason, count] : metrics_.dropped()) {
      const auto was = before.find(reason);
      if (was != before.end()) count -= was->second;
      const auto wanted = each.dropped.find(reason);
      EXPECT_EQ(count, wanted == each.dropped.end() ? 0 : wanted->second) << reason;
    }
  }
  EXPECT_THAT(sink_.lines(), Contains(HasSubstr("The receiver rejected spans "
                                                "endpoint=http://collector:4318/v1/traces spans=1 "
                                                "err=old")));
}

TEST_F(TracingTest, UnreachableReceiverIsTriedAgainThenReportedOnce) {
  open();
  for (int i = 0; i < 4; ++i) receiver_.respond(test::broken(Break::kRefused, "refused"));
  record(kBatch);
  {
    const std::jthread thread([this] { tracing_->step(); });
    for (const milliseconds pause : {milliseconds(250), milliseconds(500), milliseconds(1000)}) {
      clock_.await_deadline(clock_.now() + pause);
      clock_.advance(pause);
    }
  }
  EXPECT_EQ(receiver_.requests().size(), 4U);
  EXPECT_THAT(metrics_.dropped(), ElementsAre(Pair("export_failed", kBatch)));

  receiver_.respond(response_of(400));
  record(kBatch);
  step_after_pause();
  EXPECT_EQ(sink_.count("Cannot export spans"), 1U) << "a line a minute at most";

  receiver_.respond(response_of(200));
  record(kBatch);
  step_after_pause();
  EXPECT_EQ(sink_.count("Spans are exported again"), 1U);
  EXPECT_EQ(metrics_.exported(), kBatch);
}

TEST_F(TracingTest, HangingReceiverDelaysNobodyAndFullQueueDropsSpans) {
  open(Threads::kOwn);
  receiver_.respond(test::open_response(0));
  record(kBatch);
  receiver_.await_requests(1);

  record(config_.queue_max + 3);  // None of these waits.
  EXPECT_THAT(metrics_.dropped(), ElementsAre(Pair("queue_full", 3)));

  receiver_.set_script([](const HttpRequest&) { return response_of(200); });
  clock_.await_deadline(clock_.now() + config_.timeout);
  clock_.advance(config_.timeout);
  clock_.await_deadline(clock_.now() + config_.interval);  // The pause after a failure.
  EXPECT_THAT(metrics_.dropped(), Contains(Pair("export_failed", kBatch)));
  tracing_->stop(clock_.now() + seconds(2));
  EXPECT_EQ(metrics_.exported(), config_.queue_max) << "what waited is sent at the end";
}

TEST_F(TracingTest, StopSendsWhatWaits) {
  open(Threads::kOwn);
  receiver_.set_script([](const HttpRequest&) { return response_of(200); });
  clock_.await_deadline(clock_.now() + config_.interval);
  record(1);
  tracing_->stop(clock_.now() + seconds(2));
  EXPECT_EQ(metrics_.exported(), 1U);
  EXPECT_THAT(metrics_.dropped(), IsEmpty());
}

TEST_F(TracingTest, StopDoesNotWaitForAHangingReceiverBeyondItsLimit) {
  open(Threads::kOwn);
  receiver_.set_script([](const HttpRequest&) { return test::open_response(0); });
  record(kBatch);
  receiver_.await_requests(1);
  record(3);
  const Time deadline = clock_.now() + seconds(2);
  {
    const std::jthread stopping([&] { tracing_->stop(deadline); });
    clock_.await_deadline(deadline);
    clock_.advance(seconds(2));
  }
  EXPECT_THAT(metrics_.dropped(), ElementsAre(Pair("export_failed", kBatch), Pair("stopped", 3)));
}

TEST_F(TracingTest, EndpointAndHeadersAreCheckedBeforehand) {
  const auto error = [this] {
    Result<std::unique_ptr<Tracing>> opened =
        Tracing::open(config_, {clock_, *random_, metrics_, Logger(sink_), {}, Threads::kNone});
    return opened ? std::string() : opened.error().message();
  };
  config_.endpoint = "http://user:secret@collector/";
  EXPECT_THAT(error(), HasSubstr("the endpoint of tracing"));
  config_.endpoint = "https://collector/v1/traces";
  config_.headers = {{"Host", "x"}};
  EXPECT_THAT(error(), HasSubstr("belongs to the connection"));
  config_.headers = {{"a", "b\r\nc: d"}};
  EXPECT_THAT(error(), HasSubstr("exports of spans"));
  config_.headers = {};
  config_.certificate_authority = "/nowhere/ca.crt";
  EXPECT_THAT(error(), HasSubstr("/nowhere/ca.crt"));
}

}  // namespace
}  // namespace davit::host
