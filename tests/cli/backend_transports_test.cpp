#include "cli/backend_transports.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "lib/base/silent_log_sink.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

constexpr int kBackends = 64;

class BackendTransportsTest : public ::testing::Test {
 protected:
  std::shared_ptr<Transport> connect(int port) {
    const sandbox::BackendServer server{"https://127.0.0.1:" + std::to_string(port), "", ""};
    Result<std::shared_ptr<Transport>> made = transports_.connect(server);
    return made ? *made : nullptr;
  }

  test::FakeClock clock_;
  SilentLogSink log_;
  BackendTransports transports_{clock_, Logger(log_)};
};

TEST_F(BackendTransportsTest, TheBackendThatWasUsedLongestAgoIsForgotten) {
  std::vector<std::weak_ptr<Transport>> made;
  for (int port = 1; port <= kBackends; ++port) made.push_back(connect(port));
  ASSERT_NE(connect(1), nullptr);

  ASSERT_NE(connect(kBackends + 1), nullptr);

  EXPECT_FALSE(made[0].expired());
  EXPECT_TRUE(made[1].expired());
}

TEST_F(BackendTransportsTest, ABackendThatIsBeingCalledIsNotForgotten) {
  std::vector<std::shared_ptr<Transport>> called;
  for (int port = 1; port <= kBackends; ++port) called.push_back(connect(port));

  EXPECT_EQ(connect(kBackends + 1), nullptr);

  called.pop_back();
  EXPECT_NE(connect(kBackends + 1), nullptr);
}

}  // namespace
}  // namespace davit::host
