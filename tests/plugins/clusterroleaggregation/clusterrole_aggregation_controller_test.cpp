/// Rows CA01 to CA18: the aggregation controller in the in-memory cluster, under the rights of its
/// note.
#include "plugins/clusterroleaggregation/clusterrole_aggregation_controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/clusterroleaggregation/note.hpp"

namespace davit::clusterroles {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using testing::Json;
using testing::Verb;
using namespace std::chrono_literals;

constexpr const char* kController = "clusterrole-aggregation-controller";
constexpr const char* kPath = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
constexpr std::string_view kFooBar = R"([{"matchLabels":{"foo":"bar"}}])";

/// A rule that names one resource.
std::string rule(const std::string& resource) {
  return R"({"verbs":["get"],"apiGroups":[""],"resources":[")" + resource + R"("]})";
}

class ClusterRoleAggregationTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }

  void start() {
    const Status started = cluster_.start(kController, &make<ClusterRoleAggregationController>);
    ASSERT_TRUE(started.ok()) << started.message();
    cluster_.run_until_idle();
    cluster_.clear_records();
  }

  // ---- ClusterRoles, as a user ----

  /// A ClusterRole with one label, "foo=bar", and rules as the inside of a JSON array.
  void create(const std::string& name, const std::string& rules,
              std::string_view label = "foo=bar") {
    Json role = object(name);
    const std::size_t equals = label.find('=');
    role["metadata"]["labels"][label.substr(0, equals)] = label.substr(equals + 1);
    role["rules"] = Json::must("[" + rules + "]");
    post(role);
  }
  /// One that aggregates; `selectors` is a JSON array.
  void create_aggregated(const std::string& name, std::string_view selectors = kFooBar,
                         std::string_view patch = "{}") {
    Json role = object(name);
    role["aggregationRule"]["clusterRoleSelectors"] = Json::must(selectors);
    testing::merge_patch(role, Json::must(patch));
    post(role);
  }
  void patch(const std::string& name, const std::string& merge_patch) {
    send("PATCH", "/" + name, "application/merge-patch+json", merge_patch);
  }
  void remove(const std::string& name) { send("DELETE", "/" + name, "application/json", ""); }

  // ---- What there is then ----

  /// The resources of a role's rules, in their order.
  [[nodiscard]] std::vector<std::string> resources(const std::string& name) const {
    std::vector<std::string> out;
    const Json role = cluster_.json<ClusterRole>({"", name});
    const Json* rules = role.at({"rules"});
    if (rules == nullptr) return out;
    for (const Json& each : rules->items()) {
      const Json* found = each.at({"resources"});
      out.push_back(found == nullptr ? "" : found->items().front().text());
    }
    return out;
  }
  [[nodiscard]] std::size_t patches() const {
    return cluster_.requests_of(Verb::kPatch, "clusterroles").size();
  }
  /// The part of managedFields that belongs to a manager; null if it has none.
  [[nodiscard]] Json fields_of(const std::string& name, std::string_view manager) {
    const testing::RawReply reply = cluster_.exchange({"GET", kPath + ("/" + name)});
    const Json role = Json::must(reply.body);
    for (const Json& each : role.at({"metadata", "managedFields"})->items()) {
      if (each.text_at({"manager"}) == manager) return each;
    }
    return Json();
  }

  testing::Cluster cluster_{{.note = note_text<clusterroles::declare>()}};

 private:
  static Json object(const std::string& name) {
    Json role = Json::must(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole"})");
    role["metadata"]["name"] = name;
    return role;
  }
  void post(const Json& role) { send("POST", "", "application/json", role.dump()); }
  void send(const char* method, const std::string& name, const char* type,
            const std::string& body) {
    const testing::RawReply reply = cluster_.exchange(
        {method, kPath + name + "?fieldManager=tester", {{"Content-Type", type}}, body});
    ASSERT_LT(reply.http_status, 300) << reply.body;
    cluster_.run_until_idle();
  }
};

/// With hammer, chisel and the role c that aggregates both.
class AggregatedRoleTest : public ClusterRoleAggregationTest {
 protected:
  void SetUp() override {
    start();
    create("hammer", rule("nails"));
    create("chisel", rule("stones"));
    create_aggregated("c");
    ASSERT_THAT(resources("c"), ElementsAre("stones", "nails"));
  }
};

