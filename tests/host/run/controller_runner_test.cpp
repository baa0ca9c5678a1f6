#include "host/run/controller_runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/host/run/runner_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

constexpr Duration kSyncLimit = RunnerOptions{}.sync_limit;

TEST_F(ControllerRunnerTest, KeysWaitForCachesAndLeadership) {
  ControllerRunner runner(options(), &deltas_, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue(noting()));
  keys.add("default/web");

  runner.start();
  runner.begin_syncing();
  EXPECT_EQ(runner.waiting(), 1U) << "the caches are not filled";
  deltas_.fill();

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
}

TEST_F(ControllerRunnerTest, SyncedCachesAndStartedWorkersAreLoggedAtTheDefaultVerbosity) {
  ControllerRunner runner(options(), &deltas_, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue(noting()));
  keys.add("default/web");
  runner.start();
  deltas_.fill();
  ASSERT_TRUE(runner.wait_caches(Time::max()));
  EXPECT_EQ(sink_.count("I0 "), 1u);
  EXPECT_EQ(sink_.count("Caches are synced"), 1u);

  runner.begin_syncing();

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
  EXPECT_EQ(sink_.count("I0 "), 2u);
  EXPECT_EQ(sink_.count("Started workers"), 1u);
}

TEST_F(ControllerRunnerTest, StandbySyncsNothingUntilItLeads) {
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue(noting()));
  keys.add("default/web");

  runner.start();
  EXPECT_TRUE(runner.caches_ready());
  EXPECT_EQ(runner.waiting(), 1U);
  EXPECT_FALSE(metrics_.running());
  runner.begin_syncing();

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
  EXPECT_TRUE(metrics_.running());
}

TEST_F(ControllerRunnerTest, WorkersRunDifferentKeysAtOnce) {
  test::Collector<std::string> inside;
  test::Door door;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue(
      [&](std::string_view key, const std::stop_token&) {
        inside.push(std::string(key));
        door.pass();
        return SyncOutcome{};
      },
      3));
  runner.start();
  runner.begin_syncing();

  for (const char* key : {"a", "b", "c"}) keys.add(key);

  EXPECT_THAT(inside.await(3), UnorderedElementsAre("a", "b", "c"));
  door.open();
  EXPECT_TRUE(runner.stop(patiently()));
}

TEST_F(ControllerRunnerTest, FailedKeyComesAgainWithBackOff) {
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue(noting(42)));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");

  synced_.await(1);
  clock_.await_deadline(clock_.now() + milliseconds(5));
  EXPECT_EQ(keys.failures("default/web"), 1U);
  clock_.advance(milliseconds(5));
  synced_.await(2);
  clock_.await_deadline(clock_.now() + milliseconds(10));

  EXPECT_EQ(keys.failures("default/web"), 2U);
  EXPECT_EQ(sink_.count("E web-controller: Sync failed err=unknown code 42 key=default/web"), 2U);
}

TEST_F(ControllerRunnerTest, ConflictIsRetriedQuietly) {
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue(noting(DAVIT_CONFLICT)));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");

  synced_.await(1);
  clock_.await_deadline(clock_.now() + milliseconds(5));

  EXPECT_EQ(keys.failures("default/web"), 1U);
  EXPECT_EQ(sink_.count("I2 web-controller: Sync failed with a conflict"), 1U);
  EXPECT_EQ(sink_.count("E "), 0U);
}

TEST_F(ControllerRunnerTest, KeyIsDroppedAfterItsLastRetry) {
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueueOptions limited = queue(noting(DAVIT_INVALID));
  limited.retries_max = 1;
  ControllerQueue& keys = runner.open_queue(std::move(limited));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");

  synced_.await(1);
  clock_.await_deadline(clock_.now() + milliseconds(5));
  clock_.advance(milliseconds(5));
  synced_.await(2);
  EXPECT_TRUE(runner.pause(patiently()));

  EXPECT_EQ(sink_.count("dropping the key err=Invalid key=default/web failures=2"), 1U);
  EXPECT_EQ(keys.failures("default/web"), 0U);
}

