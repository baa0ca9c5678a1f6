#include "host/trace/tracer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "tests/host/trace/trace_fixture.hpp"

namespace davit::host {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;
using testing::Pair;

class TracerTest : public testing::Test {
 protected:
  Tracer make(TracerOptions options = {}) { return Tracer(clock_, *random_, metrics_, options); }

  test::FakeClock clock_;
  std::unique_ptr<Random> random_ = make_seeded_random(3);
  RecordedTraceMetrics metrics_;
};

TEST_F(TracerTest, ContextHasTheFormOfTheStandard) {
  Tracer tracer = make();
  const SpanContext root = tracer.begin();
  EXPECT_THAT(root.traceparent(), MatchesRegex("00-[0-9a-f]{32}-[0-9a-f]{16}-01"));
  const SpanContext child = tracer.child(root);
  EXPECT_EQ(child.trace_id, root.trace_id);
  EXPECT_NE(child.span_id, root.span_id);
}

TEST_F(TracerTest, IdsAreNeverTwiceTheSame) {
  Tracer tracer = make();
  std::set<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.insert(tracer.begin().trace_id);
  EXPECT_EQ(ids.size(), 1000U);
}

TEST_F(TracerTest, SamplesTheShareThatWasAskedFor) {
  for (const std::uint32_t rate : {0U, 250'000U, 1'000'000U}) {
    Tracer tracer = make({.sampled_per_million = rate});
    int sampled = 0;
    for (int i = 0; i < 4000; ++i) sampled += tracer.begin().is_sampled() ? 1 : 0;
    EXPECT_NEAR(sampled, 4000.0 * rate / 1'000'000, rate % 1'000'000 == 0 ? 0 : 150) << rate;
  }
}

TEST_F(TracerTest, UnsampledContextSaysSoAndItsSpanIsNotKept) {
  Tracer tracer = make({.sampled_per_million = 0});
  const SpanContext context = tracer.begin();
  EXPECT_THAT(context.traceparent(), MatchesRegex("00-[0-9a-f]{32}-[0-9a-f]{16}-00"));
  tracer.record(span_of(context));
  EXPECT_TRUE(tracer.take(10).empty());
  EXPECT_TRUE(metrics_.dropped().empty()) << "it was never to be kept";
}

TEST_F(TracerTest, SpansBeyondTheLimitAreDroppedAndCounted) {
  Tracer tracer = make({.spans_max = 2});
  for (int i = 0; i < 5; ++i) tracer.record(span_of(tracer.begin(), std::to_string(i)));
  EXPECT_THAT(metrics_.dropped(), ElementsAre(Pair("queue_full", 3)));
  const std::vector<Span> first = tracer.take(1);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].name, "0") << "the oldest first";
  EXPECT_EQ(tracer.take(10).size(), 1U);
}

TEST_F(TracerTest, WaitEndsWithEnoughSpansAtItsTimeOrWhenStopped) {
  Tracer tracer = make();
  const Time later = clock_.now() + std::chrono::seconds(5);
  {
    std::jthread waiter([&] { tracer.await(2, later, {}); });
    clock_.await_deadline(later);
    tracer.record(span_of(tracer.begin()));
    tracer.record(span_of(tracer.begin()));
  }
  (void)tracer.take(2);
  {
    std::jthread waiter([&](const std::stop_token& stop) { tracer.await(2, later, stop); });
    clock_.await_deadline(later);
  }
  std::jthread waiter([&] { tracer.await(2, later, {}); });
  clock_.await_deadline(later);
  clock_.advance(std::chrono::seconds(5));
}

}  // namespace
}  // namespace davit::host
