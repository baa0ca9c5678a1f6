/// Nodes that come, go and bring CIDRs with them.
#include "tests/plugins/nodeipam/fixture.hpp"

namespace davit::nodeipam {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NodesTest : public NodeIpamTest {};

TEST_F(NodesTest, IPAM01_NodesGetTheBlocksInOrder) {
  start();
  add_all({"n1", "n2", "n3"});
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24");
  EXPECT_EQ(cidrs("n3"), "10.244.2.0/24");
  EXPECT_EQ(first_cidr("n3"), "10.244.2.0/24");
}

TEST_F(NodesTest, IPAM02_EachNodeCostsOneStrategicPatch) {
  start();
  add_all({"n1", "n2", "n3"});
  ASSERT_THAT(cluster_.requests(), SizeIs(3));
  ASSERT_THAT(patches(), SizeIs(3));
  const testing::RequestRecord first = patches()[0];
  EXPECT_EQ(first.patch_type, PatchType::kStrategic);
  EXPECT_EQ(first.json()["spec"].dump(),
            R"({"podCIDR":"10.244.0.0/24","podCIDRs":["10.244.0.0/24"]})");
  EXPECT_EQ(first.json()["metadata"]["uid"].dump(),
            "\"" + std::string(cluster_.find<Node>({"", "n1"})->uid()) + "\"");
  EXPECT_EQ(first.query.find("fieldManager"), std::string::npos);
}

TEST_F(NodesTest, IPAM04_ADualStackNodeGetsABlockOfEachFamily) {
  start("10.244.0.0/16,fd00::/56");
  add_all({"n1", "n2"});
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24,fd00::/64");
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24,fd00:0:0:1::/64");
  EXPECT_EQ(first_cidr("n1"), "10.244.0.0/24");
}

TEST_F(NodesTest, IPAM05_TheOrderOfTheClusterCidrsIsThatOfTheBlocks) {
  start("fd00::/56,10.244.0.0/16");
  add("n1");
  EXPECT_EQ(cidrs("n1"), "fd00::/64,10.244.0.0/24");
  EXPECT_EQ(first_cidr("n1"), "fd00::/64");
}

TEST_F(NodesTest, IPAM06_ASetBeginsAtItsNetworkAddress) {
  start("fd00:0:0:1::/63");
  add("n1");
  EXPECT_EQ(cidrs("n1"), "fd00::/64");
  EXPECT_EQ(usage("fd00::/63"), 0.5);
}

TEST_F(NodesTest, IPAM07_OneMaskIsForTheOnlyFamily) {
  start("10.244.0.0/16", R"(,"nodeCIDRMaskSize":26)");
  add_all({"n1", "n2"});
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/26");
  EXPECT_EQ(cidrs("n2"), "10.244.0.64/26");
}

TEST_F(NodesTest, IPAM08_EachFamilyHasItsMask) {
  start("fd00::/56,10.244.0.0/16", R"(,"nodeCIDRMaskSizeIPv4":25,"nodeCIDRMaskSizeIPv6":66)");
  add_all({"n1", "n2"});
  EXPECT_EQ(cidrs("n1"), "fd00::/66,10.244.0.0/25");
  EXPECT_EQ(cidrs("n2"), "fd00::4000:0:0:0/66,10.244.0.128/25");
}

TEST_F(NodesTest, IPAM09_NumbersCarryIntoTheUpperHalf) {
  constexpr int kBefore = 256;
  for (int i = 0; i < kBefore; ++i) {
    char text[32];
    std::snprintf(text, sizeof(text), R"(["fd00:0:0:0:%x::/72"])", i << 8U);
    put("old-" + std::to_string(i), text);
  }
  start("fd00::/60", R"(,"nodeCIDRMaskSize":72)");
  add("n1");
  EXPECT_EQ(cidrs("n1"), "fd00:0:0:1::/72");
}

TEST_F(NodesTest, IPAM10_ABlockThatServicesTouchIsSkipped) {
  start(kRange, R"(,"serviceCIDR":"10.244.1.0/25")");
  add_all({"n1", "n2"});
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("n2"), "10.244.2.0/24");
}