TEST_F(ClusterRoleAggregationTest, CA01_RulesStandInTheOrderOfTheRolesNames) {
  create("hammer", rule("nails"));
  create("chisel", rule("stones"));
  start();
  create_aggregated("c");

  EXPECT_THAT(resources("c"), ElementsAre("stones", "nails"));
  const std::vector<testing::RequestRecord> writes = cluster_.writes();
  ASSERT_EQ(writes.size(), 1);
  EXPECT_EQ(writes.front().text(), "patch clusterroles/c 200");
  EXPECT_EQ(writes.front().query, "fieldManager=clusterrole-aggregation-controller&force=true");
  EXPECT_EQ(writes.front().body,
            R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1",)"
            R"("metadata":{"name":"c"},"rules":[)" +
                rule("stones") + "," + rule("nails") + "]}");
}

TEST_F(ClusterRoleAggregationTest, CA02_TheOrderOfSelectorsGoesBeforeThatOfNames) {
  start();
  create("z", rule("zs"));
  create("a", rule("as"), "foo=baz");
  create_aggregated("c", R"([{"matchLabels":{"foo":"bar"}},{"matchLabels":{"foo":"baz"}}])");
  EXPECT_THAT(resources("c"), ElementsAre("zs", "as"));
}

TEST_F(ClusterRoleAggregationTest, CA03_ARuleOfTwoRolesStandsThereOnce) {
  start();
  create("a", rule("nails"));
  create("b", rule("nails") + "," + rule("stones"));
  create_aggregated("c");
  EXPECT_THAT(resources("c"), ElementsAre("nails", "stones"));
}

TEST_F(ClusterRoleAggregationTest, CA04_TheOrderOfVerbsDistinguishesRules) {
  start();
  create("a", R"({"verbs":["get","list"],"apiGroups":[""],"resources":["nails"]})");
  create("b", R"({"verbs":["list","get"],"apiGroups":[""],"resources":["nails"]})");
  create_aggregated("c");
  EXPECT_THAT(resources("c"), ElementsAre("nails", "nails"));
}

TEST_F(AggregatedRoleTest, CA05_FollowsLabelsRulesAndDeletionOfItsSources) {
  patch("chisel", R"({"metadata":{"labels":{"foo":"other"}}})");
  EXPECT_THAT(resources("c"), ElementsAre("nails"));

  patch("chisel", R"({"metadata":{"labels":{"foo":"bar"}}})");
  EXPECT_THAT(resources("c"), ElementsAre("stones", "nails"));

  patch("chisel", R"({"rules":[)" + rule("wood") + "]}");
  EXPECT_THAT(resources("c"), ElementsAre("wood", "nails"));

  remove("chisel");
  EXPECT_THAT(resources("c"), ElementsAre("nails"));
}

TEST_F(AggregatedRoleTest, CA06_WithoutSourcesThereAreNoRules) {
  remove("chisel");
  remove("hammer");
  EXPECT_THAT(resources("c"), IsEmpty());
  EXPECT_EQ(Json::must(cluster_.writes().back().body).at({"rules"}), nullptr)
      << "the apply leaves the member out";
}

TEST_F(AggregatedRoleTest, CA07_RulesWrittenByHandAreReplaced) {
  patch("c", R"({"rules":[)" + rule("anything") + "]}");
  EXPECT_THAT(resources("c"), ElementsAre("stones", "nails"));
}

TEST_F(ClusterRoleAggregationTest, CA08_ARoleIsNotItsOwnSource) {
  start();
  create("hammer", rule("nails"));
  create_aggregated("c", kFooBar,
                    R"({"metadata":{"labels":{"foo":"bar"}},"rules":[)" + rule("own") + "]}");
  EXPECT_THAT(resources("c"), ElementsAre("nails"));
}

TEST_F(ClusterRoleAggregationTest, CA09_AChainSettlesLevelByLevel) {
  start();
  create("hammer", rule("nails"));
  create_aggregated("d", R"([{"matchLabels":{"level":"c"}}])");
  create_aggregated("c", kFooBar, R"({"metadata":{"labels":{"level":"c"}}})");
  ASSERT_THAT(resources("d"), ElementsAre("nails"));

  patch("hammer", R"({"rules":[)" + rule("screws") + "]}");
  EXPECT_THAT(resources("c"), ElementsAre("screws"));
  EXPECT_THAT(resources("d"), ElementsAre("screws"));
}

TEST_F(ClusterRoleAggregationTest, TwoRolesThatAggregateEachOtherSettle) {
  start();
  create("hammer", rule("nails"));
  create_aggregated("a", R"([{"matchLabels":{"foo":"bar"}},{"matchLabels":{"is":"b"}}])",
                    R"({"metadata":{"labels":{"is":"a"}}})");
  create_aggregated("b", R"([{"matchLabels":{"is":"a"}}])",
                    R"({"metadata":{"labels":{"is":"b"}}})");
  EXPECT_THAT(resources("b"), ElementsAre("nails"));

  remove("hammer");
  EXPECT_THAT(resources("a"), ElementsAre("nails")) << "what is in a cycle stays";
}

