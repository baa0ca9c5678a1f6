#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sandbox/controllers/cluster.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class GarbageCollectorTest : public testing::Test {
 protected:
  static std::string owned_by(const std::string& name, const std::string& uid,
                              const std::string& blocks = "false") {
    return "[" + Cluster::owner(name, uid, blocks) + "]";
  }
  Json meta(const std::string& name) {
    return cluster_.get("/api/v1/namespaces/default/configmaps/" + name).get("metadata");
  }

  Cluster cluster_;
};

TEST_F(GarbageCollectorTest, BackgroundDeletionTakesTheWholeTree) {
  const std::string root = cluster_.config_map("root");
  const std::string child = cluster_.config_map("child", owned_by("root", root));
  cluster_.config_map("grandchild", owned_by("child", child));
  cluster_.config_map("other");
  cluster_.step();
  EXPECT_EQ(cluster_.config_maps().size(), 4u);

  cluster_.remove_config_map("root", "Background");
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("child", "grandchild", "other"));
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("other"));
}

TEST_F(GarbageCollectorTest, ForegroundDeletionEndsWithTheOwner) {
  const std::string root = cluster_.config_map("root");
  cluster_.config_map("child", owned_by("root", root, "true"));
  cluster_.call("PATCH", "/api/v1/namespaces/default/configmaps/child",
                R"({"metadata":{"finalizers":["example.com/hold"]}})");
  cluster_.step();

  cluster_.remove_config_map("root", "Foreground");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("child", "root")) << "the child is held";
  EXPECT_FALSE(meta("child").get("deletionTimestamp").empty());

  cluster_.call("PATCH", "/api/v1/namespaces/default/configmaps/child",
                R"({"metadata":{"finalizers":[]}})");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ForegroundDeletionDoesNotWaitForOthers) {
  const std::string root = cluster_.config_map("root");
  cluster_.config_map("child", owned_by("root", root, "false"));
  cluster_.remove_config_map("root", "Foreground");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), IsEmpty());
}

TEST_F(GarbageCollectorTest, OrphansLoseTheirOwnerAndLive) {
  const std::string root = cluster_.config_map("root");
  const std::string second = cluster_.config_map("second");
  cluster_.config_map("child", owned_by("root", root));
  cluster_.config_map(
      "shared", "[" + Cluster::owner("root", root) + "," + Cluster::owner("second", second) + "]");
  cluster_.remove_config_map("root", "Orphan");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("child", "second", "shared"));
  EXPECT_TRUE(meta("child").get("ownerReferences").empty());
  ASSERT_EQ(meta("shared").get("ownerReferences").size(), 1u);
  EXPECT_EQ(meta("shared").get("ownerReferences").items()[0].text_at({"uid"}), second);
}

TEST_F(GarbageCollectorTest, OwnerThatNeverWasIsAbsent) {
  cluster_.config_map("child", owned_by("nobody", "no-uid"));
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), IsEmpty());
}

TEST_F(GarbageCollectorTest, OwnerOfTheSameNameButAnotherUidIsAbsent) {
  cluster_.config_map("root");
  cluster_.config_map("child", owned_by("root", "another-uid"));
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("root"));
}

TEST_F(GarbageCollectorTest, DeadOwnerAmongLivingOnesIsStruckOut) {
  const std::string root = cluster_.config_map("root");
  cluster_.config_map(
      "child", "[" + Cluster::owner("root", root) + "," + Cluster::owner("nobody", "x") + "]");
  cluster_.step();
  ASSERT_EQ(meta("child").get("ownerReferences").size(), 1u);
  EXPECT_EQ(meta("child").get("ownerReferences").items()[0].text_at({"uid"}), root);
}

TEST_F(GarbageCollectorTest, OwnerOfAKindThatIsNotServedKeepsItsDependents) {
  cluster_.config_map("child",
                      R"([{"apiVersion":"example.com/v1","kind":"Widget","name":"w","uid":"1"}])");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("child"));
}