TEST_F(ControllerRunnerTest, SuccessfulKeyComesAgainWhenItAskedFor) {
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys =
      runner.open_queue(queue([this](std::string_view key, const std::stop_token&) {
        synced_.push(std::string(key));
        return SyncOutcome{DAVIT_OK, seconds(30), ""};
      }));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");

  synced_.await(1);
  clock_.await_deadline(clock_.now() + seconds(30));
  clock_.advance(seconds(30));

  EXPECT_THAT(synced_.await(2), ElementsAre("default/web", "default/web"));
}

TEST_F(ControllerRunnerTest, KeyIsHeldBackUntilItsWritesAreSeen) {
  bool behind = true;  // Used by the one worker and, while that waits, by the test.
  test::Collector<std::string> asked;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueueOptions gated = queue(noting());
  gated.gate = [&](std::string_view key) -> std::optional<Time> {
    asked.push(std::string(key));
    return std::exchange(behind, false) ? std::optional(clock_.now() + seconds(30)) : std::nullopt;
  };
  ControllerQueue& keys = runner.open_queue(std::move(gated));
  runner.start();
  runner.begin_syncing();

  keys.add(QueueKey("default/web", "shard"));
  asked.await(1);
  EXPECT_TRUE(runner.pause(patiently()));
  runner.resume();
  EXPECT_THAT(synced_.entries(), ElementsAre());
  keys.caught_up("default/web");

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
  EXPECT_EQ(keys.failures("default/web"), 0U);
}

TEST_F(ControllerRunnerTest, HeldBackKeyIsAskedForAgainAtItsDeadline) {
  test::Collector<std::string> asked;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueueOptions gated = queue(noting());
  gated.gate = [&](std::string_view key) -> std::optional<Time> {
    asked.push(std::string(key));
    return asked.entries().size() < 2 ? std::optional(clock_.now() + seconds(30)) : std::nullopt;
  };
  ControllerQueue& keys = runner.open_queue(std::move(gated));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");
  asked.await(1);
  EXPECT_TRUE(runner.pause(patiently()));
  runner.resume();

  clock_.advance(seconds(29));
  runner.report();
  EXPECT_EQ(asked.entries().size(), 1U);
  clock_.advance(seconds(1));
  runner.report();

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
}

TEST_F(ControllerRunnerTest, TimerFiresAfterItsFirstTimeAndThenPeriodically) {
  test::Collector<Duration> fired;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  const Time start = clock_.now();
  const TimerId timer =
      runner.timers().start({.first = seconds(1),
                             .period = seconds(10),
                             .fire = [&](const std::stop_token&, std::uint32_t) -> SyncOutcome {
                               fired.push(clock_.now() - start);
                               return {};
                             }});
  clock_.advance(seconds(5));
  runner.start();
  runner.begin_syncing();

  clock_.await_deadline(clock_.now() + seconds(1));
  clock_.advance(seconds(1));
  fired.await(1);
  clock_.await_deadline(clock_.now() + seconds(10));
  clock_.advance(seconds(10));

  EXPECT_THAT(fired.await(2), ElementsAre(seconds(6), seconds(16)));
  EXPECT_TRUE(runner.timers().stop(timer).ok());
  EXPECT_EQ(runner.timers().stop(timer).code(), Code::kNotFound);
}

TEST_F(ControllerRunnerTest, FailingTimerFiresAgainWithBackOffUpToItsPeriod) {
  test::Collector<std::uint32_t> fired;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  (void)runner.timers().start({.first = {},
                               .period = seconds(3),
                               .fire = [&](const std::stop_token&, std::uint32_t failures) {
                                 fired.push(failures);
                                 return SyncOutcome{
                                     .code = failures < 3 ? DAVIT_CONFLICT : DAVIT_OK, .error = {}};
                               }});
  runner.start();
  runner.begin_syncing();
  std::size_t runs = 1;
  fired.await(runs);
  for (const Duration pause : {seconds(1), seconds(2), seconds(3), seconds(3)}) {
    clock_.await_deadline(clock_.now() + pause);
    clock_.advance(pause);
    fired.await(++runs);
  }
  EXPECT_THAT(fired.entries(), ElementsAre(0, 1, 2, 3, 0));
}

