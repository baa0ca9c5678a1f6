#include "nodes/address_pool.hpp"

#include <gtest/gtest.h>

#include <set>

namespace davit::sandbox {
namespace {

TEST(AddressPoolTest, GivesEachAddressOfTheRangeOnce) {
  AddressPool pool = *AddressPool::make("10.244.1.0/24");
  std::set<std::string> given;

  for (std::string each = pool.take(); !each.empty(); each = pool.take()) given.insert(each);

  EXPECT_EQ(given.size(), 253U);
  EXPECT_TRUE(given.contains("10.244.1.2") && given.contains("10.244.1.254"));
}

TEST(AddressPoolTest, ReleasedAddressStaysUnusedAsLongAsPossible) {
  AddressPool pool = *AddressPool::make("10.0.0.8/29");  // Five addresses.
  const std::string first = pool.take();
  pool.give_back(first);

  for (int i = 0; i < 4; ++i) EXPECT_NE(pool.take(), first);
  EXPECT_EQ(pool.take(), first);
  EXPECT_EQ(pool.take(), "");
}

TEST(AddressPoolTest, HeldAddressIsNotGiven) {
  AddressPool pool = *AddressPool::make("10.0.0.0/29");
  pool.hold("10.0.0.2");
  pool.hold("no address");

  EXPECT_EQ(pool.take(), "10.0.0.3");
}

TEST(AddressPoolTest, InvalidRangeMakesNoPool) {
  for (const char* text : {"", "10.0.0.0", "10.0.0/24", "10.0.0.256/24", "10.0.0.0/31", "10.0.0.0/",
                           "10.0.0.0/24x", "fd00::/64"}) {
    EXPECT_FALSE(AddressPool::make(text)) << text;
  }
}

}  // namespace
}  // namespace davit::sandbox
