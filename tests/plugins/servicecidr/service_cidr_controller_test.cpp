/// Rows CC-01 to CC-21.
#include "plugins/servicecidr/service_cidr_controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/condition.hpp>
#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

#include "plugins/servicecidr/note.hpp"

namespace davit::servicecidr {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class ServiceCidrControllerTest : public ::testing::Test {
 protected:
  using Json = testing::Json;
  using Verb = testing::Verb;
  static constexpr const char* kController = "service-cidr-controller";

  void SetUp() override { start(); }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }
  void start() {
    ASSERT_TRUE(cluster_.start(kController, &make_without_options<ServiceCidrController>).ok());
    settle();
  }
  void settle() { cluster_.run_until_idle(); }

  /// `cidrs` in JSON.
  void add(const std::string& name, const std::string& cidrs) {
    cluster_.add(
        R"({"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":")" + name +
        R"("},"spec":{"cidrs":)" + cidrs + "}}");
    settle();
  }
  void take(const std::string& address, const std::string& manager = "ipallocator.k8s.io") {
    Json object = Json::must(R"({"apiVersion":"networking.k8s.io/v1","kind":"IPAddress",
        "spec":{"parentRef":{"resource":"services","namespace":"default","name":"web"}}})");
    object["metadata"]["name"] = address;
    const bool is_ipv6 = address.find(':') != address.npos;
    object["metadata"]["labels"]["ipaddress.kubernetes.io/ip-family"] = is_ipv6 ? "IPv6" : "IPv4";
    object["metadata"]["labels"]["ipaddress.kubernetes.io/managed-by"] = manager;
    cluster_.add(object);
    settle();
  }
  void give_back(const std::string& address) {
    cluster_.remove<IpAddress>({"", address});
    settle();
  }
  void remove(const std::string& name) {
    cluster_.remove<ServiceCidr>({"", name});
    settle();
  }
  [[nodiscard]] bool has(const std::string& name) {
    return cluster_.find<ServiceCidr>({"", name}).has_value();
  }
  [[nodiscard]] std::string finalizers(const std::string& name) const {
    return cluster_.json<ServiceCidr>({"", name})["metadata"]["finalizers"].dump();
  }
  /// "True reason message".
  [[nodiscard]] std::string ready(const std::string& name) {
    const auto object = cluster_.find<ServiceCidr>({"", name});
    const auto found = object ? find_condition(object->conditions(), "Ready") : std::nullopt;
    if (!found) return "";
    return std::string(found->status()) + " " + std::string(found->reason()) + " " +
           std::string(found->message());
  }
  [[nodiscard]] std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const testing::RequestRecord& each : cluster_.requests()) out.push_back(each.text());
    return out;
  }
  /// c = 10.50.0.0/24, which was deleted while an address in it was taken.
  void delete_used() {
    add("c", R"(["10.50.0.0/24"])");
    take("10.50.0.10");
    remove("c");
    ASSERT_EQ(ready("c"), kTerminating);
  }

  static constexpr const char* kReady = "True  Kubernetes Service CIDR is ready";
  static constexpr const char* kTerminating =
      "False Terminating There are still IPAddresses referencing the ServiceCIDR, please remove "
      "them or create a new ServiceCIDR";
  static constexpr const char* kFinalizers = R"(["networking.k8s.io/service-cidr-finalizer"])";

  bool is_recreated_ = false;
  testing::Cluster cluster_{{.note = note_text<servicecidr::declare>()}};
};

TEST_F(ServiceCidrControllerTest, CC01_TheServersOwnRangeIsTakenOver) {
  cluster_.add(R"({"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR",
      "metadata":{"name":"kubernetes"},"spec":{"cidrs":["10.0.0.0/24"]},"status":{"conditions":[
        {"type":"Ready","status":"True","reason":"","lastTransitionTime":"2024-05-01T12:00:00Z",
         "message":"Kubernetes default Service CIDR is ready"}]}})");
  settle();
  EXPECT_EQ(finalizers("kubernetes"), kFinalizers);
  EXPECT_EQ(ready("kubernetes"), kReady);
}

