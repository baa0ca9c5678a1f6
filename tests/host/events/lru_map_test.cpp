#include "host/events/lru_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace davit::host {
namespace {

TEST(LruMapTest, FullMapForgetsWhatWasNotUsedForLongest) {
  LruMap<std::string, int> map(2);
  map.at("a") = 1;
  map.at("b") = 2;
  map.at("a");

  map.at("c") = 3;

  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.at("a"), 1);
  EXPECT_EQ(map.at("c"), 3);
  EXPECT_EQ(map.at("b"), 0) << "it was pushed out and recreated";
}

TEST(LruMapTest, ForgettingStopsAtTheFirstEntryThatIsToStay) {
  LruMap<std::string, int> map(4);
  map.at("a") = 1;
  map.at("b") = 2;
  map.at("c") = 3;
  map.at("d") = 1;

  map.forget_while([](int value) { return value < 3; });

  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.at("c"), 3);
  EXPECT_EQ(map.at("d"), 1);
  map.forget_while([](int) { return true; });
  EXPECT_EQ(map.size(), 0U);
}

TEST(LruMapTest, ForgottenTextLeavesNoMemoryToTheNextEntry) {
  LruMap<std::string, std::string> map(1);
  map.at("a") = std::string(100, 'x');

  EXPECT_EQ(map.at("b").capacity(), std::string().capacity());
}

/// The same, by search.
class PlainLruMap {
 public:
  explicit PlainLruMap(std::size_t capacity) : capacity_(capacity) {}

  int& at(int key) {
    const auto known = std::ranges::find(entries_, key, &std::pair<int, int>::first);
    if (known != entries_.end()) {
      std::rotate(known, known + 1, entries_.end());
    } else {
      if (entries_.size() == capacity_) entries_.erase(entries_.begin());
      entries_.emplace_back(key, 0);
    }
    return entries_.back().second;
  }
  void forget_below(int value) {
    while (!entries_.empty() && entries_.front().second < value) entries_.erase(entries_.begin());
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  const std::size_t capacity_;
  std::vector<std::pair<int, int>> entries_;  // Most recently used last.
};

TEST(LruMapTest, HoldsWhatASearchOfAllEntriesFinds) {
  struct Same {
    std::size_t operator()(int key) const { return static_cast<std::size_t>(key % 7); }
  };
  constexpr std::size_t kCapacity = 50;
  std::mt19937 random(11);
  LruMap<int, int, Same> map(kCapacity);
  PlainLruMap plain(kCapacity);
  for (int i = 1; i < 20000; ++i) {
    if (random() % 16 == 0) {
      const int below = i - static_cast<int>(random() % 200);
      map.forget_while([&](int value) { return value < below; });
      plain.forget_below(below);
    } else {
      const int key = static_cast<int>(random() % 80);
      ASSERT_EQ(std::exchange(map.at(key), i), std::exchange(plain.at(key), i)) << i;
    }
    ASSERT_EQ(map.size(), plain.size()) << i;
  }
}

}  // namespace
}  // namespace davit::host
