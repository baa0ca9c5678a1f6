#include "host/events/lru_map.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(map.at("b"), 0) << "it was pushed out and made anew";
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

}  // namespace
}  // namespace davit::host
