/// "davit.queue/1" and "davit.timer/1".
#include "tests/host/plugin/controller_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

class HostWorkTest : public ControllerHostTest {
 protected:
  /// After its first sync the key that was added is synced again after 5, 10 and 20 ms, and waits
  /// for 40.
  void await_growing_back_off() {
    std::size_t synced = 1;
    synced_.await(synced);
    for (const int wait : {5, 10, 20}) {
      clock_.await_deadline(clock_.now() + milliseconds(wait));
      clock_.advance(milliseconds(wait));
      synced_.await(++synced);
    }
    clock_.await_deadline(clock_.now() + milliseconds(40));
  }

  /// The options of a queue whose sync() reports where it runs and waits until the test lets it go.
  davit_queue_options waiting_queue() {
    davit_queue_options options{};
    options.size = sizeof(options);
    options.self = this;
    options.sync = [](void* self, const davit_call*, davit_str key, davit_sync_result*) {
      auto* test = static_cast<HostWorkTest*>(self);
      test->begun_.push(std::string(view(key)));
      test->door_.pass();
      return davit_code{DAVIT_OK};
    };
    return options;
  }
  /// The options of a timer that notes each run.
  davit_timer_options noting_timer(std::uint64_t first_ms, std::uint64_t period_ms) {
    davit_timer_options options{};
    options.size = sizeof(options);
    options.first_ms = first_ms;
    options.period_ms = period_ms;
    options.self = this;
    options.fire = [](void* self, const davit_call* call, davit_sync_result*) {
      auto* test = static_cast<HostWorkTest*>(self);
      const CallFrame* frame = CallFrame::find(call).frame;
      test->begun_.push(frame != nullptr && frame->phase() == Phase::kTimer ? "fired" : "lost");
      return davit_code{DAVIT_OK};
    };
    return options;
  }
  /// Notes a run, and asks for another one with back-off.
  static davit_code fire_with_backoff(void* self, const davit_call*, davit_sync_result* result) {
    static_cast<HostWorkTest*>(self)->begun_.push("fired");
    result->backoff = DAVIT_BACKOFF_RETRY;
    return DAVIT_OK;
  }
  davit_handle start_timer(const davit_timer_options& options) {
    return inside(Phase::kHandler, [&] {
      davit_handle out = 0;
      EXPECT_EQ(tables_.timer->start(current_call, &options, &out), DAVIT_OK);
      return out;
    });
  }
  davit_code stop_timer(davit_handle timer) {
    return inside(Phase::kHandler, [&] { return tables_.timer->stop(current_call, timer); });
  }

  test::Collector<std::string> begun_;
  test::Door door_;
};

TEST_F(HostWorkTest, KeysOfInitWaitUntilTheCachesAreFilled) {
  start_with([&] {
    open_informer("", "pods");
    const davit_handle queue = open_queue();
    EXPECT_EQ(tables_.queue->add(current_call, queue, str("default/web")), DAVIT_OK);
  });
  ASSERT_TRUE(host_->commit().ok());
  ASSERT_TRUE(informers_.informers()[0]->prepare().ok());
  run();
  EXPECT_EQ(host_->runner().waiting(), 1U);
  EXPECT_FALSE(host_->runner().caches_ready());
  EXPECT_TRUE(synced_.entries().empty());

  send(0, list_json("10", {}));

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
  EXPECT_TRUE(host_->runner().caches_ready());
}

TEST_F(HostWorkTest, StandbySyncsNothing) {
  davit_handle queue = 0;
  start_with([&] { queue = open_queue(); });
  commit();
  host_->start();
  EXPECT_EQ(add(queue, "default/web"), DAVIT_OK);
  EXPECT_EQ(host_->runner().waiting(), 1U);

  host_->lead();

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
}

// Issue 11, 1.3: a standby that won began with what its caches held.
TEST_F(HostWorkTest, HostThatWinsSyncsWhenItsCachesAreKnownToBeAsNew) {
  davit_handle queue = 0;
  start_with([&] {
    open_informer("", "pods");
    queue = open_queue();
  });
  commit({list_json("10", {})});
  host_->start();
  EXPECT_EQ(add(queue, "default/web"), DAVIT_OK);

  host_->lead(clock_.now());
  EXPECT_EQ(host_->runner().waiting(), 1U);
  send(0, "");  // A watch that ends as soon as it begins.
  EXPECT_EQ(host_->runner().waiting(), 1U);
  send(0, list_json("12", {}));

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
}

