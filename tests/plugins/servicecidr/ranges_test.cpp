/// The rules of A4 on objects in memory.
#include "plugins/servicecidr/ranges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <initializer_list>

namespace davit::servicecidr {
namespace {

using ::testing::ElementsAre;

class RangesTest : public ::testing::Test {
 protected:
  Range range(const std::string& name, std::initializer_list<const char*> cidrs,
              bool is_deleting = false) {
    testing::Json object = testing::Json::must(R"({"spec":{"cidrs":[]}})");
    object["metadata"]["name"] = name;
    if (is_deleting) object["metadata"]["deletionTimestamp"] = "2024-05-01T12:00:00Z";
    for (const char* each : cidrs) object["spec"]["cidrs"].push_back(each);
    return Range(cluster_.view_of<ServiceCidr>(object.dump()));
  }
  static ip::Address address(std::string_view text) { return ip::Address::parse(text).value(); }

  testing::Cluster cluster_;
};

TEST_F(RangesTest, TextsThatAreNoCidrCountNowhere) {
  const Range broken = range("broken", {"x", "10.0.0.0/24"});
  EXPECT_EQ(broken.prefixes.size(), 1U);
  EXPECT_TRUE(Ranges({broken}).has_parents(range("none", {"x"})));
}

TEST_F(RangesTest, OnlyThoseThatShareAddressesOverlap) {
  const Ranges all({range("a", {"10.0.0.0/24"}), range("b", {"10.0.0.0/16", "fd00::/112"}),
                    range("c", {"10.0.1.0/24"}), range("d", {"fd00::/108"})});
  EXPECT_THAT(all.overlapping(range("new", {"10.0.0.0/24"})), ElementsAre("a", "b"));
  EXPECT_THAT(all.overlapping(range("new", {"fd00::1:0/112"})), ElementsAre("d"));
  EXPECT_THAT(all.holding(address("10.0.1.1")), ElementsAre("b", "c"));
}

TEST_F(RangesTest, EveryPrefixNeedsAParent) {
  const Range dual = range("dual", {"10.0.0.0/24", "fd00::/112"});
  EXPECT_FALSE(Ranges({dual}).has_parents(dual));
  EXPECT_FALSE(Ranges({dual, range("p", {"10.0.0.0/16"})}).has_parents(dual));
  EXPECT_TRUE(
      Ranges({dual, range("p", {"10.0.0.0/16"}), range("q", {"fd00::/112"})}).has_parents(dual));
  EXPECT_FALSE(Ranges({dual, range("p", {"10.0.0.0/16", "fd00::/112"}, true)}).has_parents(dual))
      << "X1";
}

TEST_F(RangesTest, CC12_OfSeveralThatGoTogetherTheLastOneHoldsTheAddress) {
  const Range first = range("a", {"10.0.0.0/24"}, true);
  const Range last = range("b", {"10.0.0.0/24"}, true);
  const Ranges both({first, last});
  EXPECT_FALSE(both.keeps_alone(first, address("10.0.0.9")));
  EXPECT_TRUE(both.keeps_alone(last, address("10.0.0.9")));
  EXPECT_FALSE(both.keeps_alone(last, address("10.0.1.9")));
  EXPECT_FALSE(
      Ranges({first, last, range("0", {"10.0.0.0/25"})}).keeps_alone(last, address("10.0.0.9")));
}

}  // namespace
}  // namespace davit::servicecidr
