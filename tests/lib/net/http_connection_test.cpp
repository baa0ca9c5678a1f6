#include "lib/net/http_connection.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/lib/net/http_conversation.hpp"

namespace davit {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using SocketAction = HttpConnection::SocketAction;
using test::kGet;
using test::kStart;
using test::Script;

using HttpConnectionTest = test::HttpConversationTest;

TEST_F(HttpConnectionTest, RequestReadsTheSameHoweverItIsCut) {
  const std::string wire =
      "POST /b?c=d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: t\r\n\r\n";
  for (std::size_t size = 1; size <= wire.size(); ++size) {
    open();
    requests_.clear();

    for (std::size_t at = 0; at < wire.size(); at += size) {
      connection_->receive(std::string_view(wire).substr(at, size), now_);
    }

    ASSERT_EQ(requests_.size(), 1U) << size;
    EXPECT_EQ(requests_[0].body, "abcde") << size;
    EXPECT_THAT(sent(), EndsWith("\r\n\r\n/b?c=d")) << size;
  }
}

TEST_F(HttpConnectionTest, TrailersAreNotHeaders) {
  open();

  const std::string response =
      ask("POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
          "1\r\na\r\n0\r\nAuthorization: Bearer t\r\nConnection: close\r\n\r\n");

  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_THAT(requests_[0].headers, testing::SizeIs(2)) << "Host and Transfer-Encoding";
  EXPECT_THAT(response, Not(HasSubstr("Connection: close")));
}

TEST_F(HttpConnectionTest, EndlessHeadIsRefused) {
  options_.header_bytes_max = 1000;
  open();

  EXPECT_THAT(ask("GET / HTTP/1.1\r\nX: " + std::string(2000, 'x')), StartsWith("HTTP/1.1 431 "));
}

TEST_F(HttpConnectionTest, LimitOfAHeadHoldsHoweverItIsCut) {
  options_.header_bytes_max = 100;
  // Neither the first line nor the rest is beyond the limit by itself.
  const std::string head = "GET /" + std::string(60, 'p') +
                           " HTTP/1.1\r\nHost: x\r\nX: " + std::string(60, 'x') + "\r\n\r\n";

  for (std::size_t size = 1; size <= head.size(); ++size) {
    open();
    for (std::size_t at = 0; at < head.size(); at += size) {
      connection_->receive(std::string_view(head).substr(at, size), now_);
    }
    EXPECT_THAT(sent(), StartsWith("HTTP/1.1 431 ")) << size;
  }
}

TEST_F(HttpConnectionTest, EndlessChunkExtensionIsRefused) {
  options_.header_bytes_max = 1000;
  open();

  EXPECT_THAT(ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" +
                  std::string(3000, 'x')),
              StartsWith("HTTP/1.1 4"));
}

TEST_F(HttpConnectionTest, LargeBodyIsReportedToTheHandlerBeforeItIsRead) {
  options_.large_body = LargeBody::kPassToHandler;
  options_.body_bytes_max = 10;
  open();

  const std::string response =
      ask("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n");

  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_TRUE(requests_[0].body_too_large);
  EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(response, HasSubstr("Connection: close\r\n"));
}