// Report gc-crd-deleted.
TEST_F(GarbageCollectorTest, DependentsOfCustomResourcesGoWhenTheDefinitionIsDeleted) {
  cluster_.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                  R"({"metadata":{"name":"shops.r.example.com"},"spec":{"group":"r.example.com",
                      "scope":"Namespaced","names":{"plural":"shops","kind":"Shop"},
                      "versions":[{"name":"v1","served":true,"storage":true,
                      "schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  const std::string shop =
      cluster_.create("/apis/r.example.com/v1/namespaces/default/shops",
                      R"({"apiVersion":"r.example.com/v1","kind":"Shop","metadata":{"name":"a"}})");
  cluster_.config_map(
      "of-shop", R"([{"apiVersion":"r.example.com/v1","kind":"Shop","name":"a","uid":")" + shop +
                     R"(","controller":true,"blockOwnerDeletion":true}])");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("of-shop"));

  cluster_.remove("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shops.r.example.com",
                  "Background");
  cluster_.step();

  EXPECT_THAT(cluster_.config_maps(), IsEmpty());
}

TEST_F(GarbageCollectorTest, AnOwnersEndIsKnownThoughItsDependentHasChangedSince) {
  const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const auto definition = [](const std::string& group) {
    return R"({"metadata":{"name":"shops.)" + group + R"("},"spec":{"group":")" + group +
           R"(","scope":"Namespaced","names":{"plural":"shops","kind":"Shop"},
               "versions":[{"name":"v1","served":true,"storage":true,
               "schema":{"openAPIV3Schema":{"type":"object"}}}]}})";
  };
  // The changes of group a are observed before those of group b.
  for (const char* group : {"a.example.com", "b.example.com"}) {
    cluster_.create(definitions, definition(group));
  }
  const std::string owner =
      cluster_.create("/apis/a.example.com/v1/namespaces/default/shops",
                      R"({"apiVersion":"a.example.com/v1","kind":"Shop","metadata":{"name":"o"}})");
  const std::string shops = "/apis/b.example.com/v1/namespaces/default/shops";
  cluster_.create(shops, R"({"apiVersion":"b.example.com/v1","kind":"Shop","metadata":{"name":"d",
                             "ownerReferences":[{"apiVersion":"a.example.com/v1","kind":"Shop",
                             "name":"o","uid":")" +
                             owner + "\"}]}}");
  cluster_.step();

  cluster_.remove(definitions + "/shops.a.example.com", "Background");
  ASSERT_EQ(cluster_.call("PATCH", shops + "/d", R"({"metadata":{"labels":{"a":"b"}}})").status,
            200);
  cluster_.step();

  EXPECT_TRUE(cluster_.get(shops + "/d").is_null());
}

TEST_F(GarbageCollectorTest, ObjectsThatOwnEachOtherCanBeDeleted) {
  const std::string a = cluster_.config_map("a");
  const std::string b = cluster_.config_map("b", owned_by("a", a, "true"));
  cluster_.call("PATCH", "/api/v1/namespaces/default/configmaps/a",
                R"({"metadata":{"ownerReferences":)" + owned_by("b", b, "true") + "}}");
  cluster_.step();
  EXPECT_EQ(cluster_.config_maps().size(), 2u);
  cluster_.remove_config_map("a", "Foreground");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), IsEmpty());
}

TEST_F(GarbageCollectorTest, ClusterScopedOwnersAreFoundFromNamespaces) {
  const std::string node = cluster_.create("/api/v1/nodes", R"({"metadata":{"name":"n1"}})");
  cluster_.config_map("child",
                      R"([{"apiVersion":"v1","kind":"Node","name":"n1","uid":")" + node + R"("}])");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), ElementsAre("child"));
  cluster_.remove("/api/v1/nodes/n1", "Background");
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), IsEmpty());
}

TEST_F(GarbageCollectorTest, MissedDeletionIsNoticedAfterCompaction) {
  const std::string root = cluster_.config_map("root");
  cluster_.config_map("child", owned_by("root", root));
  cluster_.step();
  cluster_.remove_config_map("root", "Background");
  cluster_.store.compact();
  cluster_.step();
  EXPECT_THAT(cluster_.config_maps(), IsEmpty());
}

TEST_F(GarbageCollectorTest, SwitchedOffItLeavesEverything) {
  ControllerOptions options;
  options.garbage_collector = Switch::kOff;
  Cluster cluster(options);
  cluster.config_map("child", owned_by("nobody", "no-uid"));
  cluster.step();
  EXPECT_THAT(cluster.config_maps(), ElementsAre("child"));
}

TEST_F(GarbageCollectorTest, NothingToDoMeansNoNextTime) {
  cluster_.config_map("root");
  EXPECT_EQ(cluster_.step(), Time::max());
}

}  // namespace
}  // namespace davit::sandbox
