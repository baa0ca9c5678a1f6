#include "bench/compare/delays.hpp"

#include <gmock/gmock.h>

namespace davit::bench {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Delays::Moment kStart{};

TEST(DelaysTest, APairIsMatchedByItsKeyAndInAscendingOrder) {
  Delays delays;
  delays.note_cause("a", kStart);
  delays.note_cause("b", kStart + milliseconds(10));
  delays.note_effect("b", kStart + milliseconds(15));
  delays.note_effect("a", kStart + milliseconds(30));

  EXPECT_THAT(delays.take(), ElementsAre(5, 30));
}

TEST(DelaysTest, OnlyTheFirstMentionOfAKeyCounts) {
  Delays delays;
  delays.note_cause("a", kStart);
  delays.note_cause("a", kStart + milliseconds(2));
  delays.note_effect("a", kStart + milliseconds(4));
  delays.note_effect("a", kStart + milliseconds(8));

  EXPECT_THAT(delays.take(), ElementsAre(4));
}

TEST(DelaysTest, AnEffectThatIsSeenBeforeItsCauseHasNoDelay) {
  Delays delays;
  delays.note_effect("a", kStart);
  delays.note_cause("a", kStart + milliseconds(1));

  EXPECT_THAT(delays.take(), ElementsAre(0));
}

TEST(DelaysTest, APairIsTakenOnceAndAnIncompleteOneWaits) {
  Delays delays;
  delays.note_cause("a", kStart);
  delays.note_cause("b", kStart);
  delays.note_effect("a", kStart + milliseconds(1));
  EXPECT_EQ(delays.complete(), 1u);
  EXPECT_THAT(delays.take(), ElementsAre(1));
  EXPECT_EQ(delays.complete(), 0u);
  delays.note_effect("a", kStart + milliseconds(2));
  EXPECT_THAT(delays.take(), IsEmpty());

  delays.note_effect("b", kStart + milliseconds(3));
  EXPECT_THAT(delays.take(), ElementsAre(3));
}

TEST(PercentileTest, IsTheSmallestValueThatTheShareDoesNotExceed) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};

  EXPECT_EQ(percentile(values, 0.5), 5);
  EXPECT_EQ(percentile(values, 0.51), 6);
  EXPECT_EQ(percentile(values, 0.99), 10);
  EXPECT_EQ(percentile(values, 0), 1);
  EXPECT_EQ(percentile(std::vector<double>{7}, 0.5), 7);
  EXPECT_EQ(percentile({}, 0.5), std::nullopt);
}

}  // namespace
}  // namespace davit::bench