TEST_F(ControllerRunnerTest, TimerWithoutAPeriodFiresUntilItSucceeds) {
  test::Collector<std::uint32_t> fired;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  const TimerId timer =
      runner.timers().start({.fire = [&](const std::stop_token&, std::uint32_t failures) {
        fired.push(failures);
        return SyncOutcome{.code = failures == 0 ? DAVIT_INTERNAL : DAVIT_OK, .error = {}};
      }});
  runner.start();
  runner.begin_syncing();
  fired.await(1);
  clock_.await_deadline(clock_.now() + seconds(1));
  clock_.advance(seconds(1));
  fired.await(2);
  ASSERT_TRUE(runner.stop({Time::max(), Time::max()}));
  EXPECT_EQ(runner.timers().stop(timer).code(), Code::kNotFound);
}

TEST_F(ControllerRunnerTest, TimeThatATimerAsksForReplacesItsPeriod) {
  test::Collector<Duration> fired;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  const Time start = clock_.now();
  (void)runner.timers().start(
      {.first = {}, .period = seconds(10), .fire = [&](const std::stop_token&, std::uint32_t) {
         fired.push(clock_.now() - start);
         return SyncOutcome{.again = seconds(2), .error = {}};
       }});
  runner.start();
  runner.begin_syncing();
  fired.await(1);
  clock_.await_deadline(clock_.now() + seconds(2));
  clock_.advance(seconds(2));
  EXPECT_THAT(fired.await(2), ElementsAre(seconds(0), seconds(2)));
}

TEST_F(ControllerRunnerTest, KeyThatKeepsItsBackOffIsStillCountedAsFailed) {
  test::Collector<std::uint32_t> synced;
  ControllerQueue* keys = nullptr;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueueOptions queue;
  queue.sync = [&](std::string_view key, const std::stop_token&) {
    const std::uint32_t failures = keys->failures(key);
    synced.push(failures);
    SyncOutcome outcome;
    if (failures == 0) outcome.code = DAVIT_CONFLICT;
    outcome.again = seconds(3);
    outcome.backoff = synced.entries().size() < 3 ? BackOff::kKeep : BackOff::kEnd;
    return outcome;
  };
  keys = &runner.open_queue(std::move(queue));
  keys->add(QueueKey("a", {}));
  runner.start();
  runner.begin_syncing();
  synced.await(1);
  clock_.await_deadline(clock_.now() + std::chrono::milliseconds(5));
  clock_.advance(std::chrono::milliseconds(5));
  synced.await(2);
  for (std::size_t runs = 3; runs <= 4; ++runs) {
    clock_.await_deadline(clock_.now() + seconds(3));
    clock_.advance(seconds(3));
    synced.await(runs);
  }
  EXPECT_THAT(synced.entries(), ElementsAre(0, 1, 1, 0));
}

TEST_F(ControllerRunnerTest, WithoutThreadsItsOwnerTakesEachStep) {
  using Work = ControllerRunner::Work;
  RunnerOptions made = options();
  made.threads = Threads::kNone;
  ControllerRunner runner(std::move(made), &deltas_, metrics_, clock_, Logger(sink_));
  std::vector<std::string> done;
  ControllerQueue& keys = runner.open_queue(queue([&](std::string_view key, const auto&) {
    done.emplace_back(key);
    return SyncOutcome{.code = DAVIT_OK, .again = seconds(3), .error = {}};
  }));
  (void)runner.timers().start(
      {.first = seconds(2), .fire = [&](const std::stop_token&, std::uint32_t) -> SyncOutcome {
         done.emplace_back("timer");
         return {};
       }});
  runner.start();
  runner.begin_syncing();
  deltas_.change([&] { keys.add("default/web"); });
  EXPECT_FALSE(runner.step(Work::kSync)) << "the caches are not filled";
  deltas_.fill();

  EXPECT_TRUE(runner.step(Work::kChange));
  EXPECT_FALSE(runner.step(Work::kChange));
  EXPECT_TRUE(runner.step(Work::kSync));
  EXPECT_FALSE(runner.step(Work::kSync));
  EXPECT_FALSE(runner.step(Work::kTimer));
  EXPECT_EQ(runner.next_due(), clock_.now() + seconds(2));
  clock_.advance(seconds(2));
  EXPECT_TRUE(runner.step(Work::kTimer));
  EXPECT_EQ(runner.next_due(), clock_.now() + seconds(1));

  EXPECT_THAT(done, ElementsAre("default/web", "timer"));
  EXPECT_TRUE(runner.stop(at_once()));
}

