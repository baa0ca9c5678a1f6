#include <thread>

#include "host/api/rest_client.hpp"
#include "host/api/stream_run.hpp"
#include "tests/host/api/rest_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;

ApiRequest watch_pods() {
  ApiRequest request;
  request.verb = Verb::kWatch;
  request.path = {"", "v1", "pods", "", "", ""};
  return request;
}

ApiRequest list_pods() {
  ApiRequest request = watch_pods();
  request.verb = Verb::kList;
  return request;
}

class RestStreamTest : public RestTest {
 protected:
  RestClient::ChunkSink collect() {
    return [this](std::string_view chunk) {
      received_ += chunk;
      return Status();
    };
  }

  std::string received_;
};

TEST_F(RestStreamTest, BodyArrivesWholeWhateverItsSize) {
  RestClient rest = client();
  std::string body;
  for (int i = 0; i < 200'000; ++i) body += std::to_string(i);
  ASSERT_GT(body.size(), 2 * StreamBuffer::kUnreadBytesMax);
  transport_.respond(response_of(200, body));

  const Status status = rest.stream(list_pods(), {}, collect());

  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(received_, body);
}

TEST_F(RestStreamTest, ListHasAConnectionAloneAndAWatchSharesOne) {
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  EXPECT_TRUE(rest.stream(list_pods(), {}, collect()).ok());
  EXPECT_TRUE(rest.stream(watch_pods(), {}, collect()).ok());
  const auto requests = transport_.requests();
  EXPECT_EQ(requests[0].sharing, Sharing::kAlone);
  EXPECT_EQ(requests[1].sharing, Sharing::kShared);
  EXPECT_EQ(requests[1].purpose, ConnectionPurpose::kWatch);
}

TEST_F(RestStreamTest, WatchDoesNotWaitForTheLimiterRT010) {
  RestClient rest = client({1, 1});
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  EXPECT_TRUE(rest.call(get_pod()).status.ok());
  EXPECT_TRUE(rest.stream(watch_pods(), {}, collect()).ok());
  EXPECT_EQ(transport_.requests().size(), 2u);
}

TEST_F(RestStreamTest, ListWaitsForTheLimiter) {
  RestClient rest = client({1, 1});
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  EXPECT_TRUE(rest.call(get_pod()).status.ok());
  EXPECT_TRUE(
      with_steps({seconds(1)}, [&] { return rest.stream(list_pods(), {}, collect()); }).ok());
}

TEST_F(RestStreamTest, EventsArriveWhileTheStreamIsOpen) {
  RestClient rest = client();
  transport_.respond(test::open_response(200, "one"));
  std::promise<void> seen;
  auto result = std::async(std::launch::async, [&] {
    return rest.stream(watch_pods(), {}, [&](std::string_view chunk) {
      received_ += chunk;
      if (received_ == "one") seen.set_value();
      return Status();
    });
  });
  seen.get_future().wait();
  transport_.send(0, "two");
  transport_.finish(0);
  EXPECT_TRUE(result.get().ok());
  EXPECT_EQ(received_, "onetwo");
}

TEST_F(RestStreamTest, StopEndsAnOpenStream) {
  RestClient rest = client();
  transport_.respond(test::open_response(200));
  std::stop_source stop;
  auto result = std::async(std::launch::async,
                           [&] { return rest.stream(watch_pods(), stop.get_token(), collect()); });
  transport_.await_requests(1);
  stop.request_stop();
  EXPECT_EQ(result.get().code(), Code::kCancelled);
  EXPECT_TRUE(transport_.open_calls().empty());
}

TEST_F(RestStreamTest, ConsumersErrorEndsTheStream) {
  RestClient rest = client();
  transport_.respond(test::open_response(200, "bad"));
  const Status status = rest.stream(
      watch_pods(), {}, [](std::string_view) { return Status(Code::kInternal, "cannot parse"); });
  EXPECT_EQ(status.message(), "cannot parse");
  EXPECT_TRUE(transport_.open_calls().empty());
}

TEST_F(RestStreamTest, WatchOnALostConnectionIsRepeatedThenCountsAsEmpty) {
  RestClient rest = client();
  transport_.set_script([](const HttpRequest&) { return test::broken(Break::kReset); });
  const Status status = with_steps(std::vector<Duration>(10, seconds(1)),
                                   [&] { return rest.stream(watch_pods(), {}, collect()); });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(transport_.requests().size(), 11u);
}

TEST_F(RestStreamTest, RefusedConnectionIsAnErrorAtOnce) {
  RestClient rest = client();
  transport_.respond(test::broken(Break::kRefused));
  EXPECT_EQ(rest.stream(watch_pods(), {}, collect()).code(), Code::kUnavailable);
  EXPECT_EQ(transport_.requests().size(), 1u);
}

TEST_F(RestStreamTest, ThrottledWatchIsRepeatedWhenTheServerSays) {
  RestClient rest = client();
  transport_.respond(response_of(429, "", "2"));
  transport_.respond(response_of(200, "event"));
  const Status status =
      with_steps({seconds(2)}, [&] { return rest.stream(watch_pods(), {}, collect()); });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(received_, "event");
  EXPECT_EQ(metrics_.of("retries 429 GET fake:6443"), 1);
}

TEST_F(RestStreamTest, GoneIsExpiredAndItsBodyIsNotHandedOn) {
  RestClient rest = client();
  transport_.respond(response_of(
      410, R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,)"
           R"("message":"too old resource version"})"));
  const Status status = rest.stream(watch_pods(), {}, collect());
  EXPECT_EQ(status.code(), Code::kExpired);
  EXPECT_EQ(received_, "");
}