TEST_F(NodesTest, IPAM11_TheSecondServiceRangeCountsToo) {
  start(kRange, R"(,"serviceCIDR":"fd01::/108,10.244.0.0/24")");
  add("n1");
  EXPECT_EQ(cidrs("n1"), "10.244.1.0/24");
}

TEST_F(NodesTest, IPAM12_AServiceRangeOverAllBlocksIsSaidAtTheStart) {
  start(kRange, R"(,"serviceCIDR":"10.0.0.0/8")");
  add("n1");
  EXPECT_EQ(cidrs("n1"), "");
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Normal CIDRNotAvailable Node n1 status is now: CIDRNotAvailable"));
  const testing::LogRecord& warning = cluster_.log().front();
  EXPECT_EQ(warning.message,
            "a service CIDR overlaps a cluster CIDR; Nodes get none of its blocks");
  EXPECT_THAT(warning.fields,
              ElementsAre(std::pair<std::string, std::string>("service", "10.0.0.0/8"),
                          std::pair<std::string, std::string>("cluster", kRange),
                          std::pair<std::string, std::string>("blocksLeft", "0")));
  EXPECT_EQ(cluster_.debug_page(kController, "cidrs")->body, "10.244.0.0/22: 4 of 4 blocks used\n");
  EXPECT_TRUE(cluster_.health(kController).ok());
}

TEST_F(NodesTest, IPAM13_WithoutABlockTheNodeGetsAnEvent) {
  start();
  add_all({"n1", "n2", "n3", "n4", "n5"});
  EXPECT_EQ(cidrs("n5"), "");
  const testing::EventRecord event = cluster_.events().front();
  EXPECT_EQ(event.text(), "Normal CIDRNotAvailable Node n5 status is now: CIDRNotAvailable");
  EXPECT_EQ(event.kind, "Node");
  EXPECT_EQ(event.api_version, "v1");
  EXPECT_EQ(event.uid, cluster_.find<Node>({"", "n5"})->uid());
  EXPECT_THAT(note_text<nodeipam::declare>(), HasSubstr("cidrAllocator"));
}

TEST_F(NodesTest, IPAM14_AWaitingNodeGetsABlockAsSoonAsOneIsFree) {
  start();
  add_all({"n1", "n2", "n3", "n4", "n5"});
  cluster_.advance(20min);  // The next try is minutes away.
  cluster_.remove<Node>({"", "n2"});
  cluster_.run_until_idle();
  EXPECT_EQ(cidrs("n5"), "10.244.1.0/24");
}

TEST_F(NodesTest, IPAM15_AFreedBlockIsGivenOnlyAfterTheRest) {
  start();
  add_all({"n1", "n2", "n3"});
  remove("n1");
  add_all({"n6", "n7"});
  EXPECT_EQ(cidrs("n6"), "10.244.3.0/24");
  EXPECT_EQ(cidrs("n7"), "10.244.0.0/24");
}

TEST_F(NodesTest, IPAM16_IPAM17_ATerminatingNodeKeepsItsBlockUntilItIsGone) {
  start();
  add("n1");
  put("n2", "[]", R"(,"finalizers":["t/f"])");
  settle();
  ASSERT_EQ(cidrs("n2"), "10.244.1.0/24");
  remove("n2");
  add_all({"n8", "n9", "n10"});
  EXPECT_EQ(cidrs("n8"), "10.244.2.0/24");
  EXPECT_EQ(cidrs("n9"), "10.244.3.0/24");
  EXPECT_EQ(cidrs("n10"), "") << "the block of n2 is in use";
  cluster_.erase<Node>({"", "n2"});
  settle();
  EXPECT_EQ(cidrs("n10"), "10.244.1.0/24");
}