TEST_F(ServiceCidrControllerTest, CC02_ANewRangeGetsFinalizerAndCondition) {
  add("c", R"(["10.50.0.0/24"])");
  EXPECT_EQ(finalizers("c"), kFinalizers);
  EXPECT_EQ(ready("c"), kReady);
  const auto writes = cluster_.writes();
  ASSERT_THAT(requests(),
              ElementsAre("patch servicecidrs/c 200", "patch servicecidrs/c/status 200"));
  EXPECT_EQ(writes[0].patch_type, PatchType::kStrategic);
  EXPECT_EQ(writes[0].json()["metadata"]["finalizers"].dump(), kFinalizers);
  EXPECT_EQ(writes[1].patch_type, PatchType::kApply);
  EXPECT_NE(writes[1].query.find("fieldManager=service-cidr-controller"), std::string::npos)
      << writes[1].query;
  EXPECT_EQ(writes[1].json()["status"].dump(),
            R"({"conditions":[{"type":"Ready","status":"True",)"
            R"("lastTransitionTime":"2024-05-01T12:00:00Z","reason":"",)"
            R"("message":"Kubernetes Service CIDR is ready"}]})");
  cluster_.resync("servicecidrs");
  settle();
  EXPECT_THAT(requests(), SizeIs(2));
}

TEST_F(ServiceCidrControllerTest, CC03_FinalizerAndConditionAreRestored) {
  add("c", R"(["10.50.0.0/24"])");
  cluster_.merge<ServiceCidr>({"", "c"}, R"({"metadata":{"finalizers":null}})");
  settle();
  EXPECT_EQ(finalizers("c"), kFinalizers);
  cluster_.merge<ServiceCidr>({"", "c"}, R"({"status":{"conditions":[{"type":"Ready",
      "status":"False","reason":"x","message":"","lastTransitionTime":"2024-05-01T12:00:00Z"}]}})");
  settle();
  EXPECT_EQ(ready("c"), kReady);
}

TEST_F(ServiceCidrControllerTest, CC04_OtherConditionsAndFinalizersStay) {
  cluster_.add(R"({"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR",
      "metadata":{"name":"c","finalizers":["example.com/x"]},"spec":{"cidrs":["10.50.0.0/24"]},
      "status":{"conditions":[{"type":"X","status":"True","reason":"Y","message":"z",
        "lastTransitionTime":"2024-05-01T12:00:00Z"}]}})");
  settle();
  EXPECT_EQ(ready("c"), kReady);
  const auto object = cluster_.find<ServiceCidr>({"", "c"});
  EXPECT_TRUE(find_condition(object->conditions(), "X"));
  remove("c");
  cluster_.advance(11s);
  EXPECT_EQ(finalizers("c"), R"(["example.com/x"])");
  EXPECT_EQ(ready("c"), kReady);
}

TEST_F(ServiceCidrControllerTest, CC05_AnUnusedRangeGoesAfterTenSeconds) {
  add("c", R"(["10.50.0.0/24"])");
  cluster_.clear_records();
  remove("c");
  cluster_.advance(10s - 1ms);
  EXPECT_TRUE(has("c"));
  EXPECT_EQ(ready("c"), kReady);
  cluster_.advance(1s);
  EXPECT_FALSE(has("c"));
  ASSERT_THAT(requests(), ElementsAre("patch servicecidrs/c 200"));
  EXPECT_EQ(cluster_.writes()[0].json()["metadata"]["$deleteFromPrimitiveList/finalizers"].dump(),
            kFinalizers);
}

TEST_F(ServiceCidrControllerTest, CC06_ARangeWithAnAddressStays) {
  delete_used();
  cluster_.advance(1h);
  EXPECT_TRUE(has("c"));
  EXPECT_EQ(ready("c"), kTerminating);
}

TEST_F(ServiceCidrControllerTest, CC07_TheRangeGoesWithItsLastAddress) {
  delete_used();
  cluster_.advance(12s);
  give_back("10.50.0.10");
  cluster_.advance(1s);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, CC08_AParentLetsTheRangeGo) {
  delete_used();
  cluster_.advance(2s);
  add("parent", R"(["10.50.0.0/16"])");
  cluster_.advance(8s - 1ms);
  EXPECT_TRUE(has("c"));
  EXPECT_EQ(ready("c"), kTerminating) << "Q4";
  cluster_.advance(1s);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, CC09_AnotherHolderOfTheAddressLetsTheRangeGo) {
  delete_used();
  add("half", R"(["10.50.0.0/25"])");
  cluster_.advance(11s);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, CC10_ANeighbourChangesNothing) {
  delete_used();
  add("neighbour", R"(["10.50.1.0/24"])");
  cluster_.advance(1min);
  EXPECT_TRUE(has("c"));
}

