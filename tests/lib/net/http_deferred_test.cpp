#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "lib/net/http_connection.hpp"
#include "tests/lib/net/http_conversation.hpp"

namespace davit {
namespace {

using testing::EndsWith;
using testing::StartsWith;
using SocketAction = HttpConnection::SocketAction;
using test::kGet;

/// Known at the third question.
class ScriptedDeferredResponse final : public HttpDeferredResponse {
 public:
  ScriptedDeferredResponse(const Time& now, HttpServerResponse response)
      : now_(now), response_(std::move(response)) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    if (++asked_ < 3) return std::nullopt;
    return std::move(response_);
  }
  [[nodiscard]] Time next_take() const override { return now_ + std::chrono::seconds(1); }

 private:
  const Time& now_;
  HttpServerResponse response_;
  int asked_ = 0;
};

class HttpDeferredTest : public test::HttpConversationTest {
 protected:
  HttpDeferredTest() {
    response_.status = 201;
    response_.body = "known";
    respond_ = [this](const HttpServerRequest&) {
      HttpServerResponse response;
      response.deferred = std::make_unique<ScriptedDeferredResponse>(now_, std::move(response_));
      return response;
    };
  }

  HttpServerResponse response_;  ///< The next request's final response.
};

TEST_F(HttpDeferredTest, ResponseThatIsNotKnownYetIsPolledAgain) {
  open();

  EXPECT_EQ(ask(kGet), "");
  EXPECT_EQ(connection_->deadline(), now_ + std::chrono::seconds(1));
  pass(std::chrono::seconds(1));
  EXPECT_EQ(sent(), "");
  pass(std::chrono::seconds(1));

  const std::string response = sent();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 201 "));
  EXPECT_THAT(response, EndsWith("known"));
  EXPECT_EQ(connection_->action(), SocketAction::kOpen);
}

TEST_F(HttpDeferredTest, DeferredResponseMayBeAStream) {
  test::Script script{.pieces = {"one", "two"}, .end = HttpBodyStream::State::kEnded};
  response_.stream = std::make_unique<test::ScriptedStream>(script);
  response_.body.clear();
  open();

  EXPECT_EQ(ask(kGet), "");
  pass(std::chrono::seconds(1));
  pass(std::chrono::seconds(1));

  EXPECT_THAT(sent(), EndsWith("\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"));
  EXPECT_EQ(connection_->action(), SocketAction::kOpen);
}

TEST_F(HttpDeferredTest, AbortedResponseResetsTheConnectionAndSendsNothing) {
  response_.aborted = true;
  open();

  EXPECT_EQ(ask(kGet), "");
  pass(std::chrono::seconds(1));
  EXPECT_EQ(connection_->action(), SocketAction::kOpen);
  pass(std::chrono::seconds(1));

  EXPECT_EQ(sent(), "");
  EXPECT_EQ(connection_->action(), SocketAction::kReset);
}

}  // namespace
}  // namespace davit
