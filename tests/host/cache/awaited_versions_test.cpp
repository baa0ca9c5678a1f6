#include "host/cache/awaited_versions.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace davit::host {
namespace {

/// A version that counts how often one is compared.
class CountedVersion {
 public:
  CountedVersion(std::uint64_t number, std::size_t& comparisons)
      : number_(number), comparisons_(&comparisons) {}
  friend bool operator<(const CountedVersion& left, const CountedVersion& right) {
    ++*left.comparisons_;
    return left.number_ < right.number_;
  }

 private:
  std::uint64_t number_;
  std::size_t* comparisons_;
};

class AwaitedVersionsTest : public testing::Test {
 protected:
  [[nodiscard]] CountedVersion version(std::uint64_t number) { return {number, comparisons_}; }
  [[nodiscard]] std::vector<int> taken(std::uint64_t reached) {
    std::vector<int> out;
    while (const int* const waiter = awaited_.take(version(reached))) out.push_back(*waiter);
    return out;
  }

  std::size_t comparisons_ = 0;
  AwaitedVersions<CountedVersion, int> awaited_;
};

TEST_F(AwaitedVersionsTest, TheLowestAreTakenAndThoseAboveStay) {
  std::vector<int> waiters{0, 1, 2, 3};
  awaited_.add(version(12), waiters[0]);
  awaited_.add(version(11), waiters[1]);
  const auto removed = awaited_.add(version(10), waiters[2]);
  awaited_.add(version(12), waiters[3]);
  awaited_.remove(removed);

  EXPECT_EQ(taken(9), std::vector<int>());
  EXPECT_EQ(taken(11), std::vector<int>{1});
  EXPECT_EQ(taken(20), (std::vector<int>{0, 3}));
  EXPECT_TRUE(awaited_.places().empty());
}

TEST_F(AwaitedVersionsTest, AStepLooksAtNoneOfThoseThatWaitOn) {
  constexpr int kWaiters = 100'000;
  constexpr std::size_t kDepth = 40;  // Twice log2: how deep a red-black tree of them may be.
  std::vector<int> waiters(kWaiters);
  for (int i = 0; i < kWaiters; ++i) awaited_.add(version(1000 + i), waiters[i]);
  comparisons_ = 0;

  EXPECT_TRUE(taken(999).empty());
  EXPECT_EQ(comparisons_, 1U) << "with the lowest";
  EXPECT_EQ(taken(1002).size(), 3U);
  EXPECT_EQ(comparisons_, 5U) << "with those that it takes, and the next";
  awaited_.remove(awaited_.add(version(50'000), waiters[0]));
  EXPECT_LE(comparisons_, 5U + kDepth);
}

}  // namespace
}  // namespace davit::host
