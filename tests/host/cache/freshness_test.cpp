#include "host/cache/freshness.hpp"

#include "tests/host/cache/cache_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class FreshnessTest : public CacheTest {
 protected:
  [[nodiscard]] Freshness freshness() const { return informer_->freshness(); }
  [[nodiscard]] bool is_stale() const { return freshness().is_stale(clock_.now()); }
  void fill() {
    make_plain_informer();
    reply({.body = list_json("7", {{.name = "a", .version = "3"}}), .lasts = seconds(0)});
    step();
  }
};

TEST_F(FreshnessTest, ListAndEveryPieceOfAWatchConfirmTheContent) {
  make_plain_informer();
  EXPECT_FALSE(freshness().confirmed);
  fill();
  EXPECT_EQ(freshness().confirmed, clock_.now());

  const Time before = clock_.now();
  reply({.body = bookmark_json("9"), .lasts = seconds(70)});
  step();
  EXPECT_EQ(freshness().confirmed, before + seconds(70)) << "the watch has ended properly";
  EXPECT_FALSE(is_stale());
}

TEST_F(FreshnessTest, FailingWatchMakesTheCacheStaleAfterTwoMinutesAndABookmarkFreshAgain) {
  fill();
  const Time start = clock_.now();
  while (clock_.now() - start <= Freshness::kFailingMax) {
    EXPECT_FALSE(is_stale());
    reply({.end = {Code::kUnavailable, "connection refused"}, .lasts = seconds(0)});
    step();
    wait();
  }
  EXPECT_TRUE(is_stale());
  EXPECT_EQ(freshness().confirmed, start);
  EXPECT_EQ(freshness().failing_since, start);
  EXPECT_EQ(freshness().failure.message(), "connection refused");

  reply({.body = bookmark_json("9")});
  step();
  EXPECT_FALSE(is_stale());
  EXPECT_FALSE(freshness().failing_since);
}

TEST_F(FreshnessTest, ListThatNeverSucceedsIsStaleThoughNothingWasEverConfirmed) {
  make_plain_informer();
  const Time start = clock_.now();
  while (clock_.now() - start <= Freshness::kFailingMax) {
    reply({.end = api_error(403, Code::kForbidden, "Forbidden"), .lasts = seconds(0)});
    step();
    wait();
  }
  EXPECT_FALSE(freshness().confirmed);
  EXPECT_TRUE(is_stale());
}

TEST_F(FreshnessTest, SilenceAloneIsStaleOnlyAfterTheLongestWatch) {
  fill();
  clock_.advance(Freshness::kSilentMax);
  EXPECT_FALSE(is_stale());
  clock_.advance(seconds(1));
  EXPECT_TRUE(is_stale());
}

}  // namespace
}  // namespace davit::host