TEST_F(ServiceCidrControllerTest, CC11_BothFamiliesNeedAParent) {
  add("parent", R"(["10.60.0.0/16"])");
  add("c", R"(["10.60.0.0/24","fd00:60::/112"])");
  take("fd00:60::9");
  take("10.60.0.9");
  remove("c");
  cluster_.advance(1min);
  EXPECT_EQ(ready("c"), kTerminating);
  give_back("fd00:60::9");
  cluster_.advance(1s);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, CC12_OfTwoEqualRangesThatGoTogetherOneStays) {
  add("a", R"(["10.50.0.0/24"])");
  add("b", R"(["10.50.0.0/24"])");
  take("10.50.0.10");
  cluster_.remove<ServiceCidr>({"", "b"});
  remove("a");
  cluster_.advance(1min);
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("b"));
  EXPECT_EQ(ready("b"), kTerminating);
  give_back("10.50.0.10");
  cluster_.advance(1s);
  EXPECT_FALSE(has("b"));
}

TEST_F(ServiceCidrControllerTest, CC13_OneOfTwoEqualRangesGoes) {
  add("a", R"(["10.50.0.0/24"])");
  add("b", R"(["10.50.0.0/24"])");
  take("10.50.0.10");
  remove("b");
  EXPECT_EQ(ready("b"), kReady);
  cluster_.advance(11s);
  EXPECT_FALSE(has("b"));
  EXPECT_TRUE(has("a"));
}

TEST_F(ServiceCidrControllerTest, CC14_AddressesOfOthersDoNotCount) {
  add("c", R"(["10.50.0.0/24"])");
  take("10.50.0.10", "example.com");
  remove("c");
  cluster_.advance(11s);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, CC15_NetworkAndBroadcastAddressesDoNotCount) {
  add("c", R"(["10.50.0.0/24"])");
  take("10.50.0.0");
  take("10.50.0.255");
  take("not-an-address");
  remove("c");
  cluster_.advance(11s);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, CC16_ARangeMayGetItsSecondFamily) {
  add("c", R"(["10.50.0.0/24"])");
  cluster_.clear_records();
  cluster_.merge<ServiceCidr>({"", "c"}, R"({"spec":{"cidrs":["10.50.0.0/24","fd00:50::/112"]}})");
  settle();
  EXPECT_THAT(requests(), IsEmpty());
  take("fd00:50::7");
  remove("c");
  EXPECT_EQ(ready("c"), kTerminating);
}

TEST_F(ServiceCidrControllerTest, AParentThatGetsItsSecondFamilyLetsTheRangeGo) {
  add("c", R"(["fd00:50::/120"])");
  take("fd00:50::10");
  add("parent", R"(["10.60.0.0/16"])");
  remove("c");
  ASSERT_EQ(ready("c"), kTerminating);
  cluster_.merge<ServiceCidr>({"", "parent"},
                              R"({"spec":{"cidrs":["10.60.0.0/16","fd00:50::/112"]}})");
  cluster_.advance(1min);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, AnAddressThatTheAllocatorGivesUpLetsTheRangeGo) {
  delete_used();
  cluster_.merge<IpAddress>(
      {"", "10.50.0.10"},
      R"({"metadata":{"labels":{"ipaddress.kubernetes.io/managed-by":"somebody"}}})");
  cluster_.advance(1min);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, AnAddressThatLosesItsFamilyLetsTheRangeGo) {
  delete_used();
  cluster_.merge<IpAddress>(
      {"", "10.50.0.10"}, R"({"metadata":{"labels":{"ipaddress.kubernetes.io/ip-family":null}}})");
  cluster_.advance(1min);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, ARangeThatIsGoneBeforeItsStatusIsWrittenIsNoError) {
  cluster_.hold("servicecidrs");
  add("c", R"(["10.50.0.0/24"])");
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.subresource == "status") cluster_.erase<ServiceCidr>({"", "c"});
  });
  cluster_.release("servicecidrs");
  cluster_.advance(1min);
  cluster_.on_request({});
  EXPECT_THAT(cluster_.event_texts(), IsEmpty());
}

TEST_F(ServiceCidrControllerTest, CC17_AFailedApplyIsReportedAndTriedSixteenTimes) {
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "servicecidrs",
                      .subresource = "status",
                      .times = testing::Fault::kAlways});
  cluster_.add(R"({"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":"c",
      "finalizers":["networking.k8s.io/service-cidr-finalizer"]},
      "spec":{"cidrs":["10.50.0.0/24"]}})");
  cluster_.advance(1h);
  EXPECT_THAT(cluster_.event_texts(), SizeIs(16));
  EXPECT_THAT(cluster_.event_texts(),
              Each("Warning KubernetesServiceCIDRError The ServiceCIDR Status can not be set to "
                   "Ready=True"));
  EXPECT_THAT(cluster_.requests_of(Verb::kPatch, "servicecidrs", "status"), SizeIs(16));
  cluster_.clear_faults();
  cluster_.resync("servicecidrs");
  settle();
  EXPECT_EQ(ready("c"), kReady) << "Q1: the next event begins anew";
}

