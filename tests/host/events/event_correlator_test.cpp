#include "host/events/event_correlator.hpp"

#include <gtest/gtest.h>

namespace davit::host {
namespace {

using std::chrono::seconds;

constexpr Time kNow{std::chrono::hours(5)};
constexpr WallTime kWall{seconds(1767225600)};
const FreshEvent kFresh{"new", kWall};

Event event(std::string_view message, std::string_view name = "web") {
  Event made;
  made.name = std::string(name) + ".1";
  made.ns = "default";
  made.regarding = {"apps/v1", "ReplicaSet", "default", std::string(name), "u1", "7", ""};
  made.type = "Normal";
  made.reason = "SuccessfulCreate";
  made.message = message;
  made.component = "replicaset-controller";
  made.first_seen = kWall;
  made.last_seen = kWall;
  return made;
}

using Write = CorrelatedEvent::Write;

TEST(EventCorrelatorTest, RepeatedEventIsOnePostAndThenPatchesOfIt) {  // RT-120
  EventCorrelator correlator;

  const auto first = correlator.correlate(event("Created pod"), kNow, kFresh);
  Event again = event("Created pod");
  again.name = "web.2";
  again.first_seen = again.last_seen = kWall + seconds(1);
  const auto second = correlator.correlate(again, kNow + seconds(1), kFresh);
  const auto third = correlator.correlate(again, kNow + seconds(2), kFresh);

  ASSERT_TRUE(first && second && third);
  EXPECT_EQ(first->write, Write::kCreate);
  EXPECT_EQ(first->event.count, 1);
  EXPECT_EQ(second->write, Write::kPatch);
  EXPECT_EQ(second->event.count, 2);
  EXPECT_EQ(second->event.name, "web.1");
  EXPECT_EQ(second->event.first_seen, kWall);
  EXPECT_EQ(second->event.last_seen, kWall + seconds(1));
  EXPECT_EQ(third->event.count, 3);
}

TEST(EventCorrelatorTest, TenthMessageOfOneReasonBeginsACombinedEvent) {  // RT-121
  EventCorrelator correlator;
  for (int i = 1; i <= 9; ++i) {
    const auto plain =
        correlator.correlate(event("pod " + std::to_string(i)), kNow + seconds(i), kFresh);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->write, Write::kCreate);
    EXPECT_EQ(plain->event.message, "pod " + std::to_string(i));
  }

  for (int i = 10; i <= 12; ++i) {
    const auto combined = correlator.correlate(event("pod " + std::to_string(i)), kNow + seconds(i),
                                               {"new." + std::to_string(i), kWall + seconds(i)});
    ASSERT_TRUE(combined);
    EXPECT_EQ(combined->event.message, "(combined from similar events): pod " + std::to_string(i));
    EXPECT_EQ(combined->event.count, i - 9);
    EXPECT_EQ(combined->event.name, "new.10");
    EXPECT_EQ(combined->event.reporter, Event::Reporter::kUnnamed);
    EXPECT_EQ(combined->event.first_seen, kWall + seconds(10));
    EXPECT_EQ(combined->event.last_seen, kWall + seconds(i));
    EXPECT_EQ(combined->write, i == 10 ? Write::kCreate : Write::kPatch);
  }
}

TEST(EventCorrelatorTest, AggregationEndsAfterTenQuietMinutes) {
  EventCorrelator correlator;
  for (int i = 1; i <= 12; ++i) {
    (void)correlator.correlate(event("pod " + std::to_string(i)), kNow, kFresh);
  }

  const auto later = correlator.correlate(event("pod 13"), kNow + seconds(601), kFresh);

  ASSERT_TRUE(later);
  EXPECT_EQ(later->event.message, "pod 13");
}

TEST(EventCorrelatorTest, BurstOfOneObjectIsCutAndThenOneComesEveryFiveMinutes) {  // RT-122
  EventCorrelator correlator;
  int written = 0;
  for (int i = 0; i < 40; ++i) {
    written += correlator.correlate(event("Created pod"), kNow, kFresh) ? 1 : 0;
  }
  EXPECT_EQ(written, 25);

  EXPECT_FALSE(correlator.correlate(event("Created pod"), kNow + seconds(299), kFresh));
  const auto next = correlator.correlate(event("Created pod"), kNow + seconds(300), kFresh);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->event.count, 42) << "dropped events are counted";
  EXPECT_FALSE(correlator.correlate(event("Created pod"), kNow + seconds(301), kFresh));
}

TEST(EventCorrelatorTest, ObjectsDoNotShareABurst) {
  EventCorrelator correlator;
  for (int i = 0; i < 40; ++i) (void)correlator.correlate(event("Created pod"), kNow, kFresh);

  EXPECT_TRUE(correlator.correlate(event("Created pod", "other"), kNow, kFresh));
}

TEST(EventCorrelatorTest, ForgottenEventStartsFromOne) {
  EventCorrelator correlator({.keys_max = 2});
  (void)correlator.correlate(event("Created pod", "a"), kNow, kFresh);
  (void)correlator.correlate(event("Created pod", "b"), kNow, kFresh);
  (void)correlator.correlate(event("Created pod", "c"), kNow, kFresh);

  const auto again = correlator.correlate(event("Created pod", "a"), kNow, kFresh);

  ASSERT_TRUE(again);
  EXPECT_EQ(again->write, Write::kCreate);
  EXPECT_EQ(again->event.count, 1);
}

TEST(EventCorrelatorTest, AStateThatEqualsNoneIsForgotten) {
  EventCorrelator correlator;
  constexpr int kObjects = 1000;
  for (int i = 0; i < kObjects; ++i) {
    (void)correlator.correlate(event("Created pod", "web-" + std::to_string(i)), kNow, kFresh);
  }
  EXPECT_EQ(correlator.size(), 3U * kObjects);

  // Each burst is full again; ten minutes have not passed.
  (void)correlator.correlate(event("Created pod", "a"), kNow + seconds(300), kFresh);
  EXPECT_EQ(correlator.size(), 2U * kObjects + 3);

  (void)correlator.correlate(event("Created pod", "b"), kNow + seconds(601), kFresh);
  EXPECT_EQ(correlator.size(), 1U * kObjects + 2 + 2 + 1) << "counts stay";
}

TEST(EventCorrelatorTest, BurstOfOneObjectIsForgottenNoEarlierThanItIsFull) {
  EventCorrelator correlator;
  for (int i = 0; i < 40; ++i) (void)correlator.correlate(event("Created pod"), kNow, kFresh);

  for (int i = 1; i < 25; ++i) {
    (void)correlator.correlate(event("Created pod", "other"), kNow + seconds(300 * i), kFresh);
  }

  const Time almost = kNow + seconds(300 * 25 - 1);
  int written = 0;
  for (int i = 0; i < 40; ++i) {
    written += correlator.correlate(event("Created pod"), almost, kFresh) ? 1 : 0;
  }
  EXPECT_EQ(written, 24);
}

}  // namespace
}  // namespace davit::host
