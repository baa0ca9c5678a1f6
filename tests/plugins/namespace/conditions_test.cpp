/// The conditions as the server keeps them: NS28 to NS35.
#include "tests/plugins/namespace/fixture.hpp"

namespace davit::namespaces {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

class ConditionsTest : public NamespaceTest {
 protected:
  [[nodiscard]] std::size_t status_writes() const {
    return count(Verb::kUpdate, "namespaces", "status");
  }
};

TEST_F(ConditionsTest, NS28_TheFirstWriteHasAllFiveWithTheirTimes) {
  add_config_map("c", R"(["f.io/a"])");
  start();
  delete_and_sync();
  std::vector<std::string> types;
  for (const Json& each : conditions()) {
    types.push_back(each.text_at({"type"}));
    EXPECT_EQ(each.text_at({"lastTransitionTime"}), format_time(cluster().wall_now()));
  }
  EXPECT_THAT(types, ElementsAre("NamespaceDeletionDiscoveryFailure",
                                 "NamespaceDeletionGroupVersionParsingFailure",
                                 "NamespaceDeletionContentFailure", "NamespaceContentRemaining",
                                 "NamespaceFinalizersRemaining"));
}

TEST_F(ConditionsTest, NS29_NothingNewIsNotWritten) {
  add_config_map("c", R"(["f.io/a"])");
  start();
  delete_and_sync();
  advance(60s);
  EXPECT_GE(cluster().syncs().size(), 5U);
  EXPECT_EQ(status_writes(), 1U);
}

TEST_F(ConditionsTest, NS30_AMessageMayChangeWithoutATransition) {
  add_config_map("c", R"(["f.io/a"])");
  add_config_map("d", R"(["f.io/b"])");
  start();
  delete_and_sync();
  const std::string time = transition_time("NamespaceContentRemaining");
  drop_finalizers("d");
  advance(20s);
  EXPECT_EQ(condition("NamespaceContentRemaining"),
            "True SomeResourcesRemain: Some resources are remaining: "
            "configmaps. has 1 resource instances");
  EXPECT_EQ(transition_time("NamespaceContentRemaining"), time);
}

TEST_F(ConditionsTest, NS31_AFailureThatIsOverTurnsFalse) {
  add_config_map("c", R"(["f.io/a"])");
  add_bound_pod("p", 1);
  start();
  delete_and_sync();
  EXPECT_THAT(condition("NamespaceDeletionContentFailure"), StartsWith("True"));
  const std::string time = transition_time("NamespaceDeletionContentFailure");
  advance(30s);
  end_pod("p");
  advance(60s);
  EXPECT_THAT(condition("NamespaceDeletionContentFailure"), StartsWith("False ContentDeleted"));
  EXPECT_NE(transition_time("NamespaceDeletionContentFailure"), time);
  EXPECT_THAT(condition("NamespaceContentRemaining"), StartsWith("True"));
}

TEST_F(ConditionsTest, NS33_AConflictOfTheStatusDelaysNothing) {
  add_config_map("c", R"(["f.io/a"])");
  start();
  cluster().fail_next({.verb = Verb::kUpdate,
                       .resource = "namespaces",
                       .subresource = "status",
                       .http_status = 409,
                       .reason = "Conflict"});
  delete_and_sync();
  EXPECT_TRUE(cluster().syncs().back().ok());
  EXPECT_TRUE(conditions().empty());
  EXPECT_TRUE(cluster().find<ConfigMap>({"x", "c"})->is_being_deleted());
  advance(8s);
  EXPECT_EQ(conditions().size(), 5U);
}

TEST_F(ConditionsTest, NS34_AGroupThatDoesNotRespondHoldsTheNamespaceAndNotItsContent) {
  add_config_map("c");
  bool is_stale = true;
  start_discovering([&is_stale](Served& found) {
    if (is_stale) found.failures = {"g/v1: stale GroupVersion discovery: g/v1"};
  });
  delete_and_sync();
  EXPECT_FALSE(has_config_map("c"));
  EXPECT_EQ(condition("NamespaceDeletionDiscoveryFailure"),
            "True DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve "
            "the complete list of server APIs: g/v1: stale GroupVersion discovery: g/v1");
  advance(10min);
  EXPECT_TRUE(has_namespace());
  EXPECT_EQ(count(Verb::kUpdate, "namespaces", "finalize"), 0U);

  is_stale = false;
  advance(60s);
  EXPECT_FALSE(has_namespace());
}

TEST_F(ConditionsTest, AnAnswerWithoutTheCoreGroupHoldsTheNamespace) {
  add_config_map("c", R"(["f.io/a"])");
  bool is_lacking = true;
  start_discovering([&is_lacking](Served& found) {
    const auto is_core = [](const ServedKind& each) { return each.gvr.group.empty(); };
    if (is_lacking) std::erase_if(found.kinds, is_core);
  });
  delete_and_sync();
  EXPECT_EQ(condition("NamespaceDeletionDiscoveryFailure"),
            "True DiscoveryFailed: Discovery failed for some groups, 1 failing: unable to retrieve "
            "the complete list of server APIs: v1: the server does not mention namespaces, which "
            "it has");
  EXPECT_TRUE(has_config_map("c"));
  EXPECT_EQ(count(Verb::kUpdate, "namespaces", "finalize"), 0U);
  is_lacking = false;
  advance(60s);
  EXPECT_TRUE(cluster().find<ConfigMap>({"x", "c"})->is_being_deleted());
}

TEST_F(ConditionsTest, DiscoveryThatFailsAltogetherIsReportedAsItIs) {
  bool is_broken = false;
  start_discovering([&is_broken](Served&) -> Status {
    if (is_broken) return {Code::kUnavailable, "no connection"};
    return {};
  });
  is_broken = true;
  delete_and_sync();
  EXPECT_EQ(condition("NamespaceDeletionDiscoveryFailure"), "True DiscoveryFailed: no connection");
  EXPECT_TRUE(has_namespace());
}

TEST_F(ConditionsTest, AnInvalidVersionStopsAllDeletion) {
  add_config_map("c");
  start_discovering([](Served& found) { kind_of(found, "secrets").gvr.version = "v1/x"; });
  delete_and_sync();
  EXPECT_TRUE(has_config_map("c"));
  EXPECT_THAT(condition("NamespaceDeletionGroupVersionParsingFailure"),
              StartsWith("True GroupVersionParsingFailed: unexpected GroupVersion string: "));
  EXPECT_EQ(count(Verb::kDeleteCollection, "configmaps"), 0U);
}

TEST_F(ConditionsTest, NS35_PodsThatAreAwaitedAreNotReported) {
  add_bound_pod("p", 30);
  start();
  delete_and_sync();
  EXPECT_EQ(condition("NamespaceContentRemaining"),
            "False ContentRemoved: All content successfully removed");
  EXPECT_THAT(condition("NamespaceFinalizersRemaining"), StartsWith("False"));
}

}  // namespace
}  // namespace davit::namespaces
