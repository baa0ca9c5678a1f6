/// Writes that fail, and whose answers are lost.
#include "tests/plugins/nodeipam/fixture.hpp"

namespace davit::nodeipam {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class FailuresTest : public NodeIpamTest {
 protected:
  void fail(Fault fault) {
    fault.verb = Verb::kPatch;
    fault.resource = "nodes";
    cluster_.fail_next(fault);
  }
  /// There is one block. The writes of n1 are carried out, neither their answers nor their events
  /// arrive, and n2 waits for a block.
  void lose_answers(Fault fault) {
    start("10.244.0.0/24");
    fault.times = 3;
    fault.effect = testing::Effect::kApplied;
    fail(fault);
    put("n1");
    put("n2");
    cluster_.on_request([this](const testing::RequestRecord& each) {
      if (each.verb == Verb::kPatch) cluster_.hold("nodes");
    });
    cluster_.run_until_idle();
    cluster_.on_request({});
    cluster_.advance(5s);
  }
  static constexpr const char* kFailed =
      "Normal CIDRAssignmentFailed Node n1 status is now: CIDRAssignmentFailed";

  bool is_done_ = false;
};

TEST_F(FailuresTest, IPAM29_TwoFailuresAreMadeUpForInTheSameSync) {
  start();
  fail({.times = 2});
  add("n1");
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_THAT(patches(), SizeIs(3));
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(FailuresTest, IPAM30_WritesOfUnknownOutcomeKeepOneBlock) {
  start();
  fail({.times = Fault::kAlways});
  put("n1");
  cluster_.run_until_idle();
  EXPECT_THAT(patches(), SizeIs(3));
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kFailed));
  cluster_.advance(1min);
  EXPECT_GT(patches().size(), 3U);
  for (const testing::RequestRecord& each : patches()) {
    EXPECT_EQ(each.json()["spec"]["podCIDR"].dump(), R"("10.244.0.0/24")")
        << "the server may have set it, so no other one can be right";
  }
  EXPECT_EQ(usage(), 0.25);
  cluster_.clear_faults();
  cluster_.advance(30min);
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(usage(), 0.25);
  add("n2");
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24");
}

TEST_F(FailuresTest, IPAM31_AWriteThatWasCarriedOutKeepsItsBlock) {
  lose_answers({.http_status = 504, .reason = "ServerTimeout"});
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("n2"), "");
  cluster_.release("nodes");
  cluster_.advance(1min);
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("n2"), "");
}

TEST_F(FailuresTest, ABlockOfALostAnswerGoesToNoOtherNode) {
  for (const int status : {0, 500}) {
    lose_answers({.http_status = status});
    EXPECT_EQ(cidrs("n2"), "") << status;
    cluster_.release("nodes");
    cluster_.advance(1min);
    EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
    EXPECT_EQ(cidrs("n2"), "");
    cluster_.clear_faults();
    cluster_.stop(kController);
    for (const char* each : {"n1", "n2"}) cluster_.erase<Node>({"", each});
  }
}

TEST_F(FailuresTest, IPAM32_BeatsBeforeTheWatchEventCauseNoSecondWrite) {
  start();
  put("n1");
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.verb == Verb::kPatch) cluster_.hold("nodes");
  });
  cluster_.run_until_idle();
  cluster_.on_request({});
  cluster_.merge<Node>({"", "n1"}, R"({"metadata":{"labels":{"beat":"1"}}})");
  cluster_.advance(3s);
  EXPECT_THAT(patches(), SizeIs(1));
  cluster_.release("nodes");
  settle();
  EXPECT_THAT(patches(), SizeIs(1));
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
}

TEST_F(FailuresTest, IPAM33_ACidrOfSomebodyElseStaysAndTheReservedBlockIsFree) {
  start();
  put("n1");
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.verb != Verb::kPatch || is_done_) return;
    is_done_ = true;
    put("n1", R"(["10.244.2.0/24"])");
  });
  settle();
  EXPECT_EQ(cidrs("n1"), "10.244.2.0/24");
  EXPECT_EQ(usage(), 0.25);
  EXPECT_EQ(cluster_.debug_page(kController, "cidrs")->body, "10.244.0.0/22: 1 of 4 blocks used\n");
  add_all({"n2", "n3", "n4", "n5"});
  EXPECT_EQ(cidrs("n2"), "10.244.1.0/24");
  EXPECT_EQ(cidrs("n4"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("n5"), "");
}