TEST_F(HostWorkTest, HostThatWinsSyncsNothingFromTheCachesOfBefore) {
  using Work = ControllerRunner::Work;
  ControllerHostOptions stepped = options();
  stepped.threads = Threads::kNone;
  make(std::move(stepped));
  davit_handle queue = 0;
  start_with([&] {
    open_informer("", "pods");
    queue = open_queue();
  });
  commit({list_json("10", {})});
  host_->start();
  EXPECT_EQ(add(queue, "default/web"), DAVIT_OK);
  while (host_->runner().step(Work::kChange)) {
  }

  host_->lead(clock_.now());

  EXPECT_FALSE(host_->runner().step(Work::kSync));
}

TEST_F(HostWorkTest, StaleAndForeignHandlesAreRefused) {
  davit_handle queue = 0;
  start_with([&] { queue = open_queue(); });
  const davit_handle timer = start_timer(noting_timer(1, 1));
  for (const davit_handle each : {davit_handle{0}, queue + 1, timer}) {
    EXPECT_EQ(add(each, "a"), DAVIT_STALE);
  }
  EXPECT_EQ(stop_timer(queue), DAVIT_STALE);
  EXPECT_EQ(stop_timer(timer), DAVIT_OK);
  EXPECT_EQ(stop_timer(timer), DAVIT_STALE);
}

TEST_F(HostWorkTest, DelayedAndRateLimitedKeysWaitForTheirTime) {
  davit_handle queue = 0;
  start_with([&] { queue = open_queue(); });
  commit();
  run();
  inside(Phase::kHandler, [&] {
    const davit_call* const host = current_call;
    EXPECT_EQ(tables_.queue->add_after(host, queue, str("later"), 1000), DAVIT_OK);
    EXPECT_EQ(tables_.queue->add_after(host, queue, str("never"), ~0ULL), DAVIT_OK)
        << "no overflow into the past";
    EXPECT_EQ(tables_.queue->add_rate_limited(host, queue, str("limited")), DAVIT_OK);
    EXPECT_EQ(tables_.queue->failures(host, queue, str("limited")), 1u);
    EXPECT_EQ(tables_.queue->failures(host, 99, str("limited")), 0u);
    EXPECT_EQ(tables_.queue->forget(host, queue, str("limited")), DAVIT_OK);
    EXPECT_EQ(tables_.queue->failures(host, queue, str("limited")), 0u);
  });
  clock_.await_deadline(clock_.now() + milliseconds(5));
  clock_.advance(milliseconds(5));
  EXPECT_THAT(synced_.await(1), ElementsAre("limited"));
  clock_.await_deadline(clock_.now() + milliseconds(995));
  clock_.advance(milliseconds(995));
  EXPECT_THAT(synced_.await(2), ElementsAre("limited", "later"));
}

TEST_F(HostWorkTest, SuccessMayAskForTheBackOffOfAFailure) {
  davit_handle queue = 0;
  start_with([&] {
    queue = open_queue([](davit_str, davit_sync_result& result) {
      result.backoff = DAVIT_BACKOFF_RETRY;
      return davit_code{DAVIT_OK};
    });
  });
  commit();
  run();
  add(queue, "a");
  await_growing_back_off();
  EXPECT_EQ(inside(Phase::kHandler,
                   [&] { return tables_.queue->failures(current_call, queue, str("a")); }),
            4U);
  EXPECT_EQ(log_.count("Sync failed"), 0U) << "it is no failure";
}

TEST_F(HostWorkTest, BackOffThatASyncGivesItsOwnKeyOutlivesItsSuccess) {
  davit_handle queue = 0;
  start_with([&] {
    queue = open_queue([&](davit_str key, davit_sync_result&) {
      return tables_.queue->add_rate_limited(current_call, queue, key);
    });
  });
  commit();
  run();
  add(queue, "a");
  await_growing_back_off();
}

TEST_F(HostWorkTest, UnknownBackOffIsAMistake) {
  davit_handle queue = 0;
  start_with([&] {
    queue = open_queue([](davit_str, davit_sync_result& result) {
      result.backoff = DAVIT_BACKOFF_RETRY + 1;
      return davit_code{DAVIT_OK};
    });
  });
  commit();
  run();
  add(queue, "a");
  clock_.await_deadline(clock_.now() + milliseconds(5));
  EXPECT_EQ(log_.count("unknown back-off 3"), 1U);
}

TEST_F(HostWorkTest, TimerThatAsksForABackOffFiresAgainWithIt) {
  davit_timer_options once = noting_timer(0, 0);
  once.fire = fire_with_backoff;
  start_with([] {});
  commit();
  run();
  const davit_handle timer = start_timer(once);
  std::size_t fired = 1;
  begun_.await(fired);
  for (const int wait : {1, 2}) {
    clock_.await_deadline(clock_.now() + seconds(wait));
    clock_.advance(seconds(wait));
    begun_.await(++fired);
  }
  clock_.await_deadline(clock_.now() + seconds(4));
  EXPECT_EQ(log_.count("A timer failed"), 0U);
  EXPECT_EQ(stop_timer(timer), DAVIT_OK) << "a timer of one run that has not ended";
}

