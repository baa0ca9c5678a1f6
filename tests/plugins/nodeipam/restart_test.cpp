/// Restarts, replicas and hot swaps.
#include "tests/plugins/nodeipam/fixture.hpp"

namespace davit::nodeipam {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class RestartTest : public NodeIpamTest {
 protected:
  void swap(std::string_view cluster = kRange) {
    const Status swapped = cluster_.swap(kController, &NodeIpamController::open, config(cluster));
    ASSERT_TRUE(swapped.ok()) << swapped.message();
  }
};

TEST_F(RestartTest, IPAM35_ARestartWritesNothingAndCountsTheNodes) {
  constexpr int kNodes = 100;
  start("10.244.0.0/16");
  for (int i = 0; i < kNodes; ++i) put("n" + std::to_string(i));
  settle();
  restart("10.244.0.0/16");
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  EXPECT_EQ(usage("10.244.0.0/16"), 100.0 / 256);
}

TEST_F(RestartTest, IPAM36_AStandbyGivesNoBlockThatTheLeaderHasGiven) {
  cluster_.stand_by();
  start();
  put("n1", R"(["10.244.0.0/24"])");
  cluster_.run_until_idle();
  put("n2");
  cluster_.run_until_idle();
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  cluster_.lead();
  settle();
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24");
}

TEST_F(RestartTest, IPAM49_ASwapBetweenReservationAndWriteKeepsTheBlocks) {
  constexpr int kNodes = 50;
  start("10.244.0.0/16");
  cluster_.clear_records();
  for (int i = 0; i < kNodes; ++i) put("n" + std::to_string(i));
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "nodes",
                      .http_status = 0,
                      .times = 3 * 20,
                      .effect = testing::Effect::kApplied});
  for (int i = 0; i < kNodes / 2; ++i) cluster_.run_one_sync();
  const int lists = cluster_.lists("nodes");
  swap("10.244.0.0/16");
  EXPECT_EQ(cluster_.lists("nodes"), lists);
  settle();
  cluster_.advance(5min);
  for (int i = 0; i < kNodes; ++i) EXPECT_NE(cidrs("n" + std::to_string(i)), "");
  expect_distinct();
}

TEST_F(RestartTest, ReservedBlocksOutliveASwap) {
  start();
  cluster_.hold("nodes");
  cluster_.release("nodes");
  put("n1");
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "nodes", .times = 3});
  cluster_.run_one_sync();
  EXPECT_THAT(cluster_.state_of(kController), HasSubstr(R"("node":"n1","uid":)"));
  cluster_.hold("nodes");
  swap();
  EXPECT_THAT(cluster_.state_of(kController), HasSubstr(R"("cidrs":["10.244.0.0/24"])"));
  cluster_.release("nodes");
  put("n2");
  settle();
  cluster_.advance(1min);
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24");
  EXPECT_EQ(usage(), 0.5);
}

TEST_F(RestartTest, TheSearchContinuesAfterASwap) {
  start();
  add_all({"n1", "n2"});
  remove("n2");
  swap();
  add("n3");
  EXPECT_EQ(cidrs("n3"), "10.244.2.0/24");
}

TEST_F(RestartTest, OtherRangesReplaceReservations) {
  start();
  put("n1");
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "nodes", .times = 3});
  cluster_.run_one_sync();
  swap("10.245.0.0/24");
  settle();
  cluster_.advance(1min);
  EXPECT_EQ(cidrs("n1"), "10.245.0.0/24");
  EXPECT_EQ(usage("10.245.0.0/24"), 1);
}

TEST_F(RestartTest, ARangeThatIsTakenAwayInUseLeavesNodesTheirBlocks) {
  start();
  add_all({"n1", "n2"});
  restart("10.245.0.0/24");
  EXPECT_THAT(cluster_.event_texts(),
              UnorderedElementsAre(HasSubstr("podCIDR 10.244.0.0/24 of the Node is not a block"),
                                   HasSubstr("podCIDR 10.244.1.0/24 of the Node is not a block")));
  add_all({"n3", "n4"});
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24");
  EXPECT_EQ(cidrs("n3"), "10.245.0.0/24");
  EXPECT_EQ(cidrs("n4"), "") << "the new range has one block";
  remove("n1");
  EXPECT_EQ(cidrs("n4"), "") << "a block of the former range is not given to anybody";
  remove("n3");
  EXPECT_EQ(cidrs("n4"), "10.245.0.0/24");
}

TEST_F(RestartTest, AStateOfAnotherKindIsRefused) {
  start();
  for (const char* text :
       {"[]", "{}", R"({"next":[],"reserved":7})", R"({"next":[{"cidr":"x"}],"reserved":[]})",
        R"({"next":[{"cidr":"10.244.0.0/22","index":-1}],"reserved":[]})",
        R"({"next":[],"reserved":[{"node":"n1","uid":"u"}]})",
        R"({"next":[],"reserved":[{"node":"n1","uid":"u","cidrs":["10.244.0.0"]}]})"}) {
    EXPECT_FALSE(cluster_.give_state(kController, 1, text).ok()) << text;
  }
  EXPECT_TRUE(cluster_
                  .give_state(kController, 1,
                              R"({"next":[{"cidr":"10.244.0.0/22","index":99}],
                                  "reserved":[{"node":"gone","uid":"u","cidrs":["10.0.0.0/8"]}]})")
                  .ok());
  add("n1");
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24") << "what is reserved for a Node that is gone is free";
}

}  // namespace
}  // namespace davit::nodeipam