TEST_F(ControllerRunnerTest, StoppedTimerDoesNotFire) {
  test::Collector<int> fired;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  runner.start();
  runner.begin_syncing();
  const TimerId timer = runner.timers().start(
      {.first = seconds(1), .fire = [&](const std::stop_token&, std::uint32_t) -> SyncOutcome {
         fired.push(1);
         return {};
       }});
  const TimerId other = runner.timers().start(
      {.first = seconds(2), .fire = [&](const std::stop_token&, std::uint32_t) -> SyncOutcome {
         fired.push(2);
         return {};
       }});
  ASSERT_TRUE(runner.timers().stop(timer).ok());

  clock_.await_deadline(clock_.now() + seconds(1));
  clock_.advance(seconds(1));
  clock_.await_deadline(clock_.now() + seconds(1));
  clock_.advance(seconds(1));

  EXPECT_THAT(fired.await(1), ElementsAre(2));
  EXPECT_TRUE(runner.pause(patiently()));
  EXPECT_EQ(runner.timers().stop(other).code(), Code::kNotFound) << "it was to fire once";
}

TEST_F(ControllerRunnerTest, SyncThatDoesNotEndIsReportedOnce) {
  test::Door door;
  test::Collector<std::string> inside;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys =
      runner.open_queue(queue([&](std::string_view key, const std::stop_token&) {
        inside.push(std::string(key));
        door.pass();
        return SyncOutcome{};
      }));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");
  inside.await(1);
  clock_.advance(seconds(59));
  runner.report();
  EXPECT_TRUE(runner.overdue(kSyncLimit).ok());
  EXPECT_EQ(metrics_.longest("web"), seconds(59));

  clock_.advance(seconds(1));
  runner.report();
  runner.report();

  EXPECT_THAT(runner.overdue(kSyncLimit).message(),
              HasSubstr("sync default/web has been running for 60 s"));
  EXPECT_EQ(metrics_.overdue(), 1U);
  EXPECT_EQ(sink_.count("E web-controller: Sync has not returned key=default/web"), 1U);
  door.open();
  EXPECT_TRUE(runner.pause(patiently()));
  runner.report();
  EXPECT_TRUE(runner.overdue(kSyncLimit).ok());
  EXPECT_EQ(metrics_.overdue(), 0U);
  EXPECT_EQ(metrics_.longest("web"), seconds(0));
}

TEST_F(ControllerRunnerTest, HandlerThatDoesNotEndIsReportedOnce) {
  test::Door door;
  test::Collector<std::string> inside;
  ControllerRunner runner(options(), &deltas_, metrics_, clock_, Logger(sink_));
  runner.start();
  deltas_.change([&] {
    inside.push("handler");
    door.pass();
  });
  inside.await(1);
  clock_.advance(seconds(59));
  EXPECT_TRUE(runner.overdue(kSyncLimit).ok());

  clock_.advance(seconds(1));
  runner.report();
  runner.report();

  EXPECT_THAT(runner.overdue(kSyncLimit).message(),
              HasSubstr("on_event has been running for 60 s"));
  EXPECT_EQ(metrics_.overdue(), 1U);
  EXPECT_EQ(sink_.count("E web-controller: Handler has not returned"), 1U);
  door.open();
  deltas_.change([&] { inside.push("next"); });
  inside.await(2);
  EXPECT_TRUE(runner.stop(patiently()));
  EXPECT_TRUE(runner.overdue(kSyncLimit).ok());
}