TEST_F(FailuresTest, IPAM34_ANodeMadeAgainUnderItsNameLosesNoBlock) {
  start();
  add_all({"n1", "n2"});
  cluster_.hold("nodes");
  cluster_.remove<Node>({"", "n1"});
  put("n1", "[]", R"(,"uid":"again")");
  cluster_.release("nodes");
  settle();
  EXPECT_NE(cidrs("n1"), "");
  EXPECT_EQ(usage(), 0.5);
  add_all({"n3", "n4"});
  EXPECT_NE(cidrs("n4"), "");
  expect_distinct();
}

TEST_F(FailuresTest, ABlockIsNotWrittenToANamesakeOfItsNode) {
  start();
  put("n1");
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.verb != Verb::kPatch || is_done_) return;
    is_done_ = true;
    cluster_.erase<Node>({"", "n1"});
    put("n1", "[]", R"(,"uid":"again")");
    put("n2", "[]");
  });
  cluster_.run_one_sync();
  cluster_.on_request({});
  EXPECT_EQ(cidrs("n1"), "");
  EXPECT_FALSE(patches().at(0).ok());
  settle();
  cluster_.advance(1min);
  EXPECT_NE(cidrs("n1"), "");
  EXPECT_EQ(usage(), 0.5);
  expect_distinct();
}

TEST_F(FailuresTest, IPAM47_ARefusedWriteGivesItsBlockBack) {
  start();
  fail({.http_status = 403, .reason = "Forbidden", .times = Fault::kAlways});
  put("n1");
  cluster_.run_until_idle();
  EXPECT_THAT(patches(), SizeIs(3));
  EXPECT_THAT(cluster_.event_texts(), ElementsAre(kFailed));
  EXPECT_EQ(usage(), 0);
  cluster_.advance(1min);
  EXPECT_EQ(usage(), 0);
  EXPECT_EQ(patches().size() % 3, 0U);
  EXPECT_LT(patches().size(), 3U * 20U) << "with back-off";
  cluster_.clear_faults();
  cluster_.advance(30min);
  EXPECT_NE(cidrs("n1"), "");
  EXPECT_EQ(usage(), 0.25);
}

TEST_F(FailuresTest, ARefusalFreesNoBlockThatAnEarlierWriteMayHaveSet) {
  start("10.244.0.0/24");
  fail({.times = 3});
  fail({.name = "n1", .http_status = 403, .reason = "Forbidden", .times = Fault::kAlways});
  put("n1");
  cluster_.run_until_idle();
  add("n2");
  cluster_.advance(30min);
  EXPECT_GT(patches().size(), 6U) << "the write is refused after the unknown ones";
  EXPECT_EQ(cidrs("n2"), "") << "the server may carry out the first write of n1 at any time";
  cluster_.clear_faults();
  cluster_.advance(30min);
  EXPECT_EQ(cidrs("n1"), "10.244.0.0/24");
  EXPECT_EQ(cidrs("n2"), "");
  cluster_.remove<Node>({"", "n1"});
  settle();
  EXPECT_EQ(cidrs("n2"), "10.244.0.0/24");
}

TEST_F(FailuresTest, BlocksThatNobodyMayWriteArePassedOnWithPauses) {
  start("10.244.0.0/24");
  fail({.http_status = 403, .reason = "Forbidden", .times = Fault::kAlways});
  for (int i = 0; i < 50; ++i) put("n" + std::to_string(i));
  cluster_.run_until_idle();
  cluster_.clear_records();
  cluster_.advance(10min);
  EXPECT_LT(patches().size(), 3U * 50U * 20U);
  cluster_.clear_faults();
  cluster_.advance(30min);
  expect_distinct();
  EXPECT_EQ(usage("10.244.0.0/24"), 1);
}

TEST_F(FailuresTest, ANodeThatIsGonePassesItsBlockOn) {
  start("10.244.0.0/24");
  fail({.times = Fault::kAlways});
  add_all({"n1", "n2"});
  cluster_.clear_faults();
  cluster_.remove<Node>({"", "n1"});
  settle();
  EXPECT_EQ(cidrs("n2"), "10.244.0.0/24");
}

TEST_F(FailuresTest, IPAM50_AClockThatJumpsDelaysNoWaitingNode) {
  start();
  add_all({"n1", "n2", "n3", "n4", "n5"});
  for (const auto jump : {-1h, 1h}) {
    cluster_.set_wall_clock(cluster_.wall_now() + jump);
    cluster_.clear_records();
    cluster_.advance(17min);
    EXPECT_GE(cluster_.syncs().size(), 1U) << "the longest back-off is 1000 s";
  }
}

}  // namespace
}  // namespace davit::nodeipam