TEST_F(HostWorkTest, OneShardRunsOneKeyAtATime) {
  davit_handle queue = 0;
  davit_queue_options options = waiting_queue();
  options.workers = 3;
  start_with([&] {
    ASSERT_EQ(tables_.queue->open(current_call, &options, &queue), DAVIT_OK);
    tables_.queue->add_sharded(current_call, queue, str("a"), str("s"));
    tables_.queue->add_sharded(current_call, queue, str("b"), str("s"));
    tables_.queue->add(current_call, queue, str("c"));
  });
  commit();
  run();

  EXPECT_THAT(begun_.await(2), ::testing::UnorderedElementsAre("a", "c"));
  door_.open();
  EXPECT_EQ(begun_.await(3)[2], "b");
}

TEST_F(HostWorkTest, QueuesOwnNumberOfWorkersWinsOverTheOperators) {
  ControllerHostOptions many = options();
  many.workers = 5;
  make(std::move(many));
  davit_handle single = 0;
  davit_handle several = 0;
  start_with([&] {
    davit_queue_options options = waiting_queue();
    ASSERT_EQ(tables_.queue->open(current_call, &options, &several), DAVIT_OK);
    options.workers = 1;
    ASSERT_EQ(tables_.queue->open(current_call, &options, &single), DAVIT_OK);
  });
  commit();
  run();
  for (const char* key : {"x", "y"}) EXPECT_EQ(add(single, key), DAVIT_OK);
  EXPECT_THAT(begun_.await(1), ElementsAre("x"));
  for (const char* key : {"1", "2", "3", "4", "5"}) EXPECT_EQ(add(several, key), DAVIT_OK);

  const auto begun = begun_.await(6);
  EXPECT_THAT(begun, ::testing::Not(::testing::Contains("y")));
  door_.open();
  begun_.await(7);
}

TEST_F(HostWorkTest, PluginOfAShorterStructOpensAQueueWithDefaults) {
  start_with([&] {
    davit_queue_options options = waiting_queue();
    options.size = offsetof(davit_queue_options, sync);
    davit_handle out = 0;
    EXPECT_EQ(tables_.queue->open(current_call, &options, &out), DAVIT_MISUSE)
        << "its sync is beyond `size`";
    options.size = sizeof(options) + 64;
    EXPECT_EQ(tables_.queue->open(current_call, &options, &out), DAVIT_OK);
  });
}

TEST_F(HostWorkTest, PeriodicTimerFiresAgainAndAgainUntilStopped) {
  start_with([] {});
  const davit_handle timer = start_timer(noting_timer(1000, 2000));
  commit();
  run();
  clock_.await_deadline(clock_.now() + seconds(1));
  clock_.advance(seconds(1));
  EXPECT_THAT(begun_.await(1), ElementsAre("fired"));
  clock_.await_deadline(clock_.now() + seconds(2));
  clock_.advance(seconds(2));
  EXPECT_THAT(begun_.await(2), ElementsAre("fired", "fired"));

  EXPECT_EQ(stop_timer(timer), DAVIT_OK);
  EXPECT_EQ(stop_timer(timer), DAVIT_STALE);
}

TEST_F(HostWorkTest, TimerThatFiredItsOnlyTimeIsGone) {
  start_with([] {});
  davit_timer_options options = noting_timer(0, 0);
  const davit_handle once = start_timer(options);
  commit();
  run();
  begun_.await(1);
  // The handle goes after fire() returned: wait for the workers.
  ASSERT_TRUE(host_->stop({Time::max(), Time::max()}));

  EXPECT_EQ(host_->abi().work.timers(), 0u);
  EXPECT_EQ(stop_timer(once), DAVIT_STALE);
}

TEST_F(HostWorkTest, ThrowingTimerIsLoggedAndFiresAgain) {
  start_with([] {});
  davit_timer_options options = noting_timer(0, 1000);
  options.self = &begun_;
  options.fire = [](void* self, const davit_call*, davit_sync_result*) -> davit_code {
    static_cast<test::Collector<std::string>*>(self)->push("fired");
    throw std::runtime_error("no luck");
  };
  start_timer(options);
  commit();
  run();
  begun_.await(1);
  clock_.await_deadline(clock_.now() + seconds(1));
  clock_.advance(seconds(1));
  begun_.await(2);

  EXPECT_GE(log_.count("E sample-controller: A timer failed err=the plugin threw an exception: "
                       "no luck"),
            1u);
}

}  // namespace
}  // namespace davit::host