TEST_F(ServiceCidrControllerTest, CC18_ADeletionWhileNothingRanIsMadeUpForAtOnce) {
  add("c", R"(["10.50.0.0/24"])");
  cluster_.stop(kController);
  remove("c");
  cluster_.advance(1min);
  EXPECT_TRUE(has("c"));
  start();
  cluster_.advance(1s);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, CC19_AClockThatIsSetBackDelaysButDoesNotSpin) {
  add("c", R"(["10.50.0.0/24"])");
  remove("c");
  cluster_.advance(5s);
  const WallTime before = cluster_.wall_now();
  cluster_.set_wall_clock(before - 1h);
  cluster_.clear_records();
  cluster_.advance(1min);
  EXPECT_TRUE(has("c"));
  EXPECT_LT(cluster_.syncs().size(), 10U);
  cluster_.set_wall_clock(before + 6s);
  cluster_.advance(11s);
  EXPECT_FALSE(has("c"));
}

TEST_F(ServiceCidrControllerTest, AddressesThatTheCacheHasNotSeenYetCount) {
  add("c", R"(["10.50.0.0/24"])");
  cluster_.hold("ipaddresses");
  remove("c");
  cluster_.advance(9s);
  take("10.50.0.10");
  cluster_.advance(1min);
  EXPECT_TRUE(has("c")) << "the address was assigned before its server saw the deletion";
  cluster_.release("ipaddresses");
  cluster_.advance(1min);
  EXPECT_EQ(ready("c"), kTerminating);
}

TEST_F(ServiceCidrControllerTest, CC20_ManyAddressesAreJudgedAtOnce) {
  constexpr int kAddresses = 2'000;  // One sync each.
  add("c", R"(["10.50.0.0/16"])");
  for (int i = 0; i < kAddresses; ++i) {
    Json object = Json::must(R"({"apiVersion":"networking.k8s.io/v1","kind":"IPAddress",
        "metadata":{"labels":{"ipaddress.kubernetes.io/ip-family":"IPv4",
          "ipaddress.kubernetes.io/managed-by":"ipallocator.k8s.io"}}})");
    object["metadata"]["name"] = "10.51." + std::to_string(i / 250) + "." + std::to_string(i % 250);
    cluster_.add(object);
  }
  settle();
  cluster_.clear_records();
  remove("c");
  cluster_.advance(11s);
  EXPECT_FALSE(has("c"));
  EXPECT_LT(cluster_.syncs().size(), 6U);
}

TEST_F(ServiceCidrControllerTest, ARangeOfThatNameThatIsNewKeepsItsFinalizer) {
  add("c", R"(["10.50.0.0/24"])");
  cluster_.remove<ServiceCidr>({"", "c"});
  cluster_.advance(9s);
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.http_status != 0 || is_recreated_) return;
    is_recreated_ = true;
    cluster_.erase<ServiceCidr>({"", "c"});
    cluster_.add(
        R"({"apiVersion":"networking.k8s.io/v1","kind":"ServiceCIDR","metadata":{"name":"c",
        "uid":"new","finalizers":["networking.k8s.io/service-cidr-finalizer"]},
        "spec":{"cidrs":["10.50.0.0/24"]}})");
  });
  cluster_.advance(2s);
  cluster_.on_request({});
  ASSERT_TRUE(has("c"));
  EXPECT_EQ(finalizers("c"), kFinalizers);
  EXPECT_EQ(requests().at(2), "patch servicecidrs/c 422");
}

TEST_F(ServiceCidrControllerTest, CC21_TheNoteAllowsWhatTheControllerDoesAndNoMore) {
  delete_used();
  give_back("10.50.0.10");
  cluster_.advance(11s);
  EXPECT_FALSE(has("c"));
  EXPECT_THAT(cluster_.unused_declarations(), IsEmpty());
}

TEST_F(ServiceCidrControllerTest, AnotherBuildLetsARangeGoOnceItsAddressesAreFree) {
  delete_used();
  ASSERT_TRUE(cluster_.swap(kController, &make_without_options<ServiceCidrController>).ok());
  settle();
  EXPECT_EQ(ready("c"), kTerminating);
  give_back("10.50.0.10");
  cluster_.advance(11s);
  EXPECT_FALSE(has("c"));
}

}  // namespace
}  // namespace davit::servicecidr
