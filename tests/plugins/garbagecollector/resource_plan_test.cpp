/// The selection of watched resources; pure.
#include "plugins/garbagecollector/resource_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::garbage {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

OfferedResource offered(ResourceId id, std::string kind = "Kind") {
  return {std::move(id), std::move(kind), true};
}

TEST(ResourcePlanTest, GC74_OnlyThePreferredVersionIsFollowed) {
  const ResourceSet plan = plan_resources(
      {{offered({"g", "v1", "as"}), offered({"g", "v1b", "as"}), offered({"g", "v1b", "bs"})}, {}},
      {});
  EXPECT_THAT(plan, ElementsAre(Pair(ResourceId{"g", "v1", "as"}, "Kind"),
                                Pair(ResourceId{"g", "v1b", "bs"}, "Kind")));
}

TEST(ResourcePlanTest, GC73_AResourceThatCannotBeWatchedIsLeftOut) {
  OfferedResource fixed = offered({"g", "v1", "as"});
  fixed.can_be_followed = false;
  EXPECT_THAT(plan_resources({{fixed, offered({"g", "v1b", "as"})}, {}}, {}), IsEmpty())
      << "the preferred version counts";
}

TEST(ResourcePlanTest, GC17_EventsAreIgnoredInEveryVersion) {
  EXPECT_THAT(
      plan_resources(
          {{offered({"", "v1", "events"}), offered({"events.k8s.io", "v1", "events"}),
            offered({"events.k8s.io", "v2", "events"}), offered({"example.com", "v1", "events"})},
           {}},
          {}),
      ElementsAre(Pair(ResourceId{"example.com", "v1", "events"}, "Kind")));
}

TEST(ResourcePlanTest, GC71_WhatTheServerCannotSayStaysAsItWas) {
  const ResourceSet known = {{{"g", "v1", "as"}, "A"}, {{"h", "v1", "bs"}, "B"}};
  const Offer offer = {{offered({"", "v1", "pods"}, "Pod")}, {{"g", "v1"}}};
  EXPECT_THAT(plan_resources(offer, known), ElementsAre(Pair(ResourceId{"", "v1", "pods"}, "Pod"),
                                                        Pair(ResourceId{"g", "v1", "as"}, "A")));
}

TEST(ResourcePlanTest, AVersionThatIsNoneIsSkippedAlone) {
  EXPECT_THAT(plan_resources({{offered({"g", "v1/x", "as"}), offered({"g", "v1", "bs"})}, {}}, {}),
              ElementsAre(Pair(ResourceId{"g", "v1", "bs"}, "Kind")));
}

TEST(ResourcePlanTest, GC91_KubernetesOwnKindsAreOpenedBeforeCustomOnes) {
  const ResourceSet resources = {{{"", "v1", "pods"}, "A"},
                                 {{"apps", "v1", "deployments"}, "B"},
                                 {{"example.com", "v1", "widgets"}, "C"},
                                 {{"k8s.io.example.com", "v1", "widgets"}, "D"},
                                 {{"mek8s.io", "v1", "widgets"}, "E"},
                                 {{"storage.k8s.io", "v1", "csistoragecapacities"}, "F"}};
  std::string order;
  for (const ResourceSet::value_type* each : opening_order(resources)) order += each->second;
  EXPECT_EQ(order, "ABFCDE");
}

}  // namespace
}  // namespace davit::garbage