TEST_F(ClusterRoleAggregationTest, CA10_AnEmptySelectorMeansAllOthers) {
  start();
  create("hammer", rule("nails"));
  create("zebra", rule("stripes"), "foo=other");
  create_aggregated("c", "[{}]");
  EXPECT_THAT(resources("c"), IsSupersetOf({"nails", "stripes"}));
  EXPECT_EQ(resources("c").back(), "stripes");
}

TEST_F(AggregatedRoleTest, CA11_RolesThatDoNotAggregateAreNeverWritten) {
  create("saw", rule("planks"));
  patch("saw", R"({"metadata":{"labels":{"a":"b"}}})");
  for (const testing::RequestRecord& each : cluster_.writes()) EXPECT_EQ(each.name, "c");
}

TEST_F(AggregatedRoleTest, CA12_TheManagerOwnsTheRulesAndNothingElse) {
  const Json fields = fields_of("c", "clusterrole-aggregation-controller");
  EXPECT_EQ(fields.text_at({"operation"}), "Apply");
  EXPECT_EQ(fields.at({"fieldsV1"})->dump(), R"({"f:rules":{}})");
  const Json others = fields_of("c", "tester");
  EXPECT_NE(others.at({"fieldsV1", "f:aggregationRule"}), nullptr);
}

TEST_F(AggregatedRoleTest, CA13_ChangesThatAreNotAboutItCauseNoWrite) {
  cluster_.clear_records();
  create("stranger", rule("planks"), "foo=other");
  patch("stranger", R"({"metadata":{"labels":{"a":"b"}}})");
  cluster_.resync("clusterroles");
  cluster_.run_until_idle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_THAT(cluster_.syncs(), Contains(::testing::Field(&testing::SyncRecord::key, "c")));
}

TEST_F(AggregatedRoleTest, CA14_WithoutAggregationRuleTheRulesStayAsTheyAre) {
  patch("c", R"({"aggregationRule":null})");
  cluster_.clear_records();
  remove("hammer");
  EXPECT_THAT(resources("c"), ElementsAre("stones", "nails"));
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(ClusterRoleAggregationTest, CA15_RulesOfOthersStayWhereNothingMatches) {
  start();
  create_aggregated("c", kFooBar, R"({"rules":[)" + rule("x") + "]}");
  EXPECT_THAT(resources("c"), ElementsAre("x"));
  EXPECT_GE(patches(), 1) << "Q11: an apply without effect";
}

TEST_F(AggregatedRoleTest, CA16_ARefusedWriteIsRepeatedMoreAndMoreSeldomAndHoldsUpNobody) {
  create_aggregated("d");
  cluster_.clear_records();
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "clusterroles",
                      .name = "c",
                      .http_status = 403,
                      .reason = "Forbidden",
                      .times = testing::Fault::kAlways});
  remove("hammer");
  EXPECT_THAT(resources("d"), ElementsAre("stones"));

  cluster_.advance(10s);
  const std::size_t tries = patches();
  EXPECT_GE(tries, 8);
  EXPECT_LE(tries, 14);
  cluster_.clear_faults();
  cluster_.advance(30s);
  EXPECT_THAT(resources("c"), ElementsAre("stones"));
}

TEST_F(ClusterRoleAggregationTest, CA17_ALabelToViewReachesViewEditAndAdmin) {
  start();
  const auto selects = [](const std::string& label) {
    return R"([{"matchLabels":{"rbac.authorization.k8s.io/aggregate-to-)" + label +
           R"(":"true"}}])";
  };
  const auto is_labelled = [](const std::string& label) {
    return R"({"metadata":{"labels":{"rbac.authorization.k8s.io/aggregate-to-)" + label +
           R"(":"true"}}})";
  };
  create_aggregated("admin", selects("admin"));
  create_aggregated("edit", selects("edit"), is_labelled("admin"));
  create_aggregated("view", selects("view"), is_labelled("edit"));

  create("widgets", rule("widgets"), "rbac.authorization.k8s.io/aggregate-to-view=true");
  for (const char* each : {"view", "edit", "admin"}) {
    EXPECT_THAT(resources(each), Contains("widgets")) << each;
  }
}

TEST_F(ClusterRoleAggregationTest, CA18_NoEventsAndNoRightThatIsNotUsed) {
  start();
  create("hammer", rule("nails"));
  create_aggregated("c");
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_THAT(cluster_.unused_declarations(), ElementsAre(HasSubstr("escalate")))
      << "the verb is the server's to ask for";
}

}  // namespace
}  // namespace davit::clusterroles
