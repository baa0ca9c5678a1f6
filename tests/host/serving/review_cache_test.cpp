#include "host/serving/review_cache.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

using Cache = ReviewCache<int>;

class ReviewCacheTest : public testing::Test {
 protected:
  /// Asks for `key`, waits for the answer and returns its source.
  Cache::Asked::Source ask(const std::string& key, std::size_t bytes = 0) {
    const auto fetch = [bytes](std::stop_token) -> Result<Cache::Fetched> {
      return Cache::Fetched{1, std::chrono::minutes(1), bytes};
    };
    const auto asked = cache_.ask(key, RequestThreads::Line::kOthers, fetch);
    threads_.wait_idle();
    return asked.source;
  }

  test::FakeClock clock_;
  RequestThreads threads_;
  Cache cache_{threads_, clock_};
};

constexpr Cache::Asked::Source kCache = Cache::Asked::Source::kCache;
constexpr Cache::Asked::Source kServer = Cache::Asked::Source::kServer;

TEST_F(ReviewCacheTest, LongKeysTakeNoMoreThanTheLimitOfBytes) {
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(ask(std::string(9000, 'k') + std::to_string(i)), kServer);
    ASSERT_LE(cache_.bytes(), Cache::kBytesMax);
  }
  EXPECT_GT(cache_.bytes(), Cache::kBytesMax * 9 / 10) << "what fits is kept";
  EXPECT_EQ(ask(std::string(9000, 'k') + "999"), kCache);
  EXPECT_EQ(ask(std::string(9000, 'k') + "0"), kServer) << "the oldest has given way";
}

TEST_F(ReviewCacheTest, TextOfAnAnswerCounts) {
  constexpr std::size_t kRest = Cache::kEntryBytes + 1;
  ask("a", Cache::kBytesMax - kRest);
  EXPECT_EQ(ask("a"), kCache) << "exactly the limit";
  ask("b", Cache::kBytesMax - kRest + 1);
  EXPECT_EQ(cache_.bytes(), 0U) << "one byte beyond it";
}

TEST_F(ReviewCacheTest, ExpiredAnswersAreDropped) {
  for (int i = 0; i < 10; ++i) ask("old" + std::to_string(i));
  const std::size_t full = cache_.bytes();

  clock_.advance(std::chrono::minutes(1));
  ask("new1");

  EXPECT_LT(cache_.bytes(), full / 5);
}

}  // namespace
}  // namespace davit::host
