/// "davit.waker/1": keys from threads that have no call, also when their controller is gone.
#include "host/plugin/waker.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::ElementsAre;

class WakerTest : public ControllerHostTest {
 protected:
  ~WakerTest() override { table_->release(waker_); }

  /// A controller at work, and a waker of its queue.
  void start() {
    start_with([this] { queue_ = open_queue(); });
    commit();
    run();
    waker_ = open();
  }
  davit_waker* open() {
    return inside(Phase::kHandler, [this] {
      davit_waker* made = nullptr;
      EXPECT_EQ(table_->open(current_call, queue_, &made), DAVIT_OK);
      return made;
    });
  }
  /// From a thread of the plugin's own.
  davit_code wake(std::string_view key) {
    davit_code code = DAVIT_INTERNAL;
    std::jthread([&] { code = table_->wake(waker_, str(key)); }).join();
    return code;
  }

  const davit_waker_v1* table_ = Tables::get<davit_waker_v1>("davit.waker/1");
  davit_handle queue_ = 0;
  davit_waker* waker_ = nullptr;
};

TEST_F(WakerTest, ThreadWithoutACallAddsKeys) {
  start();
  EXPECT_EQ(wake("default/a"), DAVIT_OK);
  EXPECT_THAT(synced_.await(1), ElementsAre("default/a"));
}

TEST_F(WakerTest, WakerDoesNothingWhenItsControllerHasEnded) {
  start();
  table_->retain(waker_);
  host_.reset();
  EXPECT_EQ(wake("default/a"), DAVIT_STALE);
  table_->release(waker_);
  EXPECT_EQ(wake("default/a"), DAVIT_STALE) << "there is another reference";
}

TEST_F(WakerTest, ThreadsMayWakeWhileTheControllerEnds) {
  start();
  std::atomic<bool> has_ended = false;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      table_->retain(waker_);
      threads.emplace_back([&] {
        while (table_->wake(waker_, str("default/a")) == DAVIT_OK) std::this_thread::yield();
        EXPECT_TRUE(has_ended);
        table_->release(waker_);
      });
    }
    synced_.await(10);
    has_ended = true;
    host_.reset();
  }
  EXPECT_EQ(wake("default/a"), DAVIT_STALE);
}

TEST_F(WakerTest, KeysGoToTheBuildThatTookOver) {
  start();
  const std::unique_ptr<ControllerHost> old = std::move(host_);
  start_with([this] { queue_ = open_queue(); });
  commit();
  ASSERT_TRUE(old->drain(clock_.now()));
  (void)host_->hand_over().take_over(old->hand_over());
  EXPECT_EQ(wake("default/a"), DAVIT_OK);
  run();
  EXPECT_THAT(synced_.await(1), ElementsAre("default/a"));
  ASSERT_TRUE(old->stop({Time::max(), Time::max()}));
}

TEST_F(WakerTest, QueueThatTheControllerLacksHasNoWaker) {
  start();
  inside(Phase::kSync, [this] {
    davit_waker* made = waker_;
    EXPECT_EQ(table_->open(current_call, queue_ + 1, &made), DAVIT_STALE);
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(table_->open(current_call, 0, &made), DAVIT_STALE);
    EXPECT_EQ(table_->open(current_call, queue_, nullptr), DAVIT_MISUSE);
  });
  davit_waker* made = nullptr;
  EXPECT_EQ(table_->open(nullptr, queue_, &made), DAVIT_MISUSE);
}

TEST_F(WakerTest, NoWakerIsRefused) {
  EXPECT_EQ(table_->wake(nullptr, str("a")), DAVIT_MISUSE);
  table_->retain(nullptr);
  table_->release(nullptr);
}

}  // namespace
}  // namespace davit::host
