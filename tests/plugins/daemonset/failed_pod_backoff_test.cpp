/// The pauses after failed pods.
#include "plugins/daemonset/failed_pod_backoff.hpp"

#include <gtest/gtest.h>

namespace davit::daemonset {
namespace {

using namespace std::chrono_literals;

constexpr Time kStart{1h};

TEST(FailedPodBackoffTest, EachDeletionDoublesThePause) {
  FailedPodBackoff backoff;
  Time now = kStart;
  EXPECT_FALSE(backoff.admit("place", now));
  for (const Duration pause : {1s, 2s, 4s, 8s, 16s, 32s, 64s, 128s, 256s, 512s, 900s, 900s}) {
    EXPECT_EQ(backoff.admit("place", now), pause);
    EXPECT_EQ(backoff.admit("place", now + pause - 1ns), pause) << "the whole pause, always";
    now += pause;
    EXPECT_FALSE(backoff.admit("place", now));
  }
}

TEST(FailedPodBackoffTest, EachPlaceHasItsOwn) {
  FailedPodBackoff backoff;
  EXPECT_FALSE(backoff.admit("uid/1/a", kStart));
  EXPECT_FALSE(backoff.admit("uid/1/b", kStart));
  EXPECT_FALSE(backoff.admit("uid/2/a", kStart));
  EXPECT_TRUE(backoff.admit("uid/1/a", kStart));
}

TEST(FailedPodBackoffTest, APlaceIsForgottenAfterHalfAnHour) {
  FailedPodBackoff backoff;
  EXPECT_FALSE(backoff.admit("place", kStart));
  EXPECT_FALSE(backoff.admit("place", kStart + 1s));
  const Time last = kStart + 1s;
  backoff.collect(last + 30min);
  EXPECT_EQ(backoff.size(), 1U);

  const Time later = last + 30min + 1ns;
  EXPECT_FALSE(backoff.admit("place", later));
  EXPECT_EQ(backoff.admit("place", later), 1s) << "from the beginning";
  backoff.collect(later + 30min + 1ns);
  EXPECT_EQ(backoff.size(), 0U);
}

}  // namespace
}  // namespace davit::daemonset
