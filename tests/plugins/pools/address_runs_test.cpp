#include "plugins/pools/address_runs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace davit::pools {
namespace {

Address address(std::uint32_t number) {
  Address out;
  for (std::size_t i = 0; i < 4; ++i) {
    out.bytes[i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
  }
  return out;
}

constexpr std::uint32_t kFirst = 0x0a000000;  // 10.0.0.0
constexpr std::uint32_t kCount = 1U << 16U;
Range block() { return {address(kFirst), address(kFirst + kCount - 1)}; }

/// The search, and how many addresses it asked for.
struct Search {
  std::optional<Address> found;
  int asked = 0;
};
Search search(std::initializer_list<const AddressRuns*> sets) {
  Search out;
  out.found = first_outside(sets, block(), [&out](const Address&) {
    ++out.asked;
    return true;
  });
  return out;
}

TEST(AddressRunsTest, TheSearchAsksForNoAddressOfAFullRange) {
  AddressRuns used;
  for (std::uint32_t i = 0; i < kCount; ++i) used.insert(address(kFirst + i));
  EXPECT_EQ(search({&used}).found, std::nullopt);
  EXPECT_EQ(search({&used}).asked, 0);

  used.erase(address(kFirst + 40000));
  EXPECT_EQ(search({&used}).found, address(kFirst + 40000));
  EXPECT_EQ(search({&used}).asked, 1);
}

TEST(AddressRunsTest, TheSearchStepsOverRangesOfSeveralSets) {
  AddressRuns used;
  AddressRuns reserved;
  for (std::uint32_t i = 0; i < 1000; ++i)
    (i % 2 == 0 ? used : reserved).insert(address(kFirst + i));
  EXPECT_EQ(search({&used, &reserved}).found, address(kFirst + 1000));
  EXPECT_EQ(search({&used, &reserved}).asked, 1);
}

TEST(AddressRunsTest, AnAddressThatIsRefusedIsPassed) {
  const AddressRuns none;
  const auto found = first_outside({&none}, block(), [](const Address& each) {
    return each != address(kFirst) && each != address(kFirst + 1);
  });
  EXPECT_EQ(found, address(kFirst + 2));
}

TEST(AddressRunsTest, RangesEndWithTheFamily) {
  AddressRuns runs;
  const Address last = address(0xffffffff);
  const Address first_v6 = *Address::parse("::");
  runs.insert(last);
  runs.insert(first_v6);
  EXPECT_EQ(runs.last_of_run(last), last);
  EXPECT_EQ(runs.last_of_run(first_v6), first_v6);
  EXPECT_FALSE(runs.contains(address(0)));
  EXPECT_EQ(first_outside({&runs}, {last, last}, [](const Address&) { return true; }),
            std::nullopt);
}

TEST(AddressRunsTest, ItHasWhatASetHasInAnyOrderOfChanges) {
  constexpr std::uint32_t kSmall = 40;
  std::mt19937 random{7};
  AddressRuns runs;
  AddressSet set;
  for (int step = 0; step < 20000; ++step) {
    const Address each = address(kFirst + random() % kSmall);
    if (random() % 2 == 0) {
      runs.insert(each);
      set.insert(each);
    } else {
      runs.erase(each);
      set.erase(each);
    }
    std::optional<Address> outside;
    for (std::uint32_t i = kSmall; i > 0; --i) {
      const Address at = address(kFirst + i - 1);
      ASSERT_EQ(runs.contains(at), set.contains(at)) << at.text() << ", step " << step;
      if (!set.contains(at)) outside = at;
    }
    const Range all{address(kFirst), address(kFirst + kSmall - 1)};
    ASSERT_EQ(first_outside({&runs}, all, [](const Address&) { return true; }), outside);
    const Range middle{address(kFirst + 10), address(kFirst + 20)};
    const auto in_middle = std::count_if(set.begin(), set.end(),
                                         [&](const Address& one) { return middle.contains(one); });
    ASSERT_EQ(runs.count(middle), static_cast<std::uint64_t>(in_middle)) << "step " << step;
  }
}

}  // namespace
}  // namespace davit::pools
