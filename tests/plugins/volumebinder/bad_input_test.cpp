/// Claims and volumes that no server should hold, or that name each other wrongly.
#include <string>

#include "tests/plugins/volumebinder/fixture.hpp"

namespace davit::volumebinder {
namespace {

class BadInputTest : public BinderTest {
 protected:
  void SetUp() override { start(); }
};

TEST_F(BadInputTest, SizesThatAreNoneMatchNothing) {
  for (const char* size : {"0", "-1Gi", "1XB", "", "Gi", "1e"}) {
    add_volume_of_size("v", size);
    run();
    add_claim("c");
    run();
    resync();
    EXPECT_EQ(claim_phase(), "Pending") << size;
    EXPECT_FALSE(is_bound("v", "c")) << size;
    cluster_.erase<Claim>({"ns", "c"});
    cluster_.erase<Volume>({"", "v"});
    run();
  }
}

TEST_F(BadInputTest, LargeSizesAndFractionsAreExact) {
  struct Pair {
    const char* smaller;  // One byte less.
    const char* larger;
  };
  for (const auto& [smaller, larger] :
       {Pair{"9223372036854775806", "9223372036854775807"},
        Pair{"9223372036854775806", "9223372036854775808"}, Pair{"9223372036854775806", "8Ei"},
        Pair{"1610612735", "1.5Gi"}}) {
    add_volume_of_size("v", smaller);
    run();
    add_claim_of_size("c", larger);
    run();
    resync();
    EXPECT_EQ(claim_phase(), "Pending") << larger;
    add_volume_of_size("w", larger);
    run();
    resync();
    EXPECT_TRUE(is_bound("w", "c")) << larger;
    cluster_.erase<Claim>({"ns", "c"});
    for (const char* each : {"v", "w"}) cluster_.erase<Volume>({"", each});
    run();
  }
}

TEST_F(BadInputTest, SizesFromTwoToThe63rdOnAreEqualAsQuantitiesAre) {
  add_volume_of_size("v", "9223372036854775807");
  run();
  add_claim_of_size("c", "9223372036854775808");
  run();
  EXPECT_TRUE(is_bound("v", "c"));
}

TEST_F(BadInputTest, AClaimWhoseSizeIsNoneKeepsToTheSmallestVolume) {
  for (const char* size : {"0", "1XB", ""}) {
    add_volume_of_size("v", "2Gi");
    add_volume_of_size("w", "1");
    run();
    add_claim_of_size("c", size);  // The server takes no write of such a claim.
    run();
    resync();
    EXPECT_EQ(volume("w")["spec"].text_at({"claimRef", "name"}), "c") << size;
    EXPECT_EQ(volume("v")["spec"].find("claimRef"), nullptr) << size;
    cluster_.erase<Claim>({"ns", "c"});
    for (const char* each : {"v", "w"}) cluster_.erase<Volume>({"", each});
    run();
  }
}

TEST_F(BadInputTest, OfTenThousandVolumesThatFitAClaimTakesOne) {
  constexpr int kMany = 10'000;
  cluster_.stop(kBinder);
  for (int i = 0; i < kMany; ++i) {
    add_volume("v" + std::to_string(i), R"({"status":{"phase":"Available"}})");
  }
  add_claim("c");
  start();
  EXPECT_EQ(claim_phase(), "Bound");
  EXPECT_EQ(writes().size(), 4U);
}

TEST_F(BadInputTest, AVolumeHasEachModeThatAClaimWants) {
  add_volume_of_size("v", "1Gi", R"(["ReadWriteOnce","ReadOnlyMany"])");
  run();
  add_claim("c", R"({"spec":{"accessModes":["ReadWriteOnce","ReadWriteMany"]}})");
  run();
  resync();
  EXPECT_EQ(claim_phase(), "Pending");
  add_volume_of_size("w", "1Gi", R"(["ReadWriteOnce","ReadOnlyMany","ReadWriteMany"])");
  run();
  resync();
  EXPECT_TRUE(is_bound("w", "c"));
}

TEST_F(BadInputTest, AVolumeOfAClaimOfThatNameInAnotherNamespaceIsNotTaken) {
  add_claimed("v", "c", "uid-far", R"({"spec":{"claimRef":{"namespace":"far"}}})");
  add_claim("c", R"({"spec":{"volumeName":"v"}})");
  run();
  resync();
  EXPECT_EQ(claim_phase(), "Pending");
  EXPECT_GE(times(R"(Warning FailedBinding volume "v" already bound to a different claim.)"), 1);
  EXPECT_EQ(volume()["spec"]["claimRef"].text_at({"namespace"}), "far");
}

TEST_F(BadInputTest, OneClaimOfTwoThatNameAVolumeGetsIt) {
  add_volume("v");
  run();
  add_claim("c", R"({"spec":{"volumeName":"v"}})");
  add_claim("d", R"({"spec":{"volumeName":"v"}})");
  run();
  resync();
  EXPECT_NE(is_bound("v", "c"), is_bound("v", "d"));
  EXPECT_NE(claim_phase("c"), claim_phase("d"));
}

}  // namespace
}  // namespace davit::volumebinder
