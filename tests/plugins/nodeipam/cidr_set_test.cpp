/// Section 5: the blocks of a cluster CIDR.
#include "plugins/nodeipam/cidr_set.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace davit::nodeipam {
namespace {

ip::Prefix prefix(std::string_view text) { return ip::Prefix::parse(text).value(); }

CidrSet set_of(std::string_view cidr, int mask) { return CidrSet({prefix(cidr), mask}); }

TEST(CidrSetTest, BlocksAreNumberedFromTheNetworkAddress) {
  struct Case {
    const char* cidr;
    int mask;
    std::uint64_t index;
    const char* block;
  };
  for (const Case& each : {
           Case{"10.244.0.0/16", 24, 3, "10.244.3.0/24"},
           Case{"10.244.0.0/16", 26, 1, "10.244.0.64/26"},
           Case{"10.0.0.0/8", 32, 16'777'215, "10.255.255.255/32"},
           Case{"0.0.0.0/0", 32, 4'294'967'295, "255.255.255.255/32"},
           Case{"10.1.2.3/32", 32, 0, "10.1.2.3/32"},
           Case{"fd00::/56", 64, 1, "fd00:0:0:1::/64"},
           Case{"fd00:0:0:1::/63", 64, 0, "fd00::/64"},
           Case{"fd00::/56", 66, 1, "fd00::4000:0:0:0/66"},
           Case{"fd00::/60", 72, 256, "fd00:0:0:1::/72"},
           Case{"fd00::/112", 128, 65'535, "fd00::ffff/128"},
       }) {
    CidrSet set = set_of(each.cidr, each.mask);
    set.set_next(each.index);
    EXPECT_EQ(set.take().block.text(), each.block);
    EXPECT_EQ(set.blocks_of(prefix(each.block)), (Blocks{each.index, each.index})) << each.block;
    EXPECT_TRUE(set.has_block(prefix(each.block)));
  }
}

TEST(CidrSetTest, AnyCidrMeansTheBlocksThatItOverlaps) {
  const CidrSet set = set_of("10.244.0.0/16", 24);
  struct Case {
    const char* cidr;
    std::optional<Blocks> blocks;
  };
  for (const Case& each : {
           Case{"10.244.0.0/16", Blocks{0, 255}},
           Case{"10.0.0.0/8", Blocks{0, 255}},
           Case{"0.0.0.0/0", Blocks{0, 255}},
           Case{"10.244.2.0/23", Blocks{2, 3}},
           Case{"10.244.2.128/25", Blocks{2, 2}},
           Case{"10.244.255.255/32", Blocks{255, 255}},
           Case{"10.245.0.0/16", std::nullopt},
           Case{"::/0", std::nullopt},
       }) {
    EXPECT_EQ(set.blocks_of(prefix(each.cidr)), each.blocks) << each.cidr;
  }
  EXPECT_FALSE(set.has_block(prefix("10.244.2.0/23")));
  EXPECT_FALSE(set.has_block(prefix("10.245.2.0/24")));
}

TEST(CidrSetTest, TheSearchContinuesAfterTheLastBlockAndComesRound) {
  CidrSet set = set_of("10.244.0.0/22", 24);
  EXPECT_EQ(set.take().block.text(), "10.244.0.0/24");
  EXPECT_EQ(set.take().block.text(), "10.244.1.0/24");
  set.release({0, 0});
  EXPECT_EQ(set.take().block.text(), "10.244.2.0/24");
  EXPECT_EQ(set.take().block.text(), "10.244.3.0/24");
  set.hold({0, 0});
  set.release({1, 1});
  const CidrSet::Taken taken = set.take();
  EXPECT_EQ(taken.block.text(), "10.244.1.0/24");
  EXPECT_EQ(taken.tries, 1U) << "block 0 was stepped over";
  EXPECT_TRUE(set.is_full());
  EXPECT_EQ(set.came_into_use(), 6U);
  EXPECT_EQ(set.became_free(), 2U);
}

TEST(CidrSetTest, IPAM39_ALargeRangeCostsNoMoreThanASmallOne) {
  CidrSet set = set_of("10.0.0.0/8", 32);
  EXPECT_EQ(set.size(), 16'777'216U);
  EXPECT_EQ(set.take().block.text(), "10.0.0.0/32");
  set.hold({0, set.size() - 1});
  EXPECT_TRUE(set.is_full());
}

TEST(BlockUsesTest, CountsAreThoseOfAListOfAllBlocks) {
  constexpr std::uint64_t kSize = 12;
  std::mt19937 random(20'261'129);  // NOLINT(cert-msc51-cpp): the same in each run.
  BlockUses uses(kSize);
  std::vector<unsigned> plain(kSize, 0);
  std::vector<Blocks> held;
  for (int step = 0; step < 20'000; ++step) {
    if (held.size() < 8 && random() % 2 == 0) {
      const std::uint64_t first = random() % kSize;
      held.push_back({first, first + random() % (kSize - first)});
      std::uint64_t changed = 0;
      for (std::uint64_t i = held.back().first; i <= held.back().last; ++i) {
        changed += plain[i]++ == 0 ? 1 : 0;
      }
      ASSERT_EQ(uses.add(held.back()), changed);
    } else if (!held.empty()) {
      std::swap(held[random() % held.size()], held.back());
      std::uint64_t changed = 0;
      for (std::uint64_t i = held.back().first; i <= held.back().last; ++i) {
        changed += --plain[i] == 0 ? 1 : 0;
      }
      ASSERT_EQ(uses.remove(held.back()), changed);
      held.pop_back();
    }
    std::uint64_t used = 0;
    for (const unsigned each : plain) used += each == 0 ? 0 : 1;
    ASSERT_EQ(uses.used(), used);
    if (used == kSize) continue;
    std::uint64_t wanted = random() % kSize;
    const std::uint64_t start = wanted;
    while (plain[wanted] != 0) wanted = (wanted + 1) % kSize;
    ASSERT_EQ(uses.first_free(start), wanted);
  }
}

}  // namespace
}  // namespace davit::nodeipam
