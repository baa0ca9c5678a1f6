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
  Wanted wanted(const std::string& size, const std::string& uid = "c") {
    return Wanted(cluster_.view_of<volumes::Claim>(
        R"({"metadata":{"uid":")" + uid +
        R"("},"spec":{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":")" +
        size + R"("}}}})"));
  }
  /// The first volume for the claim with this UID.
  std::string first(const std::string& size, const std::string& uid = "c") {
    const auto found = index_.next(wanted(size, uid), std::nullopt);
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
    const std::string uid = "c" + std::to_string(i);
    const std::string name = first("1Gi", uid);
    ASSERT_FALSE(name.empty());
    EXPECT_TRUE(index_.take(name, uid));
    EXPECT_TRUE(taken.insert(name).second) << "no volume is offered twice";
  }
}

TEST_F(VolumeIndexTest, AVolumeThatAClaimHasReservedIsNotFreeForAnother) {
  index_.put(volume("a", "1Gi"));
  EXPECT_TRUE(index_.take("a", "c"));
  EXPECT_FALSE(index_.take("a", "d")) << "another claim was first";
  EXPECT_EQ(first("1Gi", "d"), "");
  index_.next_round();
  EXPECT_EQ(first("1Gi", "d"), "");
  index_.next_round();
  EXPECT_EQ(first("1Gi", "d"), "a") << "the write had no effect";
}

TEST_F(VolumeIndexTest, AClaimMayTryTheVolumeAgainThatItHasReserved) {
  index_.put(volume("a", "1Gi"));
  EXPECT_TRUE(index_.take("a", "c"));
  EXPECT_EQ(first("1Gi", "c"), "a");
  EXPECT_TRUE(index_.take("a", "c"));
  index_.next_round();
  EXPECT_TRUE(index_.take("a", "c"));
  index_.next_round();
  EXPECT_EQ(first("1Gi", "d"), "") << "the second try reserved it anew";
}

TEST_F(VolumeIndexTest, OnlyTheOwnerEndsAReservation) {
  index_.put(volume("a", "1Gi"));
  EXPECT_TRUE(index_.take("a", "c"));
  index_.give_back("a", "d");
  EXPECT_EQ(first("1Gi", "d"), "");
  index_.give_back("a", "c");
  EXPECT_EQ(first("1Gi", "d"), "a") << "the server refused it";
}

TEST_F(VolumeIndexTest, AVolumeThatTheServerHasGivenIsTheOtherClaims) {
  index_.put(volume("a", "1Gi"));
  EXPECT_TRUE(index_.take("a", "c"));
  index_.given("a", "d");
  index_.give_back("a", "c");
  EXPECT_EQ(first("1Gi", "c"), "") << "no handler has seen the write";
}

TEST_F(VolumeIndexTest, AVolumeThatIsNotFreeCannotBeReserved) {
  EXPECT_FALSE(index_.take("a", "c")) << "no handler has seen it";
  index_.put(volume("a", "1Gi", R"("claimRef":{"namespace":"ns","name":"d"},)"));
  EXPECT_FALSE(index_.take("a", "c"));
  index_.given("a", "c");
  index_.put(volume("a", "1Gi"));
  EXPECT_EQ(first("1Gi", "d"), "a") << "what was not free left no reservation";
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
