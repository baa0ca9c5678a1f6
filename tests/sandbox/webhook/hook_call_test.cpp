#include "sandbox/webhook/hook_call.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_transport.hpp"

namespace davit::sandbox {
namespace {

class OneTransport final : public HookConnector {
 public:
  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(const HookServer&) override {
    return std::shared_ptr<Transport>(std::shared_ptr<void>(), &transport);
  }
  test::FakeTransport transport;
};

HookRequest request() {
  HookRequest out = request_to_url(json_literal(R"({"url":"https://hook.io:9443/a"})"));
  out.body = "{}";
  return out;
}

TEST(HookCallTest, TheUrlNamesServerAndPath) {
  const HookRequest with_path = request();
  EXPECT_EQ(with_path.server.url, "https://hook.io:9443");
  EXPECT_EQ(with_path.path, "/a");
  EXPECT_EQ(request_to_url(json_literal(R"({"url":"https://hook.io"})")).path, "");
}

TEST(HookCallTest, ARequestIsAPostWithItsTimeout) {
  OneTransport hooks;
  hooks.transport.respond({.status = 201, .body = "yes"});
  test::FakeClock clock;

  const std::vector<HookReply> replies = call_hooks(hooks, clock, {request()}, {});

  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].status, 201);
  EXPECT_EQ(replies[0].body, "yes");
  EXPECT_EQ(replies[0].error, "");
  const HttpRequest sent = hooks.transport.requests().front();
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(sent.target, "/a?timeout=10s");
  EXPECT_EQ(sent.timeout, std::chrono::seconds(10));
}

TEST(HookCallTest, BrokenConnectionsAreNamedAsGoNamesThem) {
  const std::vector<std::pair<Break, std::string>> kCases = {
      {Break::kRefused, "dial tcp hook.io:9443: connect: connection refused"},
      {Break::kReset, "EOF"},
      {Break::kTimeout, "context deadline exceeded"},
      {Break::kResolve, "dial tcp: lookup hook.io: no such host"},
  };
  for (const auto& [kind, why] : kCases) {
    OneTransport hooks;
    hooks.transport.respond(test::broken(kind));
    test::FakeClock clock;
    EXPECT_EQ(call_hooks(hooks, clock, {request()}, {}).front().error,
              R"(Post "https://hook.io:9443/a?timeout=10s": )" + why);
  }
}

TEST(HookCallTest, AnEndlessResponseIsCutOff) {
  OneTransport hooks;
  hooks.transport.respond({.status = 200, .body = std::string((8U << 20U) + 1, 'x')});
  test::FakeClock clock;

  const HookReply reply = call_hooks(hooks, clock, {request()}, {}).front();

  EXPECT_EQ(reply.error,
            R"(Post "https://hook.io:9443/a?timeout=10s": the response is larger than 8 MiB)");
}

TEST(HookCallTest, AStopEndsTheWait) {
  OneTransport hooks;
  hooks.transport.respond(test::open_response(200));
  test::FakeClock clock;
  std::stop_source stop;
  stop.request_stop();

  const HookReply reply = call_hooks(hooks, clock, {request()}, stop.get_token()).front();

  EXPECT_EQ(reply.error, R"(Post "https://hook.io:9443/a?timeout=10s": context canceled)");
}

TEST(HookCallTest, ALargeRequestMayHaveALargerResponse) {
  OneTransport hooks;
  hooks.transport.respond({.status = 200, .body = std::string(12U << 20U, 'x')});
  test::FakeClock clock;
  HookRequest large = request();
  large.body = std::string(3U << 20U, 'x');

  const HookReply reply = call_hooks(hooks, clock, {large}, {}).front();

  EXPECT_EQ(reply.error, "");
  EXPECT_EQ(reply.body.size(), 12U << 20U);
}

}  // namespace
}  // namespace davit::sandbox
