#include "plugins/volumebinder/volume_index.hpp"

#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <set>
#include <string>

namespace davit::volumebinder {
namespace {

class VolumeIndexTest : public ::testing::Test {
 protected:
  volumes::Volume volume(const std::string& name, const std::string& size,
                         const std::string& more = "") {
    return cluster_.view_of<volumes::Volume>(
        R"({"metadata":{"name":")" + name + R"("},"spec":{"accessModes":["ReadWriteOnce"],)" +
        more + R"("capacity":{"storage":")" + size + R"("}},"status":{"phase":"Available"}})");
  }
  Wanted wanted(const std::string& size) {
    return Wanted(cluster_.view_of<volumes::Claim>(
        R"({"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":")" + size +
        R"("}}}})"));
  }
  std::string first(const std::string& size) {
    const auto found = index_.next(wanted(size), std::nullopt);
    return found ? found->name : "";
  }

  testing::Cluster cluster_;
  VolumeIndex index_;
};

TEST_F(VolumeIndexTest, TheSmallestThatFitsComesFirst) {
  index_.put(volume("a", "9Gi"));
  index_.put(volume("b", "3Gi"));
  index_.put(volume("c", "3Gi"));
  EXPECT_EQ(first("2Gi"), "b");
  EXPECT_EQ(first("4Gi"), "a");
  EXPECT_EQ(first("10Gi"), "");
}

TEST_F(VolumeIndexTest, ASearchVisitsEachOnce) {
  for (int i = 0; i < 1000; ++i) index_.put(volume("v" + std::to_string(i), "1Gi"));
  int count = 0;
  std::optional<Candidate> last;
  while ((last = index_.next(wanted("1Gi"), last))) ++count;
  EXPECT_EQ(count, 1000);
}

TEST_F(VolumeIndexTest, OfTenThousandThatFitEachClaimTakesTheNext) {
  constexpr int kMany = 10'000;
  for (int i = 0; i < kMany; ++i) index_.put(volume("v" + std::to_string(i), "1Gi"));
  std::set<std::string> taken;
  for (int i = 0; i < 100; ++i) {
    const std::string name = first("1Gi");
    ASSERT_FALSE(name.empty());
    EXPECT_TRUE(index_.take(name));
    EXPECT_TRUE(taken.insert(name).second) << "no volume is offered twice";
  }
}

TEST_F(VolumeIndexTest, AVolumeThatIsTakenIsNotFree) {
  index_.put(volume("a", "1Gi"));
  EXPECT_TRUE(index_.take("a"));
  EXPECT_FALSE(index_.take("a")) << "another claim was first";
  EXPECT_EQ(first("1Gi"), "");
  index_.next_round();
  EXPECT_EQ(first("1Gi"), "");
  index_.next_round();
  EXPECT_EQ(first("1Gi"), "a") << "the write had no effect";
  EXPECT_TRUE(index_.take("a"));
  index_.give_back("a");
  EXPECT_EQ(first("1Gi"), "a") << "the server refused it";
}

TEST_F(VolumeIndexTest, AClaimRefEndsTheFreedom) {
  index_.put(volume("a", "1Gi"));
  index_.put(volume("a", "1Gi", R"("claimRef":{"namespace":"ns","name":"c"},)"));
  EXPECT_EQ(first("1Gi"), "");
  EXPECT_EQ(index_.of_claim({"ns", "c"}), std::vector<std::string>{"a"});
  EXPECT_TRUE(index_.of_claim({"ns", "d"}).empty());
  index_.put(volume("a", "1Gi"));
  EXPECT_EQ(first("1Gi"), "a");
  EXPECT_TRUE(index_.of_claim({"ns", "c"}).empty());
  index_.erase("a");
  EXPECT_EQ(first("1Gi"), "");
}

}  // namespace
}  // namespace davit::volumebinder
