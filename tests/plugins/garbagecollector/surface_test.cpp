/// The controller's debug page, metrics, workers, stop and swap: GC85 to GC90.
#include <algorithm>

#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

using SurfaceTest = GarbageTest;

TEST_F(SurfaceTest, GC85_TheGraphIsADebugPage) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  start();
  const Result<DebugPage> page = collector().debug("graph", "");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->content_type, "text/vnd.graphviz");
  EXPECT_THAT(page->body, StartsWith("strict digraph full {\n"));
  EXPECT_THAT(page->body, HasSubstr('"' + d.uid + "\" -> \"" + o.uid + '"'));
}

TEST_F(SurfaceTest, GC86_ThePageMayShowAPart) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  const Thing other = create_owned("other", {own(o)});
  const Thing alone = create("alone");
  start();
  const std::string page = collector().debug("graph", "uid=" + d.uid)->body;
  EXPECT_THAT(page, HasSubstr(other.uid));
  EXPECT_THAT(page, Not(HasSubstr(alone.uid)));
}

TEST_F(SurfaceTest, GC87_OtherPagesAreNotThere) {
  start();
  EXPECT_EQ(collector().debug("graph", "uid=nope")->body, "strict digraph full {\n}\n");
  EXPECT_EQ(collector().debug("other", "").error().code(), Code::kNotFound);
  EXPECT_EQ(collector().debug("", "").error().code(), Code::kNotFound);
}

TEST_F(SurfaceTest, GC90_WhatAStopInterruptsContinuesAfterTheNextStart) {
  const Thing o = create("o");
  for (int i = 0; i < 10; ++i) create_owned("d" + std::to_string(i), {own(o)});
  start();
  erase(o);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(cluster().run_one_sync());
  stop();
  advance(1min);
  EXPECT_EQ(cluster().requests_of(Verb::kDelete, "configmaps").size(), 4U);
  start();
  EXPECT_THAT(cluster().exchange({"GET", "/api/v1/namespaces/ns/configmaps"}).body,
              Not(HasSubstr("\"d")));
}

TEST_F(SurfaceTest, ASwapListsNothingAndFinishesWhatWasQueued) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  start();
  const int lists = cluster().lists("configmaps");
  erase(o);
  swap();
  run();
  EXPECT_FALSE(exists(d));
  EXPECT_EQ(cluster().lists("configmaps"), lists);
}

TEST_F(SurfaceTest, AHundredSwapsUnderLoadListNothingAndLoseNothing) {
  start();
  const int lists = cluster().lists("configmaps");
  std::vector<Thing> dependents;
  std::vector<Thing> kept;
  for (int i = 0; i < 100; ++i) {
    const std::string turn = std::to_string(i);
    const Thing o = create("o" + turn);
    const Thing other = create("p" + turn);
    dependents.push_back(create_owned("d" + turn, {own_blocking(o)}));
    kept.push_back(create_owned("k" + turn, {own(other)}));
    cluster().run_one_sync();
    erase(o, i % 2 == 0 ? "Background" : "Foreground");
    cluster().run_one_sync();
    swap();
  }
  advance(1min);
  EXPECT_EQ(cluster().lists("configmaps"), lists);
  for (const Thing& each : dependents) EXPECT_FALSE(exists(each)) << each.name;
  for (const Thing& each : kept) EXPECT_TRUE(exists(each)) << each.name;
}

TEST_F(SurfaceTest, AStandbyKeepsNoWorkForObjectsThatAreGone) {
  start_recording([](Offer& offer) {
    // One that never comes: the graph stays closed.
    offer.resources.push_back({{"example.com", "v1", "gadgets"}, "Gadget", true});
    return Status();
  });
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  const Thing e = create_owned("e", {own(o)});
  erase(o);
  erase(d);
  run();
  cluster().clear_records();
  advance(Monitors::kWait);
  EXPECT_FALSE(exists(e));
  EXPECT_THAT(texts("d"), IsEmpty());
  EXPECT_EQ(std::ranges::count_if(cluster().syncs(),
                                  [&](const testing::SyncRecord& each) {
                                    return each.key == node_key(d.uid).text();
                                  }),
            0);
}

TEST_F(SurfaceTest, WarningsWaitForTheGraphAndGoWithTheirObject) {
  const Thing o = create("o", {.ns = "ns2"});
  const Thing d = create_owned("d", {own(o)});
  const Thing e = create_owned("e", {own(o)});
  start_recording([](Offer& offer) {
    offer.resources.push_back({{"example.com", "v1", "gadgets"}, "Gadget", true});
    return Status();
  });
  erase(d);
  run();
  EXPECT_THAT(cluster().events(), IsEmpty());
  advance(Monitors::kWait);
  ASSERT_EQ(cluster().events().size(), 1U);
  EXPECT_EQ(cluster().events()[0].uid, e.uid);
}

TEST_F(SurfaceTest, MistakesInTheConfigurationAreNamed) {
  const Status started =
      cluster().start(kController, &GarbageCollector::open, R"({"period":"5m"})");
  EXPECT_FALSE(started.ok());
  EXPECT_THAT(started.message(), HasSubstr("unknown configuration \"period\""));
}

}  // namespace
}  // namespace davit::garbage