TEST_F(NodesTest, IPAM18_ATerminatingNodeWithoutABlockGetsNone) {
  put("n1", "[]", R"(,"finalizers":["t/f"])");
  cluster_.remove<Node>({"", "n1"});
  start();
  EXPECT_EQ(cidrs("n1"), "");
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(NodesTest, IPAM19_IPAM20_IPAM21_ANodeThatComesWithACidrKeepsItsBlocks) {
  struct Case {
    const char* cidr;
    const char* next;
  };
  for (const Case& each :
       {Case{"10.244.0.0/24", "10.244.1.0/24"}, Case{"10.244.0.0/23", "10.244.2.0/24"},
        Case{"10.244.0.128/25", "10.244.1.0/24"}}) {
    start();
    add("nx", "[\"" + std::string(each.cidr) + "\"]");
    add("n1");
    EXPECT_EQ(cidrs("n1"), each.next);
    EXPECT_EQ(cidrs("nx"), each.cidr);
    ASSERT_THAT(patches(), SizeIs(1));
    EXPECT_EQ(patches()[0].name, "n1");
    EXPECT_THAT(cluster_.events(), IsEmpty());
    for (const char* name : {"nx", "n1"}) remove(name);
    cluster_.stop(kController);
    cluster_.clear_records();
  }
}

TEST_F(NodesTest, IPAM22_ABlockOfTwoNodesIsFreeWhenBothAreGone) {
  start();
  add("a1", R"(["10.244.3.0/24"])");
  add("a2", R"(["10.244.3.0/24"])");
  remove("a1");
  add_all({"n1", "n2", "n3", "n4"});
  EXPECT_EQ(cidrs("n3"), "10.244.2.0/24");
  EXPECT_EQ(cidrs("n4"), "") << "a2 still uses the last block";
  remove("a2");
  EXPECT_EQ(cidrs("n4"), "10.244.3.0/24");
}

TEST_F(NodesTest, AWideCidrFreesNothingOfOthers) {
  start(kRange, R"(,"serviceCIDR":"10.244.0.0/24")");
  add("n1");
  add("wide", R"(["10.0.0.0/8"])");
  remove("wide");
  add_all({"n2", "n3", "n4"});
  EXPECT_EQ(cidrs("n2"), "10.244.2.0/24");
  EXPECT_EQ(cidrs("n3"), "10.244.3.0/24");
  EXPECT_EQ(cidrs("n4"), "") << "block 0 is the Services', block 1 that of n1";
}

TEST_F(NodesTest, IPAM23_IPAM24_ANodeWithAForeignCidrIsReportedOnceAndStopsNothing) {
  start();
  add("nx", R"(["192.168.0.0/24"])");
  cluster_.resync("nodes");
  add("n1");
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("nx"), "192.168.0.0/24");
  constexpr const char* kWarning =
      "Warning PodCIDROutOfRange podCIDR 192.168.0.0/24 of the Node is not a block of the cluster "
      "CIDRs 10.244.0.0/22";
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kWarning));
  restart();
  add("n2");
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24");
  EXPECT_TRUE(cluster_.health(kController).ok());
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kWarning));
}

TEST_F(NodesTest, IPAM25_ASecondCidrInASingleStackClusterIsReported) {
  put("nx", R"(["10.244.0.0/24","fd00::/64"])");
  start();
  add("n1");
  EXPECT_EQ(cidrs("n1"), "10.244.1.0/24");
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre(AllOf(HasSubstr("PodCIDROutOfRange"), HasSubstr("podCIDR fd00::/64"))));
}

TEST_F(NodesTest, IPAM26_AReversedOrderGivesNoBlockOfANodeAway) {
  start("10.244.0.0/22,fd00::/62");
  add_all({"n1", "n2"});
  restart("fd00::/62,10.244.0.0/22");
  add("n3");
  EXPECT_EQ(cidrs("n3"), "fd00:0:0:2::/64,10.244.2.0/24");
  EXPECT_THAT(cluster_.event_texts(), SizeIs(2));
  EXPECT_THAT(cluster_.event_texts(), Each(HasSubstr("Warning PodCIDROutOfRange")));
}

TEST_F(NodesTest, IPAM27_IPAM28_AFullFamilyTakesNoBlocksOfTheOther) {
  start("10.244.0.0/20,fd00::/63");
  add_all({"n1", "n2", "n3"});
  cluster_.advance(20s);
  EXPECT_EQ(cidrs("n3"), "");
  EXPECT_EQ(usage("10.244.0.0/20"), 2.0 / 16);
  EXPECT_LT(cluster_.syncs().size(), 30U) << "one back-off, and no loop";
  remove("n1");
  EXPECT_EQ(cidrs("n3"), "10.244.2.0/24,fd00::/64");
}

