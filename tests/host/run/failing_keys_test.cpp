#include "host/run/failing_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "host/run/controller_runner.hpp"
#include "tests/host/run/runner_fixture.hpp"

namespace davit::host {
namespace {

using ::testing::EndsWith;
using ::testing::SizeIs;

constexpr std::size_t kShown = FailingList::kShownMax;

WallTime at(std::size_t second) { return WallTime{} + std::chrono::seconds(second); }
std::string key(std::size_t number) { return "default/web-" + std::to_string(1000 + number); }

TEST(FailingKeysTest, ThoseThatFailLongestAreShownAndTheOthersCounted) {
  FailingKeys keys;
  for (std::size_t i = 0; i < kShown + 3; ++i) keys.failed(key(i), "no", at(i));

  const FailingList list = keys.list();

  ASSERT_THAT(list.keys, SizeIs(kShown));
  EXPECT_EQ(list.keys.front().key, key(0));
  EXPECT_EQ(list.keys.back().key, key(kShown - 1));
  EXPECT_EQ(list.others, 3U);
  EXPECT_EQ(list.size(), kShown + 3);
}

TEST(FailingKeysTest, AFreePlaceIsForTheNextKeyThatFailsAgain) {
  FailingKeys keys;
  for (std::size_t i = 0; i < kShown + 1; ++i) keys.failed(key(i), "no", at(i));
  keys.ended(key(3));
  EXPECT_THAT(keys.list().keys, SizeIs(kShown - 1));
  EXPECT_EQ(keys.list().others, 1U);

  keys.failed(key(kShown), "still no", at(500));

  const FailingKey last = keys.list().keys.back();
  EXPECT_EQ(last.key, key(kShown));
  EXPECT_EQ(last.error, "still no");
  EXPECT_EQ(last.since, at(kShown)) << "its first failure";
  EXPECT_EQ(last.failures, 2U);
  EXPECT_EQ(keys.list().others, 0U);
}

TEST(FailingKeysTest, MemoryIsBoundedWhateverFails) {
  FailingKeys keys;
  const std::string letter = "ä";
  std::string error;
  for (int i = 0; i < 100'000; ++i) error += letter;
  for (std::size_t i = 0; i < 3 * FailingKeys::kKnownMax; ++i) keys.failed(key(i), error, at(i));
  EXPECT_EQ(keys.size(), kShown + FailingKeys::kKnownMax);

  const FailingKey first = keys.list().keys.front();

  EXPECT_THAT(first.error, EndsWith(letter + "…"));
  EXPECT_LE(first.error.size(), FailingKeys::kErrorBytesMax + 3);
}

TEST(FailingKeysTest, AnotherQueueTakesTheKeysOver) {
  FailingKeys old;
  FailingKeys next;
  for (std::size_t i = 0; i < kShown + 2; ++i) old.failed(key(i), "no", at(i));
  next.failed(key(0), "its own", at(700));

  next.take_over(old);

  EXPECT_EQ(old.size(), 0U);
  EXPECT_EQ(next.size(), kShown + 2);
  EXPECT_THAT(next.list().keys, SizeIs(kShown));
  for (std::size_t i = 0; i < kShown + 2; ++i) next.ended(key(i));
  EXPECT_EQ(next.list().size(), 0U);
}

TEST(FailingListTest, TheListsOfTwoQueuesAreOne) {
  FailingList all;
  for (const std::size_t offset : {std::size_t{100}, std::size_t{0}}) {
    FailingKeys keys;
    for (std::size_t i = 0; i < kShown; ++i) keys.failed(key(offset + i), "no", at(offset + i));
    all.add(keys.list());
  }

  ASSERT_THAT(all.keys, SizeIs(kShown));
  EXPECT_EQ(all.keys.front().key, key(0));
  EXPECT_EQ(all.others, kShown);
}

TEST_F(ControllerRunnerTest, KeysAndTimersThatFailAreListed) {
  RunnerOptions made = options();
  made.threads = Threads::kNone;
  ControllerRunner runner(made, nullptr, metrics_, clock_, Logger(sink_));
  ControllerQueue& keys = runner.open_queue(queue([](std::string_view, const std::stop_token&) {
    return SyncOutcome{.code = DAVIT_FORBIDDEN, .error = "no right"};
  }));
  bool does_fail = true;
  (void)runner.timers().start(
      {.period = std::chrono::seconds(5), .fire = [&does_fail](const auto&, auto) {
         return does_fail ? SyncOutcome{.code = DAVIT_UNAVAILABLE, .error = "no server"}
                          : SyncOutcome{};
       }});
  keys.add("default/web");
  runner.start();
  runner.begin_syncing();
  EXPECT_TRUE(runner.step(ControllerRunner::Work::kSync));
  EXPECT_TRUE(runner.step(ControllerRunner::Work::kTimer));

  const FailingList list = runner.failing();
  ASSERT_THAT(list.keys, SizeIs(2));
  EXPECT_EQ(list.keys[0].queue + " " + list.keys[0].key + " " + list.keys[0].error,
            "web default/web no right");
  EXPECT_EQ(list.keys[1].key + list.keys[1].error, "no server") << "a timer has no key";

  does_fail = false;
  clock_.advance(std::chrono::seconds(5));
  EXPECT_TRUE(runner.step(ControllerRunner::Work::kTimer));
  EXPECT_THAT(runner.failing().keys, SizeIs(1));
}

}  // namespace
}  // namespace davit::host
