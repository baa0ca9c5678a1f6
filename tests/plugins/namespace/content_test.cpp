/// The deletion of content and the time to wait for it: NS14 to NS27, NS44.
#include "tests/plugins/namespace/fixture.hpp"

namespace davit::namespaces {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class ContentTest : public NamespaceTest {
 protected:
  void fail(Verb verb, const std::string& resource, int http_status,
            const std::string& message = "rejected", int times = Fault::kAlways) {
    cluster().fail_next({.verb = verb,
                         .resource = resource,
                         .http_status = http_status,
                         .reason = http_status == 404   ? "NotFound"
                                   : http_status == 405 ? "MethodNotAllowed"
                                   : http_status == 403 ? "Forbidden"
                                                        : "InternalError",
                         .message = message,
                         .times = times});
  }
};

TEST_F(ContentTest, NS14_ContentWithAFinalizerIsReportedAndAwaited) {
  add_config_map("c", R"(["f.io/a"])");
  start();
  delete_and_sync();

  EXPECT_TRUE(cluster().find<ConfigMap>({"x", "c"})->is_being_deleted());
  EXPECT_EQ(condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: "
            "configmaps. has 1 resource instances");
  EXPECT_EQ(condition("NamespaceFinalizersRemaining"),
            "True SomeFinalizersRemain: Some content in the namespace has finalizers remaining: "
            "f.io/a in 1 resource instances");
  EXPECT_EQ(sync_count(), 1U);
  advance(5s);
  EXPECT_EQ(sync_count(), 2U) << "after the controller's own write";
  advance(7999ms);
  EXPECT_EQ(sync_count(), 2U);
  advance(1ms);
  EXPECT_EQ(sync_count(), 3U);
}

TEST_F(ContentTest, NS15_ANamespaceGoesWithinEightSecondsAfterItsLastFinalizer) {
  add_config_map("c", R"(["f.io/a"])");
  start();
  delete_and_sync();
  advance(20s);
  drop_finalizers("c");
  advance(8s);
  EXPECT_FALSE(has_namespace());
}

TEST_F(ContentTest, NS16_ObjectsAreCountedByResourceAndByFinalizer) {
  for (const char* name : {"d", "e"}) {
    post("/apis/apps/v1", "deployments",
         R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")" + std::string(name) +
             R"(","finalizers":["f.io/a"]},
           "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
             "metadata":{"labels":{"a":"b"}},
             "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  }
  add_config_map("c", R"(["f.io/a","f.io/b"])");
  start();
  delete_and_sync();
  EXPECT_THAT(condition("NamespaceContentRemaining"),
              HasSubstr("configmaps. has 1 resource instances, "
                        "deployments.apps has 2 resource instances"));
  EXPECT_THAT(condition("NamespaceFinalizersRemaining"),
              HasSubstr("f.io/a in 3 resource instances, f.io/b in 1 resource instances"));
}

TEST_F(ContentTest, NS17_PodsThatOutliveTheirGraceAreAnError) {
  constexpr char kUnexpected[] =
      "unexpected items still remain in namespace: x for gvr: /v1, Resource=pods";
  add_bound_pod("p", 30);
  start();
  delete_and_sync();
  advance(37s);  // Looks after 5 s, 10 s, 26 s and 42 s: the last is past the grace.

  EXPECT_EQ(last_error(),
            std::string("failed to delete pods for namespace: x, err: ") + kUnexpected);
  EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
            std::string("True ContentDeletionFailed: Failed to delete all resource types, "
                        "1 remaining: ") +
                kUnexpected);

  advance(10min);
  const std::size_t before = sync_count();
  advance(60s);
  EXPECT_GE(sync_count(), before + 1);
  EXPECT_LE(sync_count(), before + 2) << "once a minute at most, but for the periodic look";
}

TEST_F(ContentTest, NS18_FinishedPodsAreNotWaitedFor) {
  add_bound_pod("a", 10);
  add_bound_pod("b", 40);
  add_bound_pod("c", 300, R"({"status":{"phase":"Succeeded"}})");
  start();
  delete_and_sync();
  advance(5s);
  EXPECT_EQ(sync_count(), 2U);
  EXPECT_EQ(cluster().syncs().back().again_ms, 21'000U);
}

TEST_F(ContentTest, NS19_APodWithAFinalizerHoldsTheRest) {
  add_config_map("c");
  add_bound_pod("p", 0, R"({"metadata":{"finalizers":["f.io/a"]}})");
  start();
  delete_and_sync();
  EXPECT_TRUE(cluster().syncs().back().ok());
  EXPECT_EQ(cluster().syncs().back().again_ms, 8000U);
  advance(30s);
  EXPECT_TRUE(has_config_map("c"));
}

TEST_F(ContentTest, NS22_AnErrorEndsOneResourceAndNoOther) {
  add_config_map("a");
  add_config_map("b");
  post("/api/v1", "secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})");
  start();
  fail(Verb::kDeleteCollection, "configmaps", 405);
  fail(Verb::kDelete, "configmaps", 500, "broken");
  delete_namespace();
  advance(kDelay);

  EXPECT_TRUE(has_config_map("a"));
  EXPECT_TRUE(has_config_map("b"));
  EXPECT_THAT(texts("secrets"), ElementsAre("deletecollection secrets 200", "list secrets 200"));
  EXPECT_EQ(condition("NamespaceDeletionContentFailure"),
            "True ContentDeletionFailed: Failed to delete all resource types, 1 remaining: broken");
  EXPECT_EQ(last_error(), "broken");

  cluster().clear_faults();
  advance(60s);
  EXPECT_FALSE(has_namespace());
}

TEST_F(ContentTest, NS20_WhatCannotDeleteCollectionsIsDeletedItemByItem) {
  add_config_map("a");
  add_config_map("b");
  add_config_map("c");
  start_discovering(
      [](Served& found) { kind_of(found, "configmaps").can_delete_collection = false; });
  delete_and_sync();
  EXPECT_THAT(texts("configmaps"), ElementsAre("list configmaps 200", "delete configmaps/a 200",
                                               "delete configmaps/b 200", "delete configmaps/c 200",
                                               "list configmaps 200"));
  EXPECT_FALSE(has_namespace());
}

// As when an aggregated server is upgraded: the namespace would go, and its content stay.
TEST_F(ContentTest, WhatAResourceCanDoOnlySinceTheStartIsDone) {
  add_config_map("a");
  start_discovering([this](Served& found) {
    ServedKind& kind = kind_of(found, "configmaps");
    kind.can_delete_collection = kind.can_list = is_started();
  });
  delete_and_sync();
  EXPECT_FALSE(has_config_map("a"));
  EXPECT_FALSE(has_namespace());
}

TEST_F(ContentTest, NS26_WhatCannotBeListedIsDeletedBlindly) {
  add_config_map("a");
  start_discovering([](Served& found) { kind_of(found, "configmaps").can_list = false; });
  delete_and_sync();
  EXPECT_THAT(texts("configmaps"), ElementsAre("deletecollection configmaps 200"));
  EXPECT_FALSE(has_namespace());
}

TEST_F(ContentTest, NS21_NS23_WhereCollectionDeletionIsRefusedItemsGoOneByOne) {
  add_config_map("a");
  add_config_map("b");
  add_config_map("c");
  start();
  fail(Verb::kDeleteCollection, "configmaps", 405);
  // As if somebody else had been faster.
  cluster().on_request([this](const testing::RequestRecord& request) {
    if (request.verb == Verb::kDelete && request.name == "b") {
      cluster().erase<ConfigMap>({"x", "b"});
    }
  });
  delete_and_sync();
  EXPECT_THAT(texts("configmaps"),
              ElementsAre("deletecollection configmaps 405", "list configmaps 200",
                          "delete configmaps/a 200", "delete configmaps/b 404",
                          "delete configmaps/c 200", "list configmaps 200"));
  EXPECT_FALSE(has_namespace());
}

TEST_F(ContentTest, NS24_AResourceThatIsNotThereIsTriedAgainInTheNextNamespace) {
  create_namespace("y");
  start();
  fail(Verb::kDeleteCollection, "configmaps", 404, "gone", 1);
  fail(Verb::kList, "configmaps", 404, "gone", 2);
  delete_and_sync();
  EXPECT_THAT(texts("configmaps"), ElementsAre("deletecollection configmaps 404",
                                               "list configmaps 404", "list configmaps 404"));
  EXPECT_FALSE(has_namespace());

  delete_namespace("y");
  advance(kDelay);
  EXPECT_EQ(count(Verb::kDeleteCollection, "configmaps"), 2U);
  EXPECT_FALSE(has_namespace("y"));
}

TEST_F(ContentTest, NS25_AResourceThatCannotBeDeletedIsNotAskedFor) {
  start();
  delete_and_sync();
  EXPECT_THAT(texts(), Not(Contains(HasSubstr(" bindings"))));
  EXPECT_THAT(texts(), Not(Contains(HasSubstr("localsubjectaccessreviews"))));
  EXPECT_THAT(texts(), Not(Contains(HasSubstr(" nodes"))));
}

TEST_F(ContentTest, NS27_ARefusedDeletionIsReportedAndRetriedUntilItIsAllowed) {
  add_config_map("c");
  start();
  fail(Verb::kDeleteCollection, "configmaps", 403, "configmaps is forbidden");
  delete_and_sync();
  EXPECT_THAT(condition("NamespaceDeletionContentFailure"),
              HasSubstr("1 remaining: configmaps is forbidden"));
  advance(5min);
  EXPECT_TRUE(has_namespace());

  cluster().clear_faults();
  advance(60s);
  EXPECT_FALSE(has_namespace());
}

TEST_F(ContentTest, NS44_PodsThatMayNotBeDeletedDoNotHoldTheRest) {
  add_config_map("c");
  add_bound_pod("p", 30);
  start();
  fail(Verb::kDeleteCollection, "pods", 403, "pods is forbidden");
  delete_and_sync();
  EXPECT_FALSE(has_config_map("c"));
  EXPECT_TRUE(has_pod("p"));
  EXPECT_FALSE(cluster().find<Pod>({"x", "p"})->is_being_deleted());
  EXPECT_THAT(condition("NamespaceDeletionContentFailure"), StartsWith("True"));
  EXPECT_EQ(last_error(), "failed to delete pods for namespace: x, err: pods is forbidden");
  EXPECT_TRUE(has_namespace());
}

}  // namespace
}  // namespace davit::namespaces
