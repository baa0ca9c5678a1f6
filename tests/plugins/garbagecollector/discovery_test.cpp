/// Resources that come and go: GC66 to GC76.
#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DiscoveryTest : public GarbageTest {
 protected:
  static constexpr const char* kHeld = R"(["x/y"])";
  static constexpr std::string_view kTwoVersions =
      R"([{"name":"v1beta1","served":true,"storage":false,)"
      R"("schema":{"openAPIV3Schema":{"type":"object"}}},)"
      R"({"name":"v1","served":true,"storage":true,)"
      R"("schema":{"openAPIV3Schema":{"type":"object"}}}])";

  static void drop_widgets(Offer& offer) {
    std::erase_if(offer.resources,
                  [](const OfferedResource& each) { return each.id.group == "example.com"; });
  }
  void delete_definition() {
    const testing::RawReply reply = cluster().exchange(
        {"DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"});
    ASSERT_EQ(reply.http_status, 200) << reply.body;
    run();
  }
  /// GC67: a Widget owns a ConfigMap, and the definition goes.
  void live_a_life_of_the_resource() {
    define_widgets();
    advance(Monitors::kPeriod);
    const Thing o = create_widget("o");
    const Thing d = create_owned("d", {own(o)});
    run();
    EXPECT_TRUE(exists(d));
    erase(o);  // As the server does for all objects of a definition.
    run();
    delete_definition();
    advance(1min);
    EXPECT_FALSE(exists(d));
  }
};

TEST_F(DiscoveryTest, GC66_ResourcesThatAreDefinedLaterAreFollowed) {
  start();
  define_widgets();
  const Thing o = create_widget("o");
  const Thing d = create_widget("d", {.owners = list({own_blocking(o)})});
  advance(40s);
  erase(o, "Foreground");
  advance(1s);
  EXPECT_FALSE(exists(d));
  EXPECT_FALSE(exists(o));
  EXPECT_EQ(sync_errors(), 0);
}

TEST_F(DiscoveryTest, GC67_TheOwnersOfADefinitionThatGoesAreGone) {
  start();
  live_a_life_of_the_resource();
  EXPECT_EQ(sync_errors(), 0);
}

TEST_F(DiscoveryTest, GC68_AResourceMayReturn) {
  start();
  live_a_life_of_the_resource();
  live_a_life_of_the_resource();
}

TEST_F(DiscoveryTest, GC69_AResourceThatCannotBeListedDelaysNothingElse) {
  define_widgets();
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  erase(o);
  cluster().begin_outage("widgets");
  start_recording([](Offer&) { return Status(); });
  advance(Monitors::kWait);
  EXPECT_FALSE(exists(d));
  EXPECT_EQ(sync_errors(), 1);
}

TEST_F(DiscoveryTest, GC70_WorkersWaitThirtySecondsForTheLastInformer) {
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  erase(o);
  start_recording([](Offer& offer) {
    offer.resources.push_back({{"example.com", "v1", "gadgets"}, "Gadget", true});
    return Status();
  });
  advance(29999ms);
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(texts(), IsEmpty());
  advance(1ms);
  EXPECT_FALSE(exists(d));
}

