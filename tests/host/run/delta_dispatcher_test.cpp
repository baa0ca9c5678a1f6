#include "host/run/delta_dispatcher.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <queue>
#include <string>

#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;

/// Changes that a test puts in; it never waits.
class ListedDeltas final : public DeltaSource {
 public:
  bool wait(std::stop_token) override { return !changes.empty(); }
  void deliver() override {
    const std::function<void()> handler = std::move(changes.front());
    changes.pop();
    handler();
  }
  [[nodiscard]] bool ready() const override { return is_ready; }

  std::queue<std::function<void()>> changes;
  bool is_ready = false;
};

class DeltaDispatcherTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  ListedDeltas deltas_;
  int times_ready_ = 0;
  Breadcrumb crumb_{.plugin = "web",
                    .build_id = {},
                    .controller = "web-controller",
                    .activity = "on_event",
                    .key = {}};
  DeltaDispatcher dispatcher_{deltas_, crumb_, clock_, [this] { ++times_ready_; }};
};

TEST_F(DeltaDispatcherTest, AStepCallsOneHandler) {
  std::string heard;
  deltas_.changes.push([&] { heard += "a"; });
  deltas_.changes.push([&] { heard += "b"; });

  EXPECT_TRUE(dispatcher_.step({}));
  EXPECT_EQ(heard, "a");
  EXPECT_TRUE(dispatcher_.step({}));
  EXPECT_EQ(heard, "ab");
  EXPECT_FALSE(dispatcher_.step({}));
}

TEST_F(DeltaDispatcherTest, OnReadyIsCalledOnceBeforeTheNextChange) {
  EXPECT_FALSE(dispatcher_.step({}));
  EXPECT_EQ(times_ready_, 0);
  deltas_.is_ready = true;
  int before = 0;
  deltas_.changes.push([&] { before = times_ready_; });

  EXPECT_TRUE(dispatcher_.step({}));
  EXPECT_FALSE(dispatcher_.step({}));

  EXPECT_EQ(before, 1);
  EXPECT_EQ(times_ready_, 1);
}

TEST_F(DeltaDispatcherTest, ACrashInAHandlerIsAttributedToItsController) {
  std::string controller;
  deltas_.changes.push([&] { controller = current_breadcrumb()->controller; });

  (void)dispatcher_.step({});

  EXPECT_EQ(controller, "web-controller");
  EXPECT_EQ(current_breadcrumb(), nullptr);
}

TEST_F(DeltaDispatcherTest, AHandlerIsOverdueAtItsLimitAndNewlySoOnce) {
  deltas_.changes.push([this] {
    clock_.advance(seconds(59));
    EXPECT_FALSE(dispatcher_.overdue(seconds(60)));
    EXPECT_FALSE(dispatcher_.newly_overdue(seconds(60)));
    clock_.advance(seconds(1));
    EXPECT_EQ(dispatcher_.overdue(seconds(60)), seconds(60));
    EXPECT_EQ(dispatcher_.newly_overdue(seconds(60)), seconds(60));
    EXPECT_FALSE(dispatcher_.newly_overdue(seconds(60)));
  });
  deltas_.changes.push([this] {
    clock_.advance(seconds(60));
    EXPECT_TRUE(dispatcher_.newly_overdue(seconds(60))) << "another call";
  });

  (void)dispatcher_.step({});
  EXPECT_FALSE(dispatcher_.overdue(seconds(0))) << "no handler runs";
  EXPECT_TRUE(dispatcher_.step({}));
}

TEST_F(DeltaDispatcherTest, OneThatWasNotStartedHasStopped) {
  dispatcher_.request_stop();

  EXPECT_TRUE(dispatcher_.wait_stopped(clock_.now()));
}

}  // namespace
}  // namespace davit::host