TEST_F(ControllerRunnerTest, PauseKeepsKeysForResume) {
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue(noting()));
  runner.start();
  runner.begin_syncing();
  EXPECT_TRUE(runner.pause(at_once()));

  keys.add("default/web");
  EXPECT_EQ(runner.waiting(), 1U);
  EXPECT_THAT(synced_.entries(), ElementsAre());
  runner.resume();

  EXPECT_THAT(synced_.await(1), ElementsAre("default/web"));
}

TEST_F(ControllerRunnerTest, SyncWhoseRequestWasHeldBackIsNotAFailureWhateverItSays) {
  test::Collector<bool> synced;
  test::Door paused;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue([&](std::string_view, std::stop_token) {
    const bool first = synced.entries().empty();
    synced.push(first);
    if (!first) return SyncOutcome{};
    paused.pass();
    return SyncOutcome{DAVIT_INTERNAL, {}, "creating pods: held back", true};
  }));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");
  synced.await(1);
  EXPECT_FALSE(runner.pause({Time::max(), Time::min()}));
  paused.open();
  EXPECT_TRUE(runner.pause({Time::max(), Time::max()}));
  runner.resume();

  EXPECT_THAT(synced.await(2), ElementsAre(true, false));
  EXPECT_EQ(keys.failures("default/web"), 0U);
  EXPECT_EQ(sink_.count("Sync failed"), 0U);
}

TEST_F(ControllerRunnerTest, CancelledSyncIsRunAgainAfterThePause) {
  test::Collector<bool> cancelled;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue([&](std::string_view, std::stop_token stop) {
    const bool first = cancelled.entries().empty();
    cancelled.push(stop.stop_requested());
    if (!first) return SyncOutcome{};
    test::Door stopped;
    const std::stop_callback open(stop, [&] { stopped.open(); });
    stopped.pass();
    return SyncOutcome{DAVIT_CANCELLED, {}, ""};
  }));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");
  cancelled.await(1);

  EXPECT_TRUE(runner.pause({clock_.now(), Time::max()}));
  runner.resume();

  EXPECT_THAT(cancelled.await(2), ElementsAre(false, false)) << "the second run has a new token";
  EXPECT_EQ(keys.failures("default/web"), 0U);
  EXPECT_EQ(sink_.count("Sync failed"), 0U);
}

TEST_F(ControllerRunnerTest, StopGivesUpOnASyncThatDoesNotEnd) {
  test::Door door;
  test::Collector<std::string> inside;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys =
      runner.open_queue(queue([&](std::string_view key, const std::stop_token&) {
        inside.push(std::string(key));
        door.pass();
        return SyncOutcome{};
      }));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");
  inside.await(1);

  EXPECT_FALSE(runner.stop(at_once()));
  door.open();

  EXPECT_TRUE(runner.stop(patiently()));
  EXPECT_FALSE(metrics_.running());
}

TEST_F(ControllerRunnerTest, StopEndsTheDispatcherAndDropsWhatWaits) {
  ControllerRunner runner(options(), &deltas_, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue(noting()));
  runner.start();
  keys.add("default/web");

  EXPECT_TRUE(runner.stop(patiently()));
  runner.begin_syncing();
  keys.add("default/late");

  EXPECT_EQ(runner.waiting(), 0U);
  EXPECT_THAT(synced_.entries(), ElementsAre());
}

TEST_F(ControllerRunnerTest, BreadcrumbNamesControllerAndKeyDuringASync) {
  test::Collector<std::string> crumbs;
  ControllerRunner runner(options(), nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue([&](std::string_view, const std::stop_token&) {
    const Breadcrumb* crumb = current_breadcrumb();
    crumbs.push(std::string(crumb->controller) + " " + std::string(crumb->activity) + " " +
                std::string(crumb->key));
    return SyncOutcome{};
  }));
  runner.start();
  runner.begin_syncing();
  keys.add("default/web");

  EXPECT_THAT(crumbs.await(1), ElementsAre("web-controller sync default/web"));
  EXPECT_EQ(current_breadcrumb(), nullptr);
}

}  // namespace
}  // namespace davit::host