TEST_F(DiscoveryTest, GC71_AGroupThatDoesNotRespondIsFollowedFurther) {
  define_widgets();
  bool is_stale = false;
  start_discovering([&is_stale](Offer& offer) {
    if (!is_stale) return Status();
    drop_widgets(offer);
    offer.unknown.emplace("example.com", "v1");
    return Status();
  });
  const Thing o = create_widget("o");
  const Thing d = create_owned("d", {own(o)});
  run();
  is_stale = true;
  advance(2 * Monitors::kPeriod);
  erase(o);
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(DiscoveryTest, GC72_DiscoveryThatFailsAltogetherChangesNothingAndIsCounted) {
  bool is_broken = false;
  start_discovering([&is_broken](Offer&) {
    return is_broken ? Status(Code::kUnavailable, "no connection") : Status();
  });
  const Thing o = create("o");
  const Thing d = create_owned("d", {own(o)});
  is_broken = true;
  advance(2 * Monitors::kPeriod);
  EXPECT_EQ(sync_errors(), 2);
  erase(o);
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(DiscoveryTest, GC73_AResourceWithoutWatchIsNeverListed) {
  start_recording([](Offer& offer) {
    for (OfferedResource& each : offer.resources) {
      if (each.id.resource == "secrets") each.can_be_followed = false;
    }
    return Status();
  });
  EXPECT_EQ(cluster().lists("secrets"), 0);
  EXPECT_EQ(cluster().lists("configmaps"), 1);
}

TEST_F(DiscoveryTest, GC76_AnUnchangedServerIsNotListedAgain) {
  start();
  const int before = cluster().lists("configmaps");
  advance(3 * Monitors::kPeriod);
  EXPECT_EQ(cluster().lists("configmaps"), before);
  EXPECT_EQ(sync_errors(), 0);
}

TEST_F(DiscoveryTest, OneAnswerThatLacksAResourceLosesNoDeletion) {
  define_widgets();
  bool is_lacking = false;
  start_discovering([&is_lacking](Offer& offer) {
    if (is_lacking) drop_widgets(offer);
    return Status();
  });
  const Thing o = create_widget("o");
  const Thing d = create_owned("d", {own(o)});
  const Thing f = create("f");
  const Thing w = create_widget("w", {.owners = list({own_blocking(f)}), .finalizers = kHeld});
  erase(f, "Foreground");
  run();
  const int lists = cluster().lists("widgets");
  is_lacking = true;
  advance(Monitors::kPeriod);
  erase(o);
  drop_finalizers(w);
  run();
  EXPECT_FALSE(exists(d));
  EXPECT_FALSE(exists(f));
  is_lacking = false;
  advance(Monitors::kPeriod);
  EXPECT_EQ(cluster().lists("widgets"), lists) << "it was followed all the time";
}

TEST_F(DiscoveryTest, AVersionThatReplacesAnotherFindsWhatTheOtherHasMissed) {
  define_widgets(kTwoVersions);
  std::string offered = "v1beta1";
  start_discovering([&offered](Offer& offer) {
    std::erase_if(offer.resources, [&offered](const OfferedResource& each) {
      return each.id.group == "example.com" && each.id.version != offered;
    });
    return Status();
  });
  const Thing o = create_widget("o");
  const Thing again = create_widget("again");
  const Thing stays = create_widget("stays");
  const Thing d = create_owned("d", {own(o)});
  const Thing e = create_owned("e", {own(again)});
  const Thing f = create_owned("f", {own(stays)});
  run();
  cluster().hold("widgets");
  erase(o);
  erase(again);
  create_widget("again");
  offered = "v1";
  advance(Monitors::kPeriod);
  EXPECT_FALSE(exists(d));
  EXPECT_FALSE(exists(e)) << "its owner's name is that of another object";
  EXPECT_TRUE(exists(f));
  cluster().release("widgets");
  erase(stays);
  run();
  EXPECT_FALSE(exists(f)) << "the new version is followed";
}

TEST_F(DiscoveryTest, AVersionIsFollowedUntilTheNextOneHasItsContent) {
  define_widgets(kTwoVersions);
  std::string offered = "v1beta1";
  start_discovering([&offered](Offer& offer) {
    std::erase_if(offer.resources, [&offered](const OfferedResource& each) {
      return each.id.group == "example.com" && each.id.version != offered;
    });
    // The server does not serve it.
    if (offered == "v3")
      offer.resources.push_back({{"example.com", "v3", "widgets"}, "Widget", true});
    return Status();
  });
  const Thing o = create_widget("o");
  const Thing d = create_owned("d", {own(o)});
  run();
  offered = "v3";
  advance(2 * Monitors::kPeriod);
  erase(o);
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(DiscoveryTest, AStartWithoutDiscoveryIsMadeUpFor) {
  bool is_broken = true;
  const Thing d = create_owned("d", {own(absent("o"))});
  start_discovering([&is_broken](Offer&) {
    return is_broken ? Status(Code::kUnavailable, "no connection") : Status();
  });
  advance(10s);
  EXPECT_TRUE(exists(d));
  is_broken = false;
  advance(Monitors::kPeriod);
  EXPECT_FALSE(exists(d));
}

// Without the core group the graph lacks d: it would not be orphaned, and deleted later.
TEST_F(DiscoveryTest, AStartWithoutTheCoreGroupOrphansNothingUntilItIsThere) {
  define_widgets();
  const Thing o = create_widget("o");
  const Thing d = create_owned("d", {own(o)});
  bool is_lacking = true;
  start_discovering([&is_lacking](Offer& offer) {
    const auto is_core = [](const OfferedResource& each) { return each.id.group.empty(); };
    if (is_lacking) std::erase_if(offer.resources, is_core);
    return Status();
  });
  erase(o, "Orphan");
  advance(1min);
  EXPECT_TRUE(exists(o));
  is_lacking = false;
  advance(2 * Monitors::kPeriod);
  EXPECT_FALSE(exists(o));
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(owners(d), IsEmpty());
}

}  // namespace
}  // namespace davit::garbage
