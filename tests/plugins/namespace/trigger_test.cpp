/// When a namespace is handled, and in which order its content goes: NS01 to NS13.
#include "tests/plugins/namespace/fixture.hpp"

namespace davit::namespaces {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using TriggerTest = NamespaceTest;

/// The places of the first and last requests that change something of a resource, or list it.
std::size_t first_place(const std::vector<std::string>& texts, std::string_view begin) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (texts[i].starts_with(begin)) return i;
  }
  return texts.size();
}

TEST_F(TriggerTest, NS01_AnEmptyNamespaceGoesFiveSecondsAfterItsDeletion) {
  start();
  delete_namespace();

  advance(4999ms);
  EXPECT_THAT(texts(), IsEmpty());
  EXPECT_TRUE(has_namespace());

  advance(1ms);
  EXPECT_FALSE(has_namespace());
}

TEST_F(TriggerTest, NS02_NothingIsAskedAboutANamespaceThatIsNotDeleted) {
  start();
  for (int i = 0; i < 3; ++i) {
    cluster().merge<Namespace>({"", "x"},
                               R"({"metadata":{"labels":{"i":")" + std::to_string(i) + R"("}}})");
    advance(10s);
  }
  EXPECT_THAT(texts(), IsEmpty());
}

TEST_F(TriggerTest, NS03_BuiltInObjectsOfAllKindsGo) {
  add_config_map("c");
  post("/api/v1", "secrets", R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})");
  post("/api/v1", "services",
       R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},
           "spec":{"ports":[{"port":80}]}})");
  post("/apis/apps/v1", "deployments",
       R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},
           "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{
             "metadata":{"labels":{"a":"b"}},
             "spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  post("/apis/rbac.authorization.k8s.io/v1", "roles",
       R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"r"}})");
  post("/apis/coordination.k8s.io/v1", "leases",
       R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l"}})");
  start();

  delete_and_sync();

  EXPECT_FALSE(has_namespace());
  for (const char* path :
       {"/api/v1/configmaps", "/api/v1/secrets", "/api/v1/services", "/apis/apps/v1/deployments",
        "/apis/rbac.authorization.k8s.io/v1/roles", "/apis/coordination.k8s.io/v1/leases"}) {
    const Json list = Json::must(cluster().exchange({"GET", path}).body);
    for (const Json& each : list.at({"items"})->items()) {
      EXPECT_NE(each.text_at({"metadata", "namespace"}), "x") << path;
    }
  }
}

TEST_F(TriggerTest, NS04_CustomResourcesGoByCollection) {
  add_widget();
  start();
  delete_and_sync();
  EXPECT_FALSE(has_namespace());
  EXPECT_THAT(texts("widgets"), ElementsAre("deletecollection widgets 200", "list widgets 200"));
}

TEST_F(TriggerTest, NS05_ResourcesThatWereDefinedAfterTheStartGo) {
  start();
  add_widget();
  delete_and_sync();
  EXPECT_FALSE(has_namespace());
  EXPECT_THAT(texts("widgets"), ElementsAre("deletecollection widgets 200", "list widgets 200"));
}

TEST_F(TriggerTest, NS06_PodsGoBeforeEverythingElse) {
  add_config_map("c");
  cluster().add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"x"},
                    "spec":{"containers":[{"name":"c","image":"nginx"}]}})");
  start();

  delete_and_sync();

  EXPECT_FALSE(has_namespace());
  std::vector<std::string> deletions;
  for (const std::string& each : texts()) {
    if (each.starts_with("delete") || each.starts_with("list pods")) deletions.push_back(each);
  }
  ASSERT_GT(deletions.size(), 3U);
  EXPECT_EQ(deletions[0], "list pods 200") << "their grace";
  EXPECT_EQ(deletions[1], "deletecollection pods 200");
  EXPECT_EQ(deletions[2], "list pods 200") << "whether they are gone";
}

TEST_F(TriggerTest, NS07_NothingElseIsDeletedWhileAPodEnds) {
  add_config_map("c");
  add_bound_pod("p", 30);
  start();

  delete_and_sync();

  EXPECT_TRUE(cluster().find<Pod>({"x", "p"})->is_being_deleted());
  advance(60s);
  EXPECT_TRUE(has_config_map("c"));
}

TEST_F(TriggerTest, NS08_TheRestGoesAfterThePods) {
  add_config_map("c");
  add_bound_pod("p", 30);
  start();
  delete_and_sync();

  end_pod("p");
  advance(16s);

  EXPECT_FALSE(has_config_map("c"));
  EXPECT_FALSE(has_namespace());
}