TEST_F(NodesTest, IPAM37_NodesThatReplaceOthersAtOnceGetDistinctBlocks) {
  start();
  add_all({"n1", "n2", "n3", "n4"});
  for (const char* each : {"n1", "n2", "n3", "n4"}) cluster_.remove<Node>({"", each});
  for (const char* each : {"m1", "m2", "m3", "m4"}) put(each);
  settle();
  for (const char* each : {"m1", "m2", "m3", "m4"}) EXPECT_NE(cidrs(each), "");
  expect_distinct();
}

TEST_F(NodesTest, IPAM38_AThousandNodesAtOnceGetDistinctBlocks) {
  constexpr int kNodes = 1'000;
  start("10.244.0.0/16", R"(,"nodeCIDRMaskSize":26)");
  for (int i = 0; i < kNodes; ++i) put("n" + std::to_string(i));
  cluster_.run_until_idle();
  cluster_.advance(1min);
  for (int i = 0; i < kNodes; ++i) ASSERT_NE(cidrs("n" + std::to_string(i)), "");
  expect_distinct();
  EXPECT_THAT(patches(), SizeIs(kNodes));
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(NodesTest, IPAM40_IPAM41_ChangesOfNodesAndResyncsWriteNothing) {
  start();
  add_all({"n1", "n2"});
  cluster_.clear_records();
  for (int i = 0; i < 10; ++i) {
    cluster_.merge<Node>({"", "n1"},
                         R"({"metadata":{"labels":{"beat":")" + std::to_string(i) + R"("}}})");
    cluster_.advance(1s);
  }
  cluster_.resync("nodes");
  settle();
  EXPECT_THAT(cluster_.requests(), IsEmpty());
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(NodesTest, ANodeWithBlocksOfTheClusterIsNotSyncedAgain) {
  start();
  add("n1");
  EXPECT_THAT(cluster_.syncs(), SizeIs(1));
  cluster_.clear_records();
  restart();
  EXPECT_THAT(cluster_.syncs(), IsEmpty());
  EXPECT_EQ(usage(), 0.25);
}

TEST_F(NodesTest, IPAM42_IPAM43_MetricsHaveUpstreamsNamesAndValues) {
  start();
  add_all({"n1", "n2", "n3"});
  EXPECT_EQ(total(kAllocations), 3);
  EXPECT_EQ(usage(), 0.75);
  EXPECT_THAT(samples("node_ipam_controller_cirdset_max_cidrs"), ElementsAre(4));
  EXPECT_THAT(samples("node_ipam_controller_cidrset_allocation_tries_per_request"),
              ElementsAre(0, 0, 0));
  EXPECT_THAT(samples(kReleases), IsEmpty());
  remove("n1");
  EXPECT_EQ(total(kReleases), 1);
  EXPECT_EQ(usage(), 0.5);
}

TEST_F(NodesTest, IPAM48_LongNamesAndManyLabelsAreNoProblem) {
  start();
  const std::string name = std::string(61, 'a') + "." + std::string(63, 'b') + "." +
                           std::string(63, 'c') + "." + std::string(63, 'd');
  ASSERT_EQ(name.size(), 253U);
  put(name);
  std::string labels;
  for (int i = 0; i < 10'000; ++i) {
    labels += (i == 0 ? "\"l" : ",\"l") + std::to_string(i) + "\":\"x\"";
  }
  put("labelled", "[]", R"(,"labels":{)" + labels + "}");
  settle();
  EXPECT_EQ(cidrs(name), "10.244.0.0/24");
  EXPECT_EQ(cidrs("labelled"), "10.244.1.0/24");
}

TEST_F(NodesTest, IPAM46_TheNoteAllowsWhatTheControllerDoesAndNoMore) {
  start();
  add_all({"n1", "n2", "n3", "n4", "n5"});
  remove("n1");
  EXPECT_NE(cidrs("n5"), "") << "others are not affected by events, which nothing waits for";
  EXPECT_THAT(cluster_.unused_declarations(), Each(HasSubstr(R"("resource":"events")")));
}

}  // namespace
}  // namespace davit::nodeipam