TEST_F(HttpConnectionTest, ChunksThatBecomeTooManyAreReportedToTheHandler) {
  options_.large_body = LargeBody::kPassToHandler;
  options_.body_bytes_max = 10;
  open();

  ask("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "8\r\n12345678\r\n8\r\n12345678\r\n");

  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_TRUE(requests_[0].body_too_large);
  EXPECT_EQ(requests_[0].body, "");
}

TEST_F(HttpConnectionTest, ClientThatWaitsGetsAContinue) {
  open();

  EXPECT_EQ(ask("POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"),
            "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_THAT(ask("ok"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(requests_.at(0).body, "ok");
}

TEST_F(HttpConnectionTest, OldVersionGetsAResponseAndIsClosed) {
  open();

  EXPECT_THAT(ask("GET /a HTTP/1.0\r\n\r\n"), HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(connection_->action(), SocketAction::kHalfClose);
}

TEST_F(HttpConnectionTest, AbsoluteTargetIsItsPath) {
  open();

  ask("GET http://host:1/a?b HTTP/1.1\r\nHost: x\r\n\r\n");

  EXPECT_EQ(requests_.at(0).target, "/a?b");
}

TEST_F(HttpConnectionTest, NothingInAHeaderEndsIt) {
  respond_ = [](const HttpServerRequest&) {
    HttpServerResponse response;
    response.headers = {{"Warning", "299 - \"a\r\nX-Evil: b\""}};
    return response;
  };
  open();

  EXPECT_THAT(ask(kGet), HasSubstr("Warning: 299 - \"a  X-Evil: b\"\r\n"));
}

TEST_F(HttpConnectionTest, StreamIsSentAsItComes) {
  Script script{.pieces = {"one\n"}};
  stream(script);

  EXPECT_THAT(ask(kGet), EndsWith("Transfer-Encoding: chunked\r\n\r\n4\r\none\n\r\n"));
  EXPECT_EQ(connection_->deadline(), Time::max());

  script.pieces = {"two\n", "three\n"};
  script.ready();
  EXPECT_EQ(wakes_, 1);
  connection_->wake();
  EXPECT_EQ(sent(), "4\r\ntwo\n\r\n6\r\nthree\n\r\n");

  script.end = HttpBodyStream::State::kEnded;
  connection_->wake();
  EXPECT_EQ(sent(), "0\r\n\r\n");
  EXPECT_THAT(ask(kGet), StartsWith("HTTP/1.1 200 OK\r\n")) << "the connection is kept";
}

TEST_F(HttpConnectionTest, HeadOfASilentStreamIsSentAtOnce) {
  Script script;
  stream(script);

  EXPECT_THAT(ask(kGet), EndsWith("Transfer-Encoding: chunked\r\n\r\n"));
}

TEST_F(HttpConnectionTest, StreamIsReadWhenItsTimeComes) {
  Script script{.next = kStart + std::chrono::seconds(5)};
  stream(script);
  ask(kGet);
  EXPECT_EQ(connection_->deadline(), script.next);

  script.pieces = {"bookmark"};
  pass(std::chrono::seconds(5));
  script.next = Time::max();

  EXPECT_EQ(sent(), "8\r\nbookmark\r\n");
}

TEST_F(HttpConnectionTest, SlowClientHoldsOnePieceOnly) {
  Script script{.pieces = {"one", "two"}};
  stream(script);
  connection_->receive(kGet, now_);

  EXPECT_THAT(connection_->output(now_), EndsWith("\r\n\r\n"));
  EXPECT_EQ(connection_->output(now_), "") << "not before the first has left";
  EXPECT_EQ(script.pieces.size(), 2U);

  pass(options_.request_time);
  EXPECT_EQ(connection_->action(), SocketAction::kClose) << "he does not read at all";
}

TEST_F(HttpConnectionTest, CutStreamEndsWithoutItsLastChunk) {
  Script script{.pieces = {"one"}, .end = HttpBodyStream::State::kCut};
  stream(script);

  EXPECT_THAT(ask(kGet), EndsWith("3\r\none\r\n"));
  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

TEST_F(HttpConnectionTest, ClientThatLeavesEndsItsStream) {
  Script script;
  stream(script);
  ask(kGet);

  connection_->receive_end();

  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

TEST_F(HttpConnectionTest, ClientThatHalfClosesGetsItsResponse) {
  open();
  connection_->receive(kGet, now_);
  connection_->receive_end();

  EXPECT_THAT(sent(), EndsWith("/a"));
  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

TEST_F(HttpConnectionTest, OldClientsStreamEndsWithTheConnection) {
  Script script{.pieces = {"one"}, .end = HttpBodyStream::State::kEnded};
  stream(script);

  const std::string response = ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");

  EXPECT_THAT(response, EndsWith("Connection: close\r\n\r\none"));
  EXPECT_EQ(connection_->action(), SocketAction::kHalfClose);
}

TEST_F(HttpConnectionTest, DrainedStreamEndsProperly) {
  Script script;
  stream(script);
  ask(kGet);

  connection_->drain();

  EXPECT_EQ(sent(), "0\r\n\r\n");
  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

TEST_F(HttpConnectionTest, IdleConnectionIsClosedInTheEnd) {
  open();
  EXPECT_THAT(ask(kGet), Not(IsEmpty()));

  pass(options_.idle_time - std::chrono::seconds(1));
  EXPECT_EQ(connection_->action(), SocketAction::kOpen);
  pass(std::chrono::seconds(1));

  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

TEST_F(HttpConnectionTest, RequestThatTricklesInIsCutOff) {
  open();
  connection_->receive("GET / HTTP/1.1\r\n", now_);
  for (int i = 0; i < 31; ++i) {
    pass(std::chrono::seconds(1));
    connection_->receive("X: y\r\n", now_);
  }
  EXPECT_EQ(connection_->action(), SocketAction::kOpen);

  pass(std::chrono::seconds(1));

  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

}  // namespace
}  // namespace davit
