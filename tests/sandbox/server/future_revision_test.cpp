// A resourceVersion that the store has not come to is waited for.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

using namespace std::chrono_literals;

const std::string kLater = "/api/v1/namespaces/default/configmaps";

class FutureRevisionTest : public testing::Test {
 protected:
  /// The version of the write after the next.
  std::string future() {
    return "resourceVersion=" + std::to_string(sandbox_.store.revision() + 2);
  }
  void write(const std::string& name) {
    ASSERT_EQ(sandbox_.post(kLater, R"({"metadata":{"name":")" + name + "\"}}").code, 201);
  }
  /// Asks whenever it is due for `time` at most.
  std::optional<HttpServerResponse> ask(HttpDeferredResponse& deferred, Duration time) {
    const Time end = sandbox_.clock.now() + time;
    std::optional<HttpServerResponse> known = deferred.take();
    while (!known && deferred.next_take() <= end) {
      EXPECT_GT(deferred.next_take(), sandbox_.clock.now());
      sandbox_.clock.advance(deferred.next_take() - sandbox_.clock.now());
      known = deferred.take();
    }
    return known;
  }
  std::string read(HttpBodyStream& stream, Duration time) {
    const Time end = sandbox_.clock.now() + time;
    std::string seen = Sandbox::events(stream);
    while (seen.empty() && stream.next_read() <= end) {
      EXPECT_GT(stream.next_read(), sandbox_.clock.now());
      sandbox_.clock.advance(stream.next_read() - sandbox_.clock.now());
      seen = Sandbox::events(stream);
    }
    return seen;
  }

  Sandbox sandbox_;
};

TEST_F(FutureRevisionTest, ObjectReturnsOnceTheVersionIsThere) {
  write("a");
  const Reply early = sandbox_.get(kLater + "/a?" + future());
  ASSERT_NE(early.deferred, nullptr);
  EXPECT_EQ(early.code, 504) << "to one who does not wait";

  write("b");
  EXPECT_FALSE(ask(*early.deferred, 1s));
  write("c");
  const std::optional<HttpServerResponse> known = ask(*early.deferred, 1s);

  ASSERT_TRUE(known);
  EXPECT_EQ(known->status, 200);
  EXPECT_EQ(json_literal(known->body).text_at({"metadata", "name"}), "a");
}

TEST_F(FutureRevisionTest, ListReturnsOnceTheVersionIsThere) {
  const Reply early = sandbox_.get(kLater + "?" + future());
  ASSERT_NE(early.deferred, nullptr);

  write("b");
  write("c");

  const std::optional<HttpServerResponse> known = ask(*early.deferred, 1s);
  ASSERT_TRUE(known);
  EXPECT_EQ(known->status, 200);
  EXPECT_EQ(json_literal(known->body).get("items").items().size(), 2u);
}

TEST_F(FutureRevisionTest, AfterThreeSecondsTheResponseIsATimeout) {
  for (const std::string& path : {kLater, kLater + "/a"}) {
    const Reply early = sandbox_.get(path + "?resourceVersion=99999999999");
    ASSERT_NE(early.deferred, nullptr);
    const Time asked = sandbox_.clock.now();

    const std::optional<HttpServerResponse> known = ask(*early.deferred, 1min);

    EXPECT_EQ(sandbox_.clock.now() - asked, 3s);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->status, 504);
    EXPECT_EQ(known->deferred, nullptr);
    const Json status = json_literal(known->body);
    EXPECT_EQ(status.text_at({"reason"}), "Timeout");
    EXPECT_EQ(status.get("details").get("retryAfterSeconds").integer_or(0), 1);
    EXPECT_EQ(status.get("details").get("causes").items()[0].text_at({"reason"}),
              "ResourceVersionTooLarge");
  }
}

TEST_F(FutureRevisionTest, VersionsThatAreThereReturnAtOnce) {
  write("a");
  const std::string now = std::to_string(sandbox_.store.revision());
  EXPECT_EQ(sandbox_.get(kLater + "?resourceVersion=" + now).deferred, nullptr);
  EXPECT_EQ(sandbox_.get(kLater + "/none?resourceVersion=" + now).deferred, nullptr);
}

TEST_F(FutureRevisionTest, StreamingListBeginsOnceTheVersionIsThere) {
  const Reply watch = sandbox_.get(
      kLater + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&" + future());
  EXPECT_EQ(watch.code, 200);

  write("a");
  EXPECT_EQ(read(*watch.stream, 1s), "");
  write("b");

  EXPECT_EQ(read(*watch.stream, 1s), "ADDED a, ADDED b");
}

TEST_F(FutureRevisionTest, StreamingListEndsWithAnErrorAfterThreeSeconds) {
  const Reply watch = sandbox_.get(
      kLater + "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&" + future());
  const Time asked = sandbox_.clock.now();

  EXPECT_EQ(read(*watch.stream, 1min), "ERROR 504");

  EXPECT_EQ(sandbox_.clock.now() - asked, 3s);
  std::string rest;
  EXPECT_EQ(watch.stream->read(rest, 1), HttpBodyStream::State::kEnded);
}

TEST_F(FutureRevisionTest, StreamingListWaitsNoLongerThanItsTimeout) {
  const Reply watch = sandbox_.get(
      kLater +
      "?watch=1&timeoutSeconds=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&" +
      future());
  EXPECT_EQ(read(*watch.stream, 1min), "");
  std::string rest;
  EXPECT_EQ(watch.stream->read(rest, 1), HttpBodyStream::State::kEnded);
}

TEST_F(FutureRevisionTest, PlainWatchIsSilentUntilThen) {
  const Reply watch = sandbox_.get(kLater + "?watch=1&timeoutSeconds=60&" + future());
  write("a");
  write("b");
  EXPECT_EQ(read(*watch.stream, 10s), "");
  write("c");
  EXPECT_EQ(Sandbox::events(*watch.stream), "ADDED c");
}

}  // namespace
}  // namespace davit::sandbox
