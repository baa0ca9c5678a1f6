#include "cli/hook_transports.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "lib/base/silent_log_sink.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

constexpr int kServers = 64;

sandbox::HookServer server_at(int port) {
  return {"https://127.0.0.1:" + std::to_string(port), "", ""};
}

class HookTransportsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Transport> connect(int port) {
    Result<std::shared_ptr<Transport>> made = transports_.connect(server_at(port));
    return made ? *made : nullptr;
  }

  test::FakeClock clock_;
  SilentLogSink log_;
  HookTransports transports_{clock_, Logger(log_)};
};

TEST_F(HookTransportsTest, AServerKeepsItsTransport) {
  const std::shared_ptr<Transport> first = connect(1);

  EXPECT_EQ(connect(1), first);
  EXPECT_NE(connect(2), first);
}

TEST_F(HookTransportsTest, TheServerThatWasUsedLongestAgoIsForgotten) {
  std::vector<std::weak_ptr<Transport>> made;
  for (int port = 1; port <= kServers; ++port) made.push_back(connect(port));
  ASSERT_NE(connect(1), nullptr);

  ASSERT_NE(connect(kServers + 1), nullptr);

  EXPECT_FALSE(made[0].expired());
  EXPECT_TRUE(made[1].expired());
  EXPECT_FALSE(made[2].expired());
}

TEST_F(HookTransportsTest, AServerThatIsBeingCalledIsNotForgotten) {
  std::vector<std::shared_ptr<Transport>> called;
  for (int port = 1; port <= kServers; ++port) called.push_back(connect(port));

  EXPECT_EQ(connect(kServers + 1), nullptr);

  called.pop_back();
  EXPECT_NE(connect(kServers + 1), nullptr);
}

}  // namespace
}  // namespace davit::host
