#include "host/run/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "lib/base/clock.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kWorkers = 2;
/// Far beyond what anything here takes; only a failure waits for it.
constexpr seconds kTimeout{60};

/// The system's clock, which counts how often somebody begins to wait.
class WaitCountingClock final : public Clock {
 public:
  [[nodiscard]] Time now() const override { return real_->now(); }
  [[nodiscard]] WallTime wall_now() const override { return real_->wall_now(); }
  void wait_until(CondVar& cond, Mutex& mutex, Time deadline) override REQUIRES(mutex) {
    ++waits_;
    waits_.notify_all();
    const bool has_deadline = deadline != Time::max();
    do {
      real_->wait_until(cond, mutex, deadline);
    } while (!has_deadline && others_sleep_);
    if (has_deadline) others_sleep_ = false;
  }

  [[nodiscard]] int waits() const { return waits_; }
  /// Until one of them has woken. Who of several gets a notification is for the system to say.
  void wake_only_those_with_a_deadline() { others_sleep_ = true; }
  void await_waits(int count) const {
    for (int now = waits_; now < count; now = waits_) waits_.wait(now);
  }

 private:
  const std::unique_ptr<Clock> real_ = make_system_clock();
  std::atomic<int> waits_ = 0;
  std::atomic<bool> others_sleep_ = false;
};

class WorkerPoolTest : public testing::Test {
 protected:
  ~WorkerPoolTest() override { queue_.shut_down(); }

  void add(const std::string& key) { queue_.add(key, clock_.now()); }

  /// Has every worker started and waiting for keys.
  void start_all() {
    pool_.open();
    for (std::size_t i = 0; i < kWorkers; ++i) add("start-" + std::to_string(i));
    clock_.await_waits(kWorkers);
  }

  WaitCountingClock clock_;
  /// The keys that start the workers end together, so that none of them takes two.
  std::atomic<std::size_t> started_ = 0;
  std::function<void(const std::string& key)> run_ = [](const std::string&) {};
  WorkQueue queue_{{.on_change = [this] { pool_.wake(); }}};
  WorkerPool pool_{kWorkers, queue_, clock_,
                   [this](const WorkQueue::Lease& lease, const std::stop_token&) {
                     if (lease.key().rfind("start-", 0) != 0) return run_(lease.key());
                     ++started_;
                     started_.notify_all();
                     for (std::size_t now = started_; now < kWorkers; now = started_) {
                       started_.wait(now);
                     }
                   }};
};

TEST_F(WorkerPoolTest, OneKeyWakesOneWorker) {
  constexpr int kKeys = 200;
  std::atomic<int> ran = 0;
  run_ = [&](const std::string&) {
    ++ran;
    ran.notify_all();
  };
  start_all();
  const int before = clock_.waits();
  for (int i = 1; i <= kKeys; ++i) {
    add("key");
    for (int now = ran; now < i; now = ran) ran.wait(now);
    clock_.await_waits(before + i);  // The worker waits again.
  }
  ASSERT_TRUE(pool_.wait_idle(clock_.now() + kTimeout));
  // Twice as many when each key also wakes a worker that finds nothing. Some wake-ups are spurious.
  EXPECT_LT(clock_.waits() - before, kKeys * 3 / 2);
}

TEST_F(WorkerPoolTest, KeysThatWaitedForAResumeRunTogether) {
  std::atomic<std::size_t> running = 0;
  std::promise<void> all_run;
  run_ = [&](const std::string&) {
    if (++running == kWorkers) all_run.set_value();
    running.notify_all();
    for (std::size_t now = running; now < kWorkers; now = running) running.wait(now);
  };
  start_all();
  queue_.pause();
  for (std::size_t i = 0; i < kWorkers; ++i) {
    const int before = clock_.waits();
    add("key-" + std::to_string(i));
    clock_.await_waits(before + 1);  // Woken for nothing, and waits again.
  }
  queue_.resume();  // One change, for all of them.
  EXPECT_EQ(all_run.get_future().wait_for(kTimeout), std::future_status::ready);
  running = kWorkers;
  running.notify_all();
  EXPECT_TRUE(pool_.wait_idle(clock_.now() + kTimeout)) << "the keys use what stands here";
}

TEST_F(WorkerPoolTest, ADelayedKeyIsTakenInTimeAfterTheWorkerThatAwaitedItTookAnother) {
  std::promise<void> late;
  std::promise<void> ended;
  std::atomic<bool> began = false;
  run_ = [&](const std::string& key) {
    if (key == "late") return late.set_value();
    began = true;
    EXPECT_EQ(late.get_future().wait_for(kTimeout), std::future_status::ready);
    ended.set_value();
  };
  start_all();
  queue_.add_after("late", milliseconds(100), clock_.now());
  clock_.await_waits(kWorkers + 1);
  clock_.wake_only_those_with_a_deadline();
  add("long");
  while (!began) pool_.wake();
  ended.get_future().wait();
  EXPECT_TRUE(pool_.wait_idle(clock_.now() + kTimeout)) << "the keys use what stands here";
}

}  // namespace
}  // namespace davit::host
