/// References that do not fit their owners, and owners that no informer shows: GC47 to GC65.
#include "tests/plugins/garbagecollector/fixture.hpp"

namespace davit::garbage {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class CoordinatesTest : public GarbageTest {
 protected:
  static constexpr char kNodes[] = "/api/v1/nodes";
  static constexpr char kNode[] = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"NAME",
                                      "ownerReferences":OWNERS}})";

  [[nodiscard]] std::string warning_about(const Thing& owner, const std::string& ns = "ns") const {
    return "Warning OwnerRefInvalidNamespace ownerRef [" + owner.api_version + "/" + owner.kind +
           ", namespace: " + ns + ", name: " + owner.name + ", uid: " + owner.uid +
           "] does not exist in namespace \"" + ns + '"';
  }
  Thing create_deployment(const std::string& name) {
    return create_in("/apis/apps/v1/namespaces/ns/deployments",
                     R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"NAME"},
                         "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
                         "metadata":{"labels":{"a":"b"}},
                         "spec":{"containers":[{"name":"c","image":"i"}]}}}})",
                     name);
  }
};

TEST_F(CoordinatesTest, GC47_AnOwnerInAnotherNamespaceCountsAsGone) {
  const Thing o = create("o", {.ns = "ns2"});
  start();
  const Thing d = create_owned("d", {own(o)});
  run();
  EXPECT_FALSE(exists(d));
  EXPECT_TRUE(exists(o));
  EXPECT_THAT(cluster().event_texts(), ElementsAre(warning_about(o)));
  const testing::EventRecord& event = cluster().events()[0];
  EXPECT_EQ(event.kind + " " + event.api_version + " " + event.ns + " " + event.name,
            "ConfigMap v1 ns d");
  EXPECT_EQ(event.uid, d.uid);
}

TEST_F(CoordinatesTest, GC48_GoodDependentsAreNotTouched) {
  const Thing o = create("o", {.ns = "ns2"});
  const Thing g = create("g", {.owners = list({own(o)}), .ns = "ns2"});
  start();
  create_owned("d", {own(o)});
  run();
  EXPECT_TRUE(exists(g));
  EXPECT_THAT(texts("g"), IsEmpty());
}

TEST_F(CoordinatesTest, GC49_TheOrderInWhichBothAreSeenDoesNotMatter) {
  const Thing o = create("o", {.ns = "ns2"});
  const Thing d = create_owned("d", {own(o)});
  start_recording([](Offer&) { return Status(); });
  EXPECT_FALSE(exists(d));
  EXPECT_THAT(cluster().event_texts(), ElementsAre(warning_about(o)));
}

TEST_F(CoordinatesTest, GC50_ALocalOwnerKeepsTheObject) {
  const Thing o = create("o", {.ns = "ns2"});
  const Thing p = create("p");
  start();
  const Thing d = create_owned("d", {own(o), own(p)});
  run();
  EXPECT_THAT(owners(d), ElementsAre("p"));
}

TEST_F(CoordinatesTest, GC51_ANamesakeInTheDependentsNamespaceIsAnotherObject) {
  const Thing o = create("o", {.ns = "ns2"});
  const Thing namesake = create("o");
  start();
  const Thing d = create_owned("d", {own(o)});
  run();
  EXPECT_FALSE(exists(d));
  EXPECT_TRUE(exists(namesake));
}

TEST_F(CoordinatesTest, GC52_AClusterScopedObjectMayNotHaveANamespacedOwner) {
  const Thing p = create_pod("p");
  start();
  const Thing n1 = create_in(kNodes, kNode, "n1", {.owners = list({own(p)})});
  run();
  EXPECT_THAT(cluster().event_texts(), ElementsAre(warning_about(p, "")));
  const std::size_t requests = texts().size();
  advance(20min);
  EXPECT_TRUE(exists(n1));
  EXPECT_EQ(texts().size(), requests) << "it cannot heal";
}

TEST_F(CoordinatesTest, GC53_NorIsAnAbsentOneAskedFor) {
  start();
  Thing p = absent("p");
  p.kind = "Pod";
  const Thing n1 = create_in(kNodes, kNode, "n1", {.owners = list({own(p)})});
  advance(20min);
  EXPECT_TRUE(exists(n1));
  EXPECT_THAT(texts(), IsEmpty());
  EXPECT_THAT(cluster().events(), IsEmpty());
}

TEST_F(CoordinatesTest, GC54_ItsOwnersOtherDependentsGoAsUsual) {
  const Thing p = create_pod("p");
  const Thing n1 = create_in(kNodes, kNode, "n1", {.owners = list({own(p)})});
  const Thing g = create_pod("g", {.owners = list({own(p)})});
  start();
  erase(p);
  run();
  EXPECT_FALSE(exists(g));
  EXPECT_TRUE(exists(n1));
}

TEST_F(CoordinatesTest, GC55_AUidWithAnotherKindIsAnotherOwner) {
  const Thing o = create_deployment("o");
  Thing secret = o;
  secret.api_version = "v1";
  secret.kind = "Secret";
  secret.name = "s";
  const Thing good = create_owned("good", {own(o)});
  const Thing bad = create_owned("bad", {own(secret)});
  start();
  EXPECT_FALSE(exists(bad));
  const Thing late = create_owned("late", {own(secret)});
  run();
  EXPECT_FALSE(exists(late));
  EXPECT_TRUE(exists(good));
  EXPECT_TRUE(exists(o));
}

