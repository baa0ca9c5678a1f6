/// The Nodes of load balancers. Ids: docs/spec/cloud.md.
#include "tests/plugins/cloud/fixture.hpp"

namespace davit::cloud {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kSyncs = "service_controller_loadbalancer_sync_total";
constexpr const char* kErrors = "service_controller_nodesync_error_total";

class HostsTest : public CloudFixture {};

TEST_F(HostsTest, CLD042_ANewNodeIsOneUpdate) {
  begin_with_service();
  add_node("n3");
  EXPECT_THAT(script.calls, ElementsAre("update default/s n1,n2,n3"));
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Normal UpdatedLoadBalancer Updated load balancer with new hosts"));
  EXPECT_EQ(total(kSyncs), 1);
}

TEST_F(HostsTest, CLD043_ReadinessCordonsAndTaintsCauseNoCall) {
  begin_with_service();
  for (const char* const patch :
       {R"({"status":{"conditions":[{"type":"Ready","status":"False"}]}})",
        R"({"spec":{"unschedulable":true}})",
        R"({"spec":{"taints":[{"key":"x","effect":"NoSchedule"}]}})",
        R"({"metadata":{"annotations":{"heartbeat":"1"}}})"}) {
    change_node("n1", patch);
    EXPECT_THAT(script.calls, IsEmpty()) << patch;
  }
}

TEST_F(HostsTest, CLD044_ALabelExcludesANode) {
  begin_with_service();
  const auto label = [this](const std::string& value) {
    clear();
    change_node("n1", R"({"metadata":{"labels":{)"
                      R"("node.kubernetes.io/exclude-from-external-load-balancers":)" +
                          value + "}}}");
  };
  label(R"("")");
  EXPECT_THAT(script.calls, ElementsAre("update default/s n2"));
  label(R"("false")");
  EXPECT_THAT(script.calls, ElementsAre("update default/s n1,n2"));
  label("null");
  EXPECT_THAT(script.calls, IsEmpty());
}

TEST_F(HostsTest, CLD045_TheAutoscalersTaintCountsAtTheNextEnsure) {
  begin_with_service();
  change_node("n1", R"({"spec":{"taints":[{"key":"ToBeDeletedByClusterAutoscaler",)"
                    R"("effect":"NoSchedule"}]}})");
  EXPECT_THAT(script.calls, IsEmpty());
  change(R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n2"));
}

TEST_F(HostsTest, CLD046_AProviderIdIsAChange) {
  begin_with_service();
  change_node("n1", R"({"spec":{"providerID":"t://1"}})");
  EXPECT_THAT(script.calls, ElementsAre("update default/s n1,n2"));
}

TEST_F(HostsTest, CLD047_TheLastNodeLeavesAWarning) {
  begin_with_service();
  cluster_.remove<Node>({"", "n1"});
  cluster_.run_until_idle();
  clear();
  cluster_.remove<Node>({"", "n2"});
  cluster_.run_until_idle();
  EXPECT_THAT(script.calls, ElementsAre("update default/s"));
  EXPECT_THAT(cluster_.event_texts(),
              ElementsAre("Warning UnAvailableLoadBalancer There are no available nodes for "
                          "LoadBalancer"));
}

TEST_F(HostsTest, CLD048_AFailedUpdateBecomesAnEnsure) {
  begin_with_service();
  script.answers["update"] = {kFails};
  add_node("n3");
  EXPECT_THAT(script.calls, ElementsAre("update default/s n1,n2,n3", "get default/s",
                                        "ensure default/s n1,n2,n3"));
  EXPECT_THAT(cluster_.event_texts(),
              Contains("Warning UpdateLoadBalancerFailed Error updating load balancer with new "
                       "hosts [n1 n2 n3] [node names limited, total number of nodes: 3], error: "
                       "no quota"));
  EXPECT_EQ(total(kErrors), 1);
}

TEST_F(HostsTest, CLD049_AFailedUpdateOfNothingIsNoFailure) {
  begin_with_service();
  script.answers["update"] = {kFails};
  script.usual["get"] = CloudReply::not_found();
  add_node("n3");
  EXPECT_THAT(script.calls, ElementsAre("update default/s n1,n2,n3", "get default/s"));
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(HostsTest, CLD050_ALoadBalancerOfSomebodyElseGetsNoEvent) {
  begin_with_service();
  script.usual["update"] = CloudReply::not_ours();
  add_node("n3");
  EXPECT_THAT(script.calls, ElementsAre("update default/s n1,n2,n3"));
  EXPECT_THAT(cluster_.events(), IsEmpty());
}

TEST_F(HostsTest, CLD051_TwentyNamesAreEnoughForAnEvent) {
  begin_with_service();
  for (int i = 10; i < 33; ++i) add_node("m" + std::to_string(i));
  clear();
  script.answers["update"] = {kFails};
  add_node("m33");
  EXPECT_THAT(cluster_.event_texts(),
              Contains(AllOf(HasSubstr("[m10 m11 m12 "),
                             HasSubstr("m29 <6 more>] [node names limited, total number of nodes: "
                                       "26], error: "))));
}

TEST_F(HostsTest, CLD052_AnUpdateWaitsForTheEnsureOfItsService) {
  begin_with_service();
  script.during = [this](const std::string& call) {
    if (call.starts_with("ensure") && script.calls.size() == 1) {
      cluster_.add(
          Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n3"},"spec":{}})"));
    }
  };
  change(R"({"metadata":{"annotations":{"a":"b"}}})");
  EXPECT_THAT(script.calls, ElementsAre("ensure default/s n1,n2", "update default/s n1,n2,n3"));
}

TEST_F(HostsTest, CLD053_ManyNodesAtOnceAreFewUpdates) {
  begin();
  for (int i = 0; i < 50; ++i) add_service("s" + std::to_string(i));
  clear();
  for (int i = 0; i < 100; ++i) {
    cluster_.add(Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"m)" +
                            std::to_string(i) + R"("},"spec":{}})"));
  }
  cluster_.run_until_idle();
  EXPECT_THAT(script.calls, SizeIs(50));
  for (const std::string& each : script.calls) {
    EXPECT_THAT(each, AllOf(StartsWith("update "), HasSubstr("m0,"), HasSubstr("m99")));
  }
}

TEST_F(HostsTest, CLD058_TheMetricsAreThoseOfUpstream) {
  begin_with_service();
  add_node("n3");
  std::vector<std::string> names;
  for (const auto& each : cluster_.metrics()) {
    EXPECT_THAT(each.labels, IsEmpty());
    names.push_back(each.name);
  }
  EXPECT_THAT(names, AllOf(Contains(kSyncs),
                           Contains("service_controller_update_loadbalancer_host_latency_seconds"),
                           Contains("service_controller_nodesync_latency_seconds"),
                           Not(Contains(kErrors))));
}

}  // namespace
}  // namespace davit::cloud
