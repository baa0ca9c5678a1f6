#include "sandbox/faults/degraded_response.hpp"

#include <gtest/gtest.h>

#include "tests/sandbox/faults/fake_server.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = HttpBodyStream::State;

HttpServerResponse digits() {
  HttpServerResponse response;
  response.body = "0123456789";
  return response;
}

/// Known at the second question.
class ScriptedDeferredResponse final : public HttpDeferredResponse {
 public:
  explicit ScriptedDeferredResponse(const Clock& clock) : clock_(clock) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    return ++asked_ < 2 ? std::nullopt : std::optional(digits());
  }
  [[nodiscard]] Time next_take() const override { return clock_.now() + seconds(1); }

 private:
  const Clock& clock_;
  int asked_ = 0;
};

class DegradedResponseTest : public testing::Test {
 protected:
  HttpServerResponse apply(HttpServerResponse response, const Degradation& degradation) {
    return degraded(std::move(response), degradation, clock_);
  }

  test::FakeClock clock_;
};

TEST_F(DegradedResponseTest, CutBodyBreaksOffAtItsPlace) {
  const HttpServerResponse response = apply(digits(), {.cut_after = 4});
  std::string body;
  EXPECT_EQ(response.stream->read(body, 100), State::kCut);
  EXPECT_EQ(body, "0123");
}

TEST_F(DegradedResponseTest, BodyThatEndsBeforeTheCutIsWhole) {
  EXPECT_EQ(apply(digits(), {.cut_after = 11}).body, "0123456789");
}

TEST_F(DegradedResponseTest, SlowBodyComesInPortionsAndEndsProperly) {
  const HttpServerResponse response = apply(digits(), {.bytes_per_second = 50});
  std::string body;
  EXPECT_EQ(response.stream->read(body, 100), State::kOpen);
  EXPECT_EQ(body, "01234");
  EXPECT_EQ(response.stream->next_read(), clock_.now() + milliseconds(100));
  EXPECT_EQ(response.stream->read(body, 100), State::kOpen);
  EXPECT_EQ(body, "01234") << "not before its time";

  clock_.advance(milliseconds(100));
  EXPECT_EQ(response.stream->read(body, 100), State::kEnded);
  EXPECT_EQ(body, "0123456789");
}

TEST_F(DegradedResponseTest, SlowWatchTricklesAndIsNeverCut) {
  FakeWatch watch;
  watch.lines = {"event", "other"};
  watch.ended = true;
  HttpServerResponse response;
  response.stream = std::make_unique<FakeStream>(watch);
  response = apply(std::move(response), {.bytes_per_second = 10, .cut_after = 1});

  std::string body;
  State state = State::kOpen;
  for (int portion = 0; portion < 20 && state == State::kOpen; ++portion) {
    EXPECT_EQ(body.size(), static_cast<std::size_t>(portion));
    state = response.stream->read(body, 100);
    clock_.advance(milliseconds(100));
  }
  EXPECT_EQ(state, State::kEnded);
  EXPECT_EQ(body, "event\nother\n");
}

TEST_F(DegradedResponseTest, SlowWatchWaitsForItsSource) {
  FakeWatch watch;
  watch.next = clock_.now() + seconds(60);
  HttpServerResponse response;
  response.stream = std::make_unique<FakeStream>(watch);
  response = apply(std::move(response), {.bytes_per_second = 10});

  std::string body;
  EXPECT_EQ(response.stream->read(body, 100), State::kOpen);
  EXPECT_EQ(response.stream->next_read(), clock_.now() + seconds(60));
}

TEST_F(DegradedResponseTest, DeferredResponseIsDegradedOnceItIsKnown) {
  HttpServerResponse response;
  response.deferred = std::make_unique<ScriptedDeferredResponse>(clock_);
  response.status = 504;
  response = apply(std::move(response), {.delay = seconds(5), .cut_after = 2});
  EXPECT_EQ(response.status, 504) << "for callers that do not wait";
  EXPECT_FALSE(response.deferred->take());
  EXPECT_EQ(response.deferred->next_take(), clock_.now() + seconds(1));

  clock_.advance(seconds(1));
  EXPECT_FALSE(response.deferred->take());
  EXPECT_EQ(response.deferred->next_take(), clock_.now() + seconds(5));

  clock_.advance(seconds(5));
  const auto known = response.deferred->take();
  ASSERT_TRUE(known);
  std::string body;
  EXPECT_EQ(known->stream->read(body, 100), State::kCut);
  EXPECT_EQ(body, "01");
}

TEST_F(DegradedResponseTest, ResetMayBeDelayed) {
  HttpServerResponse reset;
  reset.aborted = true;
  const HttpServerResponse response =
      apply(std::move(reset), {.delay = seconds(1), .cut_after = 0});
  EXPECT_FALSE(response.deferred->take());

  clock_.advance(seconds(1));
  EXPECT_TRUE(response.deferred->take()->aborted);
}

}  // namespace
}  // namespace davit::sandbox