TEST_F(CoordinatesTest, GC56_AnOwnerMayBeNamedByAnyServedVersion) {
  define_widgets(R"([{"name":"v1","served":true,"storage":true,
                      "schema":{"openAPIV3Schema":{"type":"object"}}},
                     {"name":"v1beta1","served":true,"storage":false,
                      "schema":{"openAPIV3Schema":{"type":"object"}}}])");
  const Thing o = create_widget("o");
  Thing older = o;
  older.api_version = "example.com/v1beta1";
  start();
  const Thing d = create_owned("d", {own(older)});
  advance(1min);
  EXPECT_TRUE(exists(d));
  erase(o);
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(CoordinatesTest, GC57_AnUnservedVersionIsRetriedWithGrowingPauses) {
  define_widgets();
  const Thing o = create_widget("o");
  Thing older = o;
  older.api_version = "example.com/v0";
  start();
  const Thing d = create_owned("d", {own(older)});
  run();
  erase(o);
  advance(1min);
  const std::size_t in_one_minute = texts("d").size();
  EXPECT_GE(in_one_minute, 10U);
  advance(1min);
  EXPECT_LE(texts("d").size(), in_one_minute + 2);
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(deletions("d"), IsEmpty());
  EXPECT_THAT(cluster().events(), IsEmpty());
}

TEST_F(CoordinatesTest, GC58_DependentsWithTheServedVersionGo) {
  define_widgets();
  Thing o = absent("o");
  o.kind = "Widget";
  Thing older = o;
  o.api_version = "example.com/v1";
  older.api_version = "example.com/v0";
  start();
  const Thing d = create_owned("d", {own(older)});
  const Thing d2 = create_owned("d2", {own(o)});
  advance(20min);
  EXPECT_FALSE(exists(d2));
  EXPECT_TRUE(exists(d));
}

TEST_F(CoordinatesTest, GC59_AnUnknownKindLeavesTheObjectAlone) {
  start();
  Thing o = absent("o");
  o.api_version = "example.com/v1";
  o.kind = "Widget";
  const Thing d = create_owned("d", {own(o)});
  advance(5min);
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(texts(), IsEmpty());
}

TEST_F(CoordinatesTest, GC60_AKindThatBecomesKnownDecides) {
  start();
  Thing o = absent("o");
  o.api_version = "example.com/v1";
  o.kind = "Widget";
  const Thing d = create_owned("d", {own(o)});
  advance(5min);
  define_widgets();
  advance(1000s);
  EXPECT_FALSE(exists(d));
}

TEST_F(CoordinatesTest, GC61_AnOwnerThatAppearsWithItsKindHolds) {
  start();
  Thing o = absent("o");
  o.api_version = "example.com/v1";
  o.kind = "Widget";
  const Thing d = create_owned("d", {own(o)});
  advance(1min);
  define_widgets();
  cluster().add(R"({"apiVersion":"example.com/v1","kind":"Widget",
                    "metadata":{"name":"o","namespace":"ns","uid":")" +
                o.uid + R"("}})");
  advance(1000s);
  EXPECT_TRUE(exists(d));
}

TEST_F(CoordinatesTest, GC62_AnOwnerThatTheInformerShowsLateIsPolled) {
  define_widgets();
  start();
  cluster().hold("widgets");
  const Thing o = create_widget("o");
  const Thing d = create_owned("d", {own(o)});
  advance(30s);
  const std::size_t polls = texts("o").size();
  EXPECT_GE(polls, 5U);
  cluster().release("widgets");
  advance(20min);
  EXPECT_TRUE(exists(d));
  EXPECT_EQ(texts("o").size(), polls) << "it is shown now";
}

TEST_F(CoordinatesTest, GC63_AWrongNameCountsAsGone) {
  Thing o = create("o");
  start();
  o.name = "p";
  const Thing d = create_owned("d", {own(o)});
  run();
  EXPECT_FALSE(exists(d));
}

TEST_F(CoordinatesTest, GC64_BothReferencesOfOneUidAreTakenOut) {
  const Thing o = create("o");
  Thing renamed = o;
  renamed.name = "p";
  start();
  const Thing d = create_owned("d", {own(o), own(renamed)});
  run();
  EXPECT_TRUE(exists(d));
  EXPECT_THAT(owners(d), IsEmpty());
  erase(o);
  advance(1min);
  EXPECT_TRUE(exists(d));
}

TEST_F(CoordinatesTest, GC65_ThreeBadReferencesAreOneWarning) {
  std::vector<std::string> references;
  std::vector<Thing> bad;
  for (const char* name : {"o1", "o2", "o3"}) {
    bad.push_back(create(name, {.ns = "ns2"}));
    references.push_back(own(bad.back()));
  }
  start();
  create_owned("d", references);
  run();
  EXPECT_THAT(cluster().event_texts(), ElementsAre(warning_about(bad[0])));
}

TEST_F(CoordinatesTest, AKindInSmallLettersIsFound) {
  Thing o = create("o");
  start();
  o.kind = "configmap";
  const Thing d = create_owned("d", {own(o)});
  advance(1min);
  EXPECT_TRUE(exists(d));
  erase(o);
  run();
  EXPECT_FALSE(exists(d));
}

}  // namespace
}  // namespace davit::garbage