TEST_F(RestStreamTest, CutBodyIsUnavailable) {
  RestClient rest = client();
  test::ScriptedResponse cut = response_of(200, "half");
  cut.end = {Break::kReset, "cut"};
  transport_.respond(cut);
  EXPECT_EQ(rest.stream(list_pods(), {}, collect()).code(), Code::kUnavailable);
  EXPECT_EQ(received_, "half");
}

TEST_F(RestStreamTest, SlowConsumerDelaysTheSender) {
  RestClient rest = client();
  transport_.respond(test::open_response(200, "first"));
  std::promise<void> entered;
  std::promise<void> go_on;
  auto result = std::async(std::launch::async, [&] {
    return rest.stream(watch_pods(), {}, [&](std::string_view chunk) {
      if (received_.empty() && !chunk.empty()) {
        entered.set_value();
        go_on.get_future().wait();
      }
      received_ += chunk;
      return Status();
    });
  });
  entered.get_future().wait();
  transport_.send(0, std::string(3 * StreamBuffer::kUnreadBytesMax, 'x'));
  transport_.finish(0);
  EXPECT_FALSE(transport_.open_calls().empty()) << "the end waits behind what is not taken";
  go_on.set_value();
  EXPECT_TRUE(result.get().ok());
  EXPECT_EQ(received_.size(), 5 + 3 * StreamBuffer::kUnreadBytesMax);
}

TEST_F(RestStreamTest, AStreamThatAlwaysHasMoreGivesTheOthersTheirTurns) {
  RestClient rest = client();
  transport_.respond(test::open_response(200, "x"));
  RequestLoop loop;
  int pieces = 0;
  const auto stream = rest.open(watch_pods(), {}, {loop, 1}, [&](std::string_view piece) {
    if (!piece.empty() && ++pieces < 1000) transport_.send(0, "x");
    return Status();
  });

  EXPECT_FALSE(stream->proceed());
  EXPECT_LT(pieces, 10);
  EXPECT_LE(stream->due(), clock_.now());
  while (pieces < 1000) EXPECT_FALSE(stream->proceed());
  EXPECT_FALSE(stream->proceed());
  EXPECT_EQ(stream->due(), Time::max()) << "all is read";
}

TEST_F(RestStreamTest, AStreamPostsItsPlaceWhenItHasSomethingToRead) {
  RestClient rest = client();
  transport_.respond(test::open_response(200));
  RequestLoop loop;
  const auto stream = rest.open(watch_pods(), {}, {loop, 7}, collect());
  EXPECT_FALSE(stream->proceed());
  static_cast<void>(loop.wait(clock_, clock_.now(), 1));  // The posts of its begin.

  transport_.send(0, "event");
  EXPECT_EQ(loop.wait(clock_, clock_.now(), 1), std::vector<std::size_t>{7});
  EXPECT_EQ(received_, "") << "nothing is read before its turn";
  EXPECT_FALSE(stream->proceed());
  EXPECT_EQ(received_, "event");

  transport_.finish(0);
  EXPECT_EQ(loop.wait(clock_, clock_.now(), 1), std::vector<std::size_t>{7});
  EXPECT_TRUE(stream->proceed()->ok());
}

TEST_F(RestStreamTest, AStreamThatWaitsForItsTokenIsDueWhenItIsThere) {
  RestClient rest = client({1, 1});
  transport_.set_script([](const HttpRequest&) { return response_of(200); });
  EXPECT_TRUE(rest.call(get_pod()).status.ok());
  RequestLoop loop;
  const auto list = rest.open(list_pods(), {}, {loop, 1}, collect());
  EXPECT_FALSE(list->proceed());
  EXPECT_EQ(list->due(), clock_.now() + seconds(1));
  EXPECT_EQ(transport_.requests().size(), 1u);
  clock_.advance(seconds(1));
  EXPECT_TRUE(list->proceed()->ok());
}

TEST_F(RestStreamTest, AStopIsPostedAndEndsAStreamAtItsNextTurn) {
  RestClient rest = client();
  transport_.respond(test::open_response(200));
  RequestLoop loop;
  std::stop_source stop;
  const auto stream = rest.open(watch_pods(), stop.get_token(), {loop, 7}, collect());
  EXPECT_FALSE(stream->proceed());
  static_cast<void>(loop.wait(clock_, clock_.now(), 1));
  stop.request_stop();
  EXPECT_EQ(loop.wait(clock_, clock_.now(), 1), std::vector<std::size_t>{7});
  EXPECT_EQ(stream->proceed()->code(), Code::kCancelled);
  EXPECT_TRUE(transport_.open_calls().empty());
}

TEST_F(RestStreamTest, AHeldClientEndsItsListsAndKeepsItsWatches) {
  RestClient rest = client();
  transport_.respond(test::open_response(200));
  transport_.respond(test::open_response(200));
  RequestLoop loop;
  const auto watch = rest.open(watch_pods(), {}, {loop, 1}, collect());
  const auto list = rest.open(list_pods(), {}, {loop, 2}, collect());
  EXPECT_FALSE(watch->proceed());
  EXPECT_FALSE(list->proceed());
  rest.hold();
  EXPECT_FALSE(watch->proceed());
  EXPECT_EQ(list->proceed()->code(), Code::kCancelled);
}

TEST_F(RestStreamTest, WritesCannotBeStreamed) {
  RestClient rest = client();
  EXPECT_EQ(rest.stream(write_pod(Verb::kUpdate), {}, collect()).code(), Code::kMisuse);
}

}  // namespace
}  // namespace davit::host
