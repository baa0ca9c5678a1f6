// Requests for other protocols, as UpgradeAwareHandler of apimachinery/pkg/util/proxy sends them.
#include "sandbox/aggregation/upgrade.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/net/http_tunnel.hpp"
#include "tests/sandbox/aggregation/aggregated.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kExec =
    "/apis/tools.example.com/v1/namespaces/default/hammers/a/exec?command=ls";
const HttpHeaders kUpgradeHeaders = {{"Connection", "keep-alive, Upgrade"},
                                     {"Upgrade", "SPDY/3.1"},
                                     {"X-Stream-Protocol-Version", "v4.channel.k8s.io"}};
constexpr const char* kSwitch =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n";

/// A request for another protocol, and the server's side of it.
struct Exec {
  Exec() { world.serve_group(); }

  void send(HttpHeaders headers = kUpgradeHeaders) {
    response = world.ask(kExec, std::move(headers), "POST");
    if (!world.backends.wires.empty()) wire = world.backends.wires.back();
  }
  /// The response, once the server has sent `text`.
  [[nodiscard]] HttpServerResponse after(const std::string& text, bool ends = false) {
    wire->reply += text;
    wire->server_ended = ends;
    std::optional<HttpServerResponse> taken = response.deferred->take();
    return taken ? std::move(*taken) : HttpServerResponse();
  }

  Aggregated world;
  HttpServerResponse response;
  std::shared_ptr<FakeWire> wire;
};

TEST(UpgradeTest, TheServerGetsTheRequestAsItIsWithoutCredentials) {
  Exec exec;
  HttpHeaders headers = kUpgradeHeaders;
  headers.insert(headers.end(), {{"Authorization", "Bearer secret"},
                                 {"X-Remote-User", "root"},
                                 {"Impersonate-User", "ann"},
                                 {"Impersonate-Group", "system:masters"},
                                 {"X-Forwarded-For", "192.0.2.1"}});
  exec.send(headers);

  ASSERT_NE(exec.wire, nullptr);
  const std::string& sent = exec.wire->sent;
  EXPECT_THAT(sent,
              StartsWith(std::string("POST ") + kExec + " HTTP/1.1\r\nHost: localhost:9443\r\n"));
  EXPECT_THAT(sent, HasSubstr("Connection: keep-alive, Upgrade\r\nUpgrade: SPDY/3.1\r\n"));
  EXPECT_THAT(sent, HasSubstr("X-Stream-Protocol-Version: v4.channel.k8s.io\r\n"));
  EXPECT_THAT(sent, HasSubstr("X-Remote-User: ann\r\n"));
  EXPECT_THAT(sent, HasSubstr("X-Forwarded-For: 192.0.2.1\r\n"));
  EXPECT_THAT(sent, Not(HasSubstr("secret")));
  EXPECT_THAT(sent, Not(HasSubstr("root")));
  EXPECT_THAT(sent, Not(HasSubstr("Impersonate")));
  EXPECT_EQ(exec.world.backends.servers.back().server_name, "tools.default.svc");
}

TEST(UpgradeTest, BytesPassInBothDirections) {
  Exec exec;
  exec.send();
  const HttpServerResponse got = exec.after(std::string(kSwitch) + "early");
  ASSERT_EQ(got.status, 101);
  auto* const tunnel = dynamic_cast<HttpTunnel*>(got.stream.get());
  ASSERT_NE(tunnel, nullptr);
  EXPECT_EQ(got.headers, (HttpHeaders{{"connection", "Upgrade"}, {"upgrade", "SPDY/3.1"}}));
  int notified = 0;
  tunnel->on_ready([&] { ++notified; });

  std::string text;
  EXPECT_EQ(tunnel->read(text, 100), HttpBodyStream::State::kOpen);
  EXPECT_EQ(text, "early");
  exec.wire->sent.clear();
  tunnel->receive("ls\n");
  EXPECT_EQ(exec.wire->sent, "ls\n");
  exec.wire->ready();
  EXPECT_EQ(notified, 1);
  EXPECT_TRUE(tunnel->wants_input());
  exec.wire->is_full = true;
  EXPECT_FALSE(tunnel->wants_input());

  tunnel->receive_end();
  EXPECT_TRUE(exec.wire->client_ended);
  exec.wire->server_ended = true;
  EXPECT_EQ(tunnel->read(text, 100), HttpBodyStream::State::kEnded);
}

