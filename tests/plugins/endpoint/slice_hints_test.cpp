/// Rows ES69 to ES84: hints by trafficDistribution and by the topology annotations.
#include <gtest/gtest.h>

#include "tests/plugins/endpoint/slices_fixture.hpp"

namespace davit::endpoint {
namespace {

using HintTexts = std::vector<std::string>;

class SliceHintsTest : public SlicesTest {
 protected:
  static constexpr std::string_view kAuto =
      R"({"metadata":{"annotations":{"service.kubernetes.io/topology-mode":"Auto"}}})";
  static constexpr const char* kEnabled =
      "Normal TopologyAwareHintsEnabled Topology Aware Hints has been enabled, addressType: IPv4";

  static std::string on(const std::string& node) {
    return R"({"spec":{"nodeName":")" + node + R"("}})";
  }
  static std::string distribution(const std::string& value) {
    return R"({"spec":{"trafficDistribution":")" + value + R"("}})";
  }
  static std::string disabled(const std::string& why) {
    return "Warning TopologyAwareHintsDisabled " + why + ", addressType: IPv4";
  }
  void start_distributed(const std::string& value, const std::string& node) {
    add_pod("p", "10.0.0.1", on(node));
    add_service(distribution(value));
    start();
  }
  /// Nodes n1 and n2 only, seen by the controller before there is a Service.
  void start_in_two_zones() {
    cluster().erase<Node>({"", "n0"});
    start();
  }
  /// As many pods on each.
  void add_pods_on(int n1, int n2) {
    for (int i = 0; i < n1; ++i) add_numbered("a", i, "n1");
    for (int i = 0; i < n2; ++i) add_numbered("b", i, "n2");
  }
  void run_auto(int n1, int n2) {
    start_in_two_zones();
    add_pods_on(n1, n2);
    add_service(kAuto);
    run_until_idle();
  }
  /// The hints of all endpoints, sorted.
  [[nodiscard]] HintTexts hints() {
    HintTexts out;
    for (const Json& slice : slices()) {
      for (const Json& each : items(slice, "endpoints")) out.push_back(hints_of(each));
    }
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  void add_numbered(const std::string& prefix, int number, const std::string& node) {
    add_pod(prefix + std::to_string(number),
            "10.0." + std::string(node == "n1" ? "1." : "2.") + std::to_string(number), on(node));
  }
};

TEST_F(SliceHintsTest, ES69_PreferCloseIsForTheZone) {
  start_distributed("PreferClose", "n1");
  EXPECT_EQ(hints_of(endpoint()), "za|");
  EXPECT_EQ(endpoint().at({"hints", "forNodes"}), nullptr);
}

TEST_F(SliceHintsTest, ES70_WithoutAZoneThereAreNoHints) {
  start_distributed("PreferSameZone", "n0");
  EXPECT_EQ(endpoint().find("hints"), nullptr);
}

TEST_F(SliceHintsTest, ES71_PreferSameNodeIsForZoneAndNode) {
  start_distributed("PreferSameNode", "n1");
  EXPECT_EQ(hints_of(endpoint()), "za|n1");
}

TEST_F(SliceHintsTest, ES72_PreferSameNodeNeedsNoZone) {
  start_distributed("PreferSameNode", "n0");
  EXPECT_EQ(hints_of(endpoint()), "|n0");
}

TEST_F(SliceHintsTest, ES73_OnlyReadyEndpointsHaveHints) {
  add_pod("p", "10.0.0.1", kNotReady);
  add_pod("q", "10.0.0.2");
  add_service(distribution("PreferClose"));
  start();
  delete_pod("q");
  run_until_idle();
  EXPECT_EQ(hints(), HintTexts({"", ""}));

  set_ready("p", "True");
  run_until_idle();
  EXPECT_EQ(hints(), HintTexts({"", "za|"}));
}

TEST_F(SliceHintsTest, ES74_WithoutPreferenceForNodesTheirHintsGo) {
  start_distributed("PreferSameNode", "n1");
  edit_service(distribution("PreferSameZone"));
  run_until_idle();
  EXPECT_EQ(hints_of(endpoint()), "za|");
}

TEST_F(SliceHintsTest, ES75_WithoutDistributionHintsGoFromAllSlices) {
  add_pods(0, 2);
  add_service(distribution("PreferClose"));
  start(R"({"maxEndpointsPerSlice":1,"writeWindow":"0s"})");
  EXPECT_EQ(hints(), HintTexts({"za|", "za|"}));

  edit_service(R"({"spec":{"trafficDistribution":null}})");
  run_until_idle();
  EXPECT_EQ(hints(), HintTexts({"", ""}));
  EXPECT_EQ(events(), HintTexts());
}

TEST_F(SliceHintsTest, ES76_ZonesOfEqualSizeGetTheirOwnEndpoints) {
  run_auto(1, 1);
  EXPECT_EQ(hints(), HintTexts({"za|", "zb|"}));
  EXPECT_EQ(events(), HintTexts({kEnabled}));
}

TEST_F(SliceHintsTest, ES77_AZoneWithoutEndpointsGetsThoseOfAnother) {
  run_auto(4, 0);
  EXPECT_EQ(hints(), HintTexts({"za|", "za|", "zb|", "zb|"}));
}

TEST_F(SliceHintsTest, ES78_FewerEndpointsThanZonesHaveNoHints) {
  run_auto(1, 0);
  EXPECT_EQ(hints(), HintTexts({""}));
  EXPECT_EQ(events(),
            HintTexts({disabled("Insufficient number of endpoints (1 endpoints, 2 zones)")}));
}

TEST_F(SliceHintsTest, ES79_ThreeEndpointsCannotServeTwoZonesEqually) {
  run_auto(2, 1);
  EXPECT_EQ(hints(), HintTexts({"", "", ""}));
  EXPECT_EQ(events(),
            HintTexts({disabled("Unable to allocate minimum required endpoints to each zone "
                                "without exceeding overload threshold "
                                "(3 endpoints, 2 zones)")}));
}

TEST_F(SliceHintsTest, ES80_AReadyNodeWithoutZoneRulesHintsOut) {
  start();
  add_pods_on(1, 1);
  add_service(kAuto);
  run_until_idle();
  EXPECT_EQ(hints(), HintTexts({"", ""}));
  EXPECT_EQ(events(),
            HintTexts({disabled("Insufficient Node information: allocatable CPU or zone not "
                                "specified on one or more nodes")}));
}

TEST_F(SliceHintsTest, ES81_WithoutTheAnnotationHintsGo) {
  run_auto(1, 1);
  clear_records();
  edit_service(R"({"metadata":{"annotations":{"service.kubernetes.io/topology-mode":null}}})");
  run_until_idle();
  EXPECT_EQ(hints(), HintTexts({"", ""}));
  EXPECT_EQ(events(), HintTexts({disabled("Topology Aware Hints has been disabled")}));
}

TEST_F(SliceHintsTest, ES82_TheDeprecatedAnnotationComesFirst) {
  start_in_two_zones();
  add_pods_on(1, 1);
  add_service(R"({"metadata":{"annotations":{
      "service.kubernetes.io/topology-aware-hints":"disabled",
      "service.kubernetes.io/topology-mode":"Auto"}}})");
  run_until_idle();
  EXPECT_EQ(hints(), HintTexts({"", ""}));
  EXPECT_EQ(events(), HintTexts());
}

TEST_F(SliceHintsTest, ES83_TheAnnotationComesBeforeTheDistribution) {
  start_in_two_zones();
  add_pods_on(1, 1);
  add_service(R"({"metadata":{"annotations":{"service.kubernetes.io/topology-mode":"Auto"}},
                  "spec":{"trafficDistribution":"PreferSameNode"}})");
  run_until_idle();
  EXPECT_EQ(hints(), HintTexts({"za|", "zb|"}));
}

TEST_F(SliceHintsTest, ES84_ANodeWithoutZoneTakesHintsAwayAtOnce) {
  run_auto(1, 1);
  clear_records();
  add_node("n0", "");
  run_until_idle();
  EXPECT_EQ(hints(), HintTexts({"", ""}));
  EXPECT_EQ(events(),
            HintTexts({disabled("Insufficient Node information: allocatable CPU or zone not "
                                "specified on one or more nodes")}));
}

}  // namespace
}  // namespace davit::endpoint