TEST_F(TriggerTest, NS09_PodsAreAwaitedForHalfTheirGrace) {
  add_config_map("c");
  add_bound_pod("p", 30);
  start();
  delete_and_sync();

  EXPECT_THAT(texts("pods"),
              ElementsAre("list pods 200", "deletecollection pods 200", "list pods 200"));
  EXPECT_EQ(count(Verb::kUpdate, "namespaces", "status"), 1U);
  EXPECT_EQ(count(Verb::kUpdate, "namespaces", "finalize"), 0U);
  EXPECT_EQ(sync_count(), 1U);

  advance(5s);
  EXPECT_EQ(sync_count(), 2U) << "after the controller's own write";
  advance(15999ms);
  EXPECT_EQ(sync_count(), 2U);
  advance(1ms);
  EXPECT_EQ(sync_count(), 3U);
}

TEST_F(TriggerTest, NS10_EachDeletionIsInTheBackgroundAndHasNoPreconditions) {
  add_config_map("c");
  add_bound_pod("p", 0);
  start();
  delete_and_sync();

  const auto deletions = cluster().requests_of(Verb::kDeleteCollection, "configmaps");
  ASSERT_EQ(deletions.size(), 1U);
  EXPECT_EQ(deletions[0].body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})");
  EXPECT_EQ(deletions[0].query, "");
  for (const testing::RequestRecord& each : cluster().writes()) {
    if (each.verb != Verb::kDeleteCollection) continue;
    EXPECT_EQ(each.body, deletions[0].body) << each.text();
  }
}

TEST_F(TriggerTest, NS11_ANamespaceThatWasDeletedBeforeTheStartGoes) {
  delete_namespace();
  advance(60s);
  start();
  advance(4999ms);
  EXPECT_TRUE(has_namespace());
  advance(1ms);
  EXPECT_FALSE(has_namespace());
}

TEST_F(TriggerTest, NS12_ManyNamespacesGoTogether) {
  start();
  std::vector<std::string> names;
  for (int i = 0; i < 30; ++i) {
    names.push_back("n" + std::to_string(i));
    create_namespace(names.back());
    add_config_map("c", "[]", names.back());
  }
  for (const std::string& each : names) delete_namespace(each);
  advance(kDelay);
  for (const std::string& each : names) EXPECT_FALSE(has_namespace(each)) << each;
  EXPECT_THAT(note_text<namespaces::declare>(), HasSubstr(R"("workers":10)"));
}

TEST_F(TriggerTest, NS13_TheServerMarksItAndConditionsComeLater) {
  start();
  add_config_map("c", R"(["f.io/a"])");
  delete_namespace();
  advance(4s);
  EXPECT_EQ(ns().text_at({"status", "phase"}), "Terminating");
  EXPECT_THAT(conditions(), IsEmpty());
  EXPECT_EQ(first_place(texts(), "update"), 0U);
}

TEST_F(TriggerTest, APhaseThatTheServerDidNotWriteIsWritten) {
  start();
  add_config_map("c", R"(["f.io/a"])");
  delete_namespace();
  cluster().merge<Namespace>({"", "x"}, R"({"status":{"phase":"Active"}})");
  advance(kDelay);
  EXPECT_EQ(ns().text_at({"status", "phase"}), "Terminating");
  EXPECT_EQ(count(Verb::kUpdate, "namespaces", "status"), 2U) << "the phase, the conditions";
}

TEST_F(TriggerTest, TerminatingNamespacesAreLookedAtPeriodically) {
  start(R"({"namespaceSyncPeriod":"2m"})");
  add_config_map("c", R"(["f.io/a"])");
  cluster().hold("namespaces");
  delete_namespace();
  advance(1min);
  EXPECT_THAT(texts(), IsEmpty()) << "nobody told the controller";
  cluster().release("namespaces");
  cluster().run_until_idle();
  advance(kDelay);
  EXPECT_THAT(texts(), Contains(HasSubstr("deletecollection configmaps")));
}

TEST_F(TriggerTest, MistakesInTheConfigurationAreNamed) {
  for (const char* config : {R"({"namespaceSyncPeriod":"soon"})", R"({"namespaceSyncPeriod":"0s"})",
                             R"({"period":"5m"})"}) {
    const Status started = cluster().start(kController, &NamespaceController::open, config);
    EXPECT_FALSE(started.ok()) << config;
    EXPECT_THAT(started.message(), HasSubstr("namespaceSyncPeriod"));
  }
}

}  // namespace
}  // namespace davit::namespaces