TEST(UpgradeTest, AClientThatLeavesClosesTheConnection) {
  Exec exec;
  exec.send();
  {
    const HttpServerResponse got = exec.after(kSwitch);
    EXPECT_FALSE(exec.wire->closed);
  }
  EXPECT_TRUE(exec.wire->closed);
}

TEST(UpgradeTest, AnErrorOfTheServerIsPassedOn) {
  Exec exec;
  exec.send();
  const HttpServerResponse got = exec.after(
      "HTTP/1.1 403 Forbidden\r\nContent-Type: text/tea\r\nX-Pot: 1\r\nContent-Length: "
      "2\r\n\r\nno");
  EXPECT_EQ(got.status, 403);
  EXPECT_EQ(got.body, "no");
  EXPECT_EQ(got.content_type, "text/tea");
  EXPECT_EQ(got.headers, (HttpHeaders{{"x-pot", "1"}}));
  EXPECT_EQ(got.stream, nullptr);
}

TEST(UpgradeTest, AServerThatDoesNotSwitchIsAnError) {
  Exec exec;
  exec.send();
  const HttpServerResponse got = exec.after("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  EXPECT_EQ(got.status, 503);
  EXPECT_EQ(got.body, "invalid upgrade response: status code 200\n");
}

TEST(UpgradeTest, AServerThatBreaksOffIsAnError) {
  Exec refused;
  refused.send();
  refused.wire->fault = "connection refused";
  EXPECT_EQ(refused.after("", true).body, "error dialing backend: connection refused\n");

  Exec cut;
  cut.send();
  EXPECT_THAT(cut.after("HTTP/1.1 101 Swi", true).body, HasSubstr("before its response"));

  Exec garbage;
  garbage.send();
  EXPECT_EQ(garbage.after("SSH-2.0\r\n\r\n").status, 503);
}

TEST(UpgradeTest, AServerThatSaysNothingIsGivenUp) {
  Exec exec;
  exec.send();
  exec.world.sandbox.clock.advance(seconds(59));
  EXPECT_FALSE(exec.response.deferred->take().has_value());
  exec.world.sandbox.clock.advance(seconds(2));
  const std::optional<HttpServerResponse> late = exec.response.deferred->take();
  ASSERT_TRUE(late.has_value());
  EXPECT_EQ(late->status, 503);
}

TEST(UpgradeTest, ConnectionsHaveALimitOfTheirOwn) {
  Exec exec;
  std::vector<HttpServerResponse> open;
  constexpr std::size_t kMax = 64;
  for (std::size_t i = 0; i < kMax; ++i) {
    exec.send();
    ASSERT_NE(exec.response.deferred, nullptr);
    open.push_back(std::move(exec.response));
  }
  exec.send();
  EXPECT_EQ(exec.response.status, 429);
  EXPECT_EQ(exec.world.ask(kHammers).status, 200);
  open.pop_back();
  exec.send();
  EXPECT_NE(exec.response.deferred, nullptr);
}

TEST(UpgradeTest, OnlyTheHeaderConnectionAsksForAnotherProtocol) {
  HttpServerRequest request;
  request.headers = {{"Upgrade", "websocket"}};
  EXPECT_FALSE(is_upgrade(request));
  request.headers.emplace_back("connection", "close");
  EXPECT_FALSE(is_upgrade(request));
  request.headers.emplace_back("CONNECTION", "UPGRADE");
  EXPECT_TRUE(is_upgrade(request));
}

}  // namespace
}  // namespace davit::sandbox
