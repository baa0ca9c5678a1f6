// The time limit of a request over a pooled connection, on a clock that the test moves.

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "host/transport/curl_transport.hpp"
#include "lib/net/request_loop.hpp"
#include "tests/host/api/rest_fixture.hpp"
#include "tests/host/transport/tiny_server.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Moves the clock by `limit` in two rounds of a loop: by all but a millisecond in the first, and
/// by that one in the second. Ends a wait() in the fourth.
class LastMillisecond final : public DrivenRequest {
 public:
  LastMillisecond(RequestLoop& loop, test::FakeClock& clock, Duration limit)
      : loop_(loop), clock_(clock), limit_(limit) {
    loop_.join(*this);
  }
  ~LastMillisecond() override { loop_.leave(*this); }

  void drive(std::span<const pollfd>, Time) override {
    ++rounds_;
    if (rounds_ == 1) clock_.advance(limit_ - milliseconds(1));
    if (rounds_ == 2) clock_.advance(milliseconds(1));
    if (rounds_ == 4) loop_.post(0);
  }
  void poll_for(std::vector<pollfd>&) const override {}
  [[nodiscard]] Time due() const override { return Time{}; }
  [[nodiscard]] int rounds() const { return rounds_; }

 private:
  RequestLoop& loop_;
  test::FakeClock& clock_;
  const Duration limit_;
  int rounds_ = 0;
};

/// Notes how and in which round a request ended.
class RoundOfTheEnd final : public ResponseReader {
 public:
  RoundOfTheEnd(RequestLoop& loop, const LastMillisecond& passes) : loop_(loop), passes_(passes) {}

  void on_head(int, const HttpHeaders&) override {}
  Flow on_body(std::string_view) override { return Flow::kMore; }
  void on_end(const TransportEnd& end) override {
    kind = end.kind;
    round = passes_.rounds();
    loop_.post(0);
  }
  Break kind = Break::kNone;
  int round = 0;

 private:
  RequestLoop& loop_;
  const LastMillisecond& passes_;
};

TEST(TimeLimitTest, ARequestEndsWithTheLastMillisecondOfItsTimeLimit) {
  test::FakeClock clock;
  test::RecordingRestMetrics metrics;
  test::RecordingLogSink sink;
  TinyServer server([](Peer& peer) { peer.read_request(); });
  ConnectionConfig config;
  config.server = server.url();
  const auto transport = make_curl_transport(config, clock, metrics, Logger(sink));
  ASSERT_TRUE(transport) << transport.error().message();
  RequestLoop loop;
  LastMillisecond passes(loop, clock, seconds(5));
  RoundOfTheEnd reader(loop, passes);
  HttpRequest request;
  request.method = "GET";
  request.target = "/";
  request.timeout = seconds(5);
  request.loop = &loop;

  const auto call = (*transport)->start(std::move(request), reader);
  static_cast<void>(loop.wait(clock, Time::max(), 1));

  EXPECT_EQ(reader.kind, Break::kTimeout);
  EXPECT_EQ(reader.round, 3) << "the first round after the whole limit";
}

}  // namespace
}  // namespace davit::host
