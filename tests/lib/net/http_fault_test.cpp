#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "lib/net/http_connection.hpp"
#include "tests/lib/net/http_conversation.hpp"

namespace davit {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Fate = HttpConnection::Fate;
using test::kGet;

class HttpFaultTest : public test::HttpConversationTest {
 protected:
  void answer_with(HttpFault fault) {
    answer_ = [fault](const HttpServerRequest&) {
      HttpServerResponse response;
      response.body = "0123456789";
      response.fault = fault;
      return response;
    };
    open();
  }
};

TEST_F(HttpFaultTest, DelayedResponseComesLater) {
  answer_with({.delay = std::chrono::seconds(2)});

  EXPECT_EQ(ask(kGet), "");
  EXPECT_EQ(connection_->deadline(), now_ + std::chrono::seconds(2));
  pass(std::chrono::seconds(2));

  EXPECT_THAT(sent(), EndsWith("0123456789"));
  EXPECT_EQ(connection_->fate(), Fate::kOpen);
}

/// Known at the third question.
class ScriptedDeferredResponse final : public HttpDeferredResponse {
 public:
  explicit ScriptedDeferredResponse(const Time& now) : now_(now) {}

  [[nodiscard]] std::optional<HttpServerResponse> take() override {
    if (++asked_ < 3) return std::nullopt;
    HttpServerResponse response;
    response.status = 201;
    response.body = "known";
    return response;
  }
  [[nodiscard]] Time next_take() const override { return now_ + std::chrono::seconds(1); }

 private:
  const Time& now_;
  int asked_ = 0;
};

TEST_F(HttpFaultTest, ResponseThatIsNotKnownYetIsPolledAgain) {
  answer_ = [this](const HttpServerRequest&) {
    HttpServerResponse response;
    response.deferred = std::make_unique<ScriptedDeferredResponse>(now_);
    return response;
  };
  open();

  EXPECT_EQ(ask(kGet), "");
  EXPECT_EQ(connection_->deadline(), now_ + std::chrono::seconds(1));
  pass(std::chrono::seconds(1));
  EXPECT_EQ(sent(), "");
  pass(std::chrono::seconds(1));

  const std::string answer = sent();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 201 "));
  EXPECT_THAT(answer, EndsWith("known"));
  EXPECT_EQ(connection_->fate(), Fate::kOpen);
}

TEST_F(HttpFaultTest, FaultCountsForTheDeferredResponse) {
  answer_ = [this](const HttpServerRequest&) {
    HttpServerResponse response;
    response.deferred = std::make_unique<ScriptedDeferredResponse>(now_);
    response.fault.cut_after = 2;
    return response;
  };
  open();

  EXPECT_EQ(ask(kGet), "");
  pass(std::chrono::seconds(1));
  pass(std::chrono::seconds(1));

  EXPECT_THAT(sent(), EndsWith("\r\n\r\nkn"));
  EXPECT_EQ(connection_->fate(), Fate::kClose);
}

TEST_F(HttpFaultTest, CutResponsePromisesMoreThanItSends) {
  answer_with({.cut_after = 4});

  const std::string answer = ask(kGet);

  EXPECT_THAT(answer, HasSubstr("Content-Length: 10\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n0123"));
  EXPECT_EQ(connection_->fate(), Fate::kClose);
}

TEST_F(HttpFaultTest, ResetSendsNothing) {
  answer_with({.reset = true});

  EXPECT_EQ(ask(kGet), "");
  EXPECT_EQ(connection_->fate(), Fate::kReset);
}

TEST_F(HttpFaultTest, ResetBeforeTheBodySendsNoHeadEither) {
  answer_with({.cut_after = 0, .reset = true});

  EXPECT_EQ(ask(kGet), "");
  EXPECT_EQ(connection_->fate(), Fate::kReset);
}

TEST_F(HttpFaultTest, ResetMayComeWithinTheBody) {
  answer_with({.cut_after = 3, .reset = true});

  EXPECT_THAT(ask(kGet), EndsWith("\r\n\r\n012"));
  EXPECT_EQ(connection_->fate(), Fate::kReset);
}

TEST_F(HttpFaultTest, TricklingResponseComesInPortions) {
  answer_with({.bytes_per_second = 50});

  std::string all = ask(kGet);
  EXPECT_EQ(all.size(), 5U);
  EXPECT_EQ(connection_->deadline(), now_ + std::chrono::milliseconds(100));
  for (int i = 0; i < 50 && !all.ends_with("0123456789"); ++i) {
    pass(std::chrono::milliseconds(100));
    all += sent();
  }

  EXPECT_THAT(all, EndsWith("\r\n\r\n0123456789"));
}

}  // namespace
}  // namespace davit
