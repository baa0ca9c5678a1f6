// Connections that change their protocol.
#include "lib/net/http_tunnel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/lib/net/http_conversation.hpp"

namespace davit {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using SocketAction = HttpConnection::SocketAction;

constexpr const char* kUpgrade =
    "GET /exec HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: words\r\n\r\n";

/// The program behind a tunnel.
struct Program {
  std::string output;  ///< Not yet read.
  std::string input;   ///< All that it got.
  bool ends = false;   ///< After its output.
  bool takes = true;   ///< Whether it wants input.
  bool knows_end = false;
};

class ScriptedTunnel final : public HttpTunnel {
 public:
  explicit ScriptedTunnel(Program& program) : program_(program) {}

  [[nodiscard]] State read(std::string& out, std::size_t) override {
    out += std::exchange(program_.output, "");
    return program_.ends ? State::kEnded : State::kOpen;
  }
  void on_ready(std::function<void()>) override {}
  [[nodiscard]] Time next_read() const override { return Time::max(); }
  void receive(std::string_view bytes) override { program_.input += bytes; }
  [[nodiscard]] bool wants_input() const override { return program_.takes; }
  void receive_end() override { program_.knows_end = true; }

 private:
  Program& program_;
};

class HttpTunnelTest : public test::HttpConversationTest {
 protected:
  HttpTunnelTest() {
    respond_ = [this](const HttpServerRequest&) {
      HttpServerResponse response;
      response.status = 101;
      response.headers = {{"Connection", "Upgrade"}, {"Upgrade", "words"}};
      response.stream = std::make_unique<ScriptedTunnel>(program_);
      return response;
    };
    open();
  }
  /// The program's output after a wake.
  std::string woken() {
    connection_->wake();
    return sent();
  }

  Program program_;
};

TEST_F(HttpTunnelTest, BytesPassInBothDirections) {
  program_.output = "hello";

  EXPECT_EQ(ask(std::string(kUpgrade) + "early"),
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: words\r\n\r\n"
            "hello");
  EXPECT_EQ(program_.input, "early") << "it came with the request";

  EXPECT_EQ(ask("GET / HTTP/1.1\r\n\r\n"), "") << "these are no requests any more";
  EXPECT_EQ(program_.input, "earlyGET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(requests_.size(), 1U);
  program_.output = "0\r\n\r\n";
  EXPECT_EQ(woken(), "0\r\n\r\n");
  EXPECT_EQ(connection_->action(), SocketAction::kOpen);
}

TEST_F(HttpTunnelTest, ItsEndIsThatOfTheConnection) {
  static_cast<void>(ask(kUpgrade));
  program_.output = "last";
  program_.ends = true;

  EXPECT_EQ(woken(), "last");
  EXPECT_EQ(connection_->action(), SocketAction::kHalfClose) << "so that the client reads it";
  pass(std::chrono::seconds(1));
  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

TEST_F(HttpTunnelTest, WhatTheClientSentBeforeItsEndIsPassedOn) {
  program_.takes = false;
  static_cast<void>(ask(std::string(kUpgrade) + "last words"));
  EXPECT_EQ(program_.input, "");
  EXPECT_FALSE(connection_->wants_input()) << "the client waits in TCP";
  connection_->receive_end();
  EXPECT_EQ(sent(), "");
  EXPECT_FALSE(program_.knows_end);

  program_.takes = true;
  EXPECT_EQ(woken(), "");
  EXPECT_EQ(program_.input, "last words");
  EXPECT_TRUE(program_.knows_end);
  EXPECT_EQ(connection_->action(), SocketAction::kOpen) << "the program has not ended yet";

  program_.ends = true;
  EXPECT_EQ(woken(), "");
  EXPECT_EQ(connection_->action(), SocketAction::kHalfClose);
}

TEST_F(HttpTunnelTest, AClientMayPauseForLong) {
  static_cast<void>(ask(kUpgrade));
  program_.output = "text";
  connection_->wake();
  EXPECT_EQ(connection_->output(now_), "text");

  pass(std::chrono::hours(1));

  EXPECT_EQ(connection_->action(), SocketAction::kOpen);
  EXPECT_EQ(connection_->deadline(), Time::max());
}

TEST_F(HttpTunnelTest, AServerThatStopsCloses) {
  static_cast<void>(ask(kUpgrade));
  connection_->drain();
  EXPECT_EQ(connection_->action(), SocketAction::kClose);
}

TEST_F(HttpTunnelTest, AnotherStreamIsNoTunnel) {
  test::Script script;
  respond_ = [&script](const HttpServerRequest&) {
    HttpServerResponse response;
    response.status = 101;
    response.stream = std::make_unique<test::ScriptedStream>(script);
    return response;
  };
  open();

  EXPECT_THAT(ask(kUpgrade), StartsWith("HTTP/1.1 500 "));
}

TEST_F(HttpTunnelTest, HandlersSeeTheAddressOfTheClient) {
  connection_->set_client("192.0.2.7");
  static_cast<void>(ask("GET / HTTP/1.1\r\nHost: x\r\nx-forwarded-for: 192.0.2.1\r\n\r\n"));
  EXPECT_EQ(requests_.back().header("X-Forwarded-For"), "192.0.2.1, 192.0.2.7");
}

}  // namespace
}  // namespace davit
