/// Rows RQ43, RQ44 and RQ52 to RQ56: resources that come and go.
#include <algorithm>

#include "tests/plugins/resourcequota/fixture.hpp"

namespace davit::resourcequota {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kWidgets = R"({"count/widgets.example.com":"5"})";
constexpr const char* kWidget = "/apis/example.com/v1/namespaces/t/widgets/";
constexpr const char* kDefinition =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";

class DiscoveryTest : public QuotaTest {};

TEST_F(DiscoveryTest, RQ43_CustomResourcesAreCounted) {
  start();
  define_widgets();
  cluster_.advance(31s);
  quota(kWidgets);
  ASSERT_EQ(used(), "count/widgets.example.com=0");
  for (const char* name : {"a", "b"}) {
    ASSERT_EQ(send("POST", "/apis/example.com/v1/namespaces/t/widgets",
                   R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" +
                       std::string(name) + "\"}}")
                  .http_status,
              201);
  }
  run();
  EXPECT_EQ(used(), "count/widgets.example.com=2");
  erase(std::string(kWidget) + "a");
  run();
  EXPECT_EQ(used(), "count/widgets.example.com=1");
}

TEST_F(DiscoveryTest, RQ44_AQuotaMayComeBeforeItsResource) {
  start(R"({"resourceQuotaSyncPeriod":"2s"})");
  quota(kWidgets);
  ASSERT_EQ(used(), "none");
  define_widgets();
  cluster_.advance(35s);
  EXPECT_EQ(used(), "count/widgets.example.com=0");
}

TEST_F(DiscoveryTest, RQ52_AGroupThatDoesNotRespondIsCountedFurther) {
  define_widgets();
  add_widget("a");
  cluster_.add(pod("p"));
  bool is_stale = false;
  start({}, [&is_stale](Offer& offer) {
    if (!is_stale) return Status();
    std::erase_if(offer.resources,
                  [](const OfferedResource& each) { return each.id.group == "example.com"; });
    offer.unknown.emplace("example.com", "v1");
    return Status();
  });
  quota(R"({"count/widgets.example.com":"5","pods":"5"})");
  ASSERT_EQ(used(), "count/widgets.example.com=1 pods=1");
  is_stale = true;
  cluster_.advance(2 * Monitors::kPeriod);
  erase(std::string(kWidget) + "a");
  cluster_.erase<Pod>({"t", "p"});
  run();
  EXPECT_EQ(used(), "count/widgets.example.com=0 pods=0");
}

TEST_F(DiscoveryTest, RQ53_DiscoveryThatFailsAltogetherChangesNothing) {
  cluster_.add(pod("p"));
  bool is_broken = false;
  start({}, [&is_broken](Offer&) {
    return is_broken ? Status(Code::kUnavailable, "no connection") : Status();
  });
  quota(R"({"pods":"5"})");
  is_broken = true;
  cluster_.advance(2 * Monitors::kPeriod);
  cluster_.erase<Pod>({"t", "p"});
  run();
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(DiscoveryTest, RQ54_AResourceThatCannotBeListedOnlyDelays) {
  cluster_.add(pod("p"));
  start();
  quota(R"({"pods":"5"})");
  define_widgets();
  cluster_.begin_outage("widgets");
  cluster_.advance(Monitors::kWait - 1s);
  cluster_.erase<Pod>({"t", "p"});
  run();
  EXPECT_EQ(used(), "pods=1") << "nothing is counted while new caches fill";
  cluster_.advance(35s);
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(DiscoveryTest, RQ55_AtTheStartItOnlyDelaysTheQuotasThatDoNotCountIt) {
  define_widgets();
  cluster_.begin_outage("widgets");
  start();
  quota(R"({"pods":"5"})");
  cluster_.advance(Monitors::kWait - 1s);
  EXPECT_THAT(cluster_.writes(), IsEmpty()) << "nothing is counted while new caches fill";
  cluster_.advance(2s);
  EXPECT_EQ(used(), "pods=0");
}

TEST_F(DiscoveryTest, RQ56_WhatCannotBeCountedHoldsNothingElseBack) {
  start();
  define_widgets();
  cluster_.begin_outage("widgets");
  cluster_.advance(2 * Monitors::kPeriod + 1s);
  quota(R"({"count/widgets.example.com":"5","configmaps":"5"})");
  EXPECT_EQ(hard(), "configmaps=5 count/widgets.example.com=5");
  EXPECT_EQ(used(), "configmaps=0");
  EXPECT_FALSE(cluster_.syncs().back().ok());
  EXPECT_THAT(cluster_.syncs().back().error,
              HasSubstr("failed to list content: example.com/v1, Resource=widgets not yet synced"));
  cluster_.end_outage("widgets");
  cluster_.advance(60s);
  EXPECT_EQ(used(), "configmaps=0 count/widgets.example.com=0");
}

TEST_F(DiscoveryTest, AResourceThatIsServedNoMoreHasNoObjects) {
  define_widgets();
  add_widget("a");
  start();
  quota(kWidgets);
  ASSERT_EQ(used(), "count/widgets.example.com=1");
  erase(std::string(kWidget) + "a");  // As the server does for all objects of a definition.
  run();
  erase(kDefinition);
  cluster_.advance(2 * Monitors::kPeriod);
  EXPECT_EQ(used(), "count/widgets.example.com=0");
}

TEST_F(DiscoveryTest, AnAnswerThatLacksAResourceChangesNoUsage) {
  cluster_.add(pod("p"));
  cluster_.add(pod("q"));
  bool is_lacking = false;
  start({}, [&is_lacking](Offer& offer) {
    if (!is_lacking) return Status();
    std::erase_if(offer.resources,
                  [](const OfferedResource& each) { return each.id.group.empty(); });
    return Status();
  });
  quota(R"({"pods":"5"})");
  ASSERT_EQ(used(), "pods=2");
  is_lacking = true;
  cluster_.advance(2 * Monitors::kPeriod);
  recalculate();
  EXPECT_EQ(used(), "pods=2");
  cluster_.erase<Pod>({"t", "p"});
  run();
  EXPECT_EQ(used(), "pods=1") << "the server still shows them";
  is_lacking = false;
  const int lists = cluster_.lists("pods");
  cluster_.advance(Monitors::kPeriod);
  EXPECT_EQ(cluster_.lists("pods"), lists);
}

TEST_F(DiscoveryTest, AResourceThatIsRefusedWithObjectsLeftKeepsItsLastKnownUsage) {
  cluster_.add(pod("p"));
  start();
  quota(R"({"pods":"5","configmaps":"5"})");
  ASSERT_EQ(used(), "configmaps=0 pods=1");
  cluster_.remove_resource("pods");
  cluster_.advance(2 * Monitors::kPeriod);
  recalculate();
  EXPECT_EQ(used(), "configmaps=0 pods=1");
  EXPECT_TRUE(cluster_.syncs().back().ok()) << cluster_.syncs().back().error;
}

TEST_F(DiscoveryTest, AVersionCountsUntilTheNextOneHasItsContent) {
  define_widgets();
  add_widget("a");
  bool is_next = false;
  start({}, [&is_next](Offer& offer) {
    for (OfferedResource& each : offer.resources) {
      // The server does not serve it.
      if (is_next && each.id.group == "example.com") each.id.version = "v2";
    }
    return Status();
  });
  quota(kWidgets);
  ASSERT_EQ(used(), "count/widgets.example.com=1");
  is_next = true;
  cluster_.advance(Monitors::kPeriod + Monitors::kWait + 1s);
  recalculate();
  EXPECT_EQ(used(), "count/widgets.example.com=1");
  EXPECT_TRUE(cluster_.syncs().back().ok()) << cluster_.syncs().back().error;
}

TEST_F(DiscoveryTest, AnUnchangedServerIsNotListedAgain) {
  start();
  const int before = cluster_.lists("configmaps");
  cluster_.advance(3 * Monitors::kPeriod);
  EXPECT_EQ(cluster_.lists("configmaps"), before);
}

TEST_F(DiscoveryTest, AServerThatOffersNothingAtTheStartIsAskedAgain) {
  cluster_.add(pod("p"));
  bool offers_nothing = true;
  start({}, [&offers_nothing](Offer& offer) {
    if (offers_nothing) offer = Offer();
    return Status();
  });
  quota(R"({"pods":"5"})");
  cluster_.advance(2 * Monitors::kPeriod);
  EXPECT_THAT(cluster_.writes(), IsEmpty()) << "a count of 0 would be wrong";
  offers_nothing = false;
  cluster_.advance(Monitors::kRetry);
  EXPECT_EQ(used(), "pods=1");
}

TEST_F(DiscoveryTest, WithoutItsCoreGroupTheServersOfferIsNotBelieved) {
  cluster_.add(pod("p"));
  bool lacks_core = true;
  start({}, [&lacks_core](Offer& offer) {
    const auto is_core = [](const OfferedResource& each) { return each.id.group.empty(); };
    if (lacks_core) std::erase_if(offer.resources, is_core);
    return Status();
  });
  quota(R"({"count/deployments.apps":"5","pods":"5"})");
  cluster_.advance(2 * Monitors::kPeriod);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  lacks_core = false;
  cluster_.advance(Monitors::kRetry);
  EXPECT_EQ(used(), "count/deployments.apps=0 pods=1");
}

TEST(ResourcePlanTest, OneVersionOfEachNamespacedResourceIsCounted) {
  const auto offered = [](const char* group, const char* version, const char* resource) {
    return OfferedResource{{group, version, resource}, "Kind", true, true, true};
  };
  Offer offer;
  offer.resources = {
      offered("apps", "v1", "deployments"),      offered("apps", "v1beta1", "deployments"),
      offered("apps", "v1beta1", "controllers"), offered("", "v1", "events"),
      offered("events.k8s.io", "v1", "events"),  offered("", "v1", "bindings")};
  offer.resources.push_back({{"", "v1", "nodes"}, "Node", true, true, false});
  offer.resources.push_back(
      {{"", "v1", "componentstatuses"}, "ComponentStatus", false, false, true});
  offer.resources.push_back({{"", "v1", "fixed"}, "Fixed", true, false, true});
  EXPECT_EQ(plan_resources(offer, {}),
            (ResourceSet{{"apps", "v1", "deployments"}, {"apps", "v1beta1", "controllers"}}));
}

TEST(ResourcePlanTest, WhatIsKnownStaysWhileItsGroupDoesNotRespond) {
  Offer offer;
  offer.unknown = {{"example.com", "v1"}};
  const ResourceSet known{{"example.com", "v1", "widgets"}, {"gone.com", "v1", "gadgets"}};
  EXPECT_EQ(plan_resources(offer, known), (ResourceSet{{"example.com", "v1", "widgets"}}));
}

}  // namespace
}  // namespace davit::resourcequota
