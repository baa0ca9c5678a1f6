/// The texts of the conditions, and when they change; pure.
#include "plugins/namespace/condition_plan.hpp"

#include "tests/plugins/namespace/fixture.hpp"

namespace davit::namespaces {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ConditionPlanTest : public ::testing::Test {
 protected:
  /// "type status reason: message" of each.
  [[nodiscard]] std::vector<std::string> texts(const std::string& conditions) {
    std::vector<std::string> out;
    const Json all = Json::must(conditions);
    for (const Json& each : all.items()) {
      out.push_back(each.text_at({"type"}) + " " + each.text_at({"status"}) + " " +
                    each.text_at({"reason"}) + ": " + each.text_at({"message"}));
    }
    return out;
  }
  [[nodiscard]] std::string plan(std::string_view present, const Findings& findings) {
    return plan_conditions(cluster_.value(present), findings, cluster_.wall_now()).value_or("");
  }

  testing::Cluster cluster_;
};

TEST_F(ConditionPlanTest, NS28_WithoutFindingsAllAreFalseInUpstreamsOrder) {
  EXPECT_THAT(texts(plan("[]", {})),
              ElementsAre("NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: "
                          "All resources successfully discovered",
                          "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: "
                          "All legacy kube types successfully parsed",
                          "NamespaceDeletionContentFailure False ContentDeleted: "
                          "All content successfully deleted, may be waiting on finalization",
                          "NamespaceContentRemaining False ContentRemoved: "
                          "All content successfully removed",
                          "NamespaceFinalizersRemaining False ContentHasNoFinalizers: "
                          "All content-preserving finalizers finished"));
}

TEST_F(ConditionPlanTest, FindingsAreTrueAndSorted) {
  Findings findings;
  findings.discovery = partial_discovery_message({"g/v1: no", "f/v1: no"});
  findings.parsing = "not one";
  findings.content = {"b", "a"};
  findings.totals.add({"", "v1", "pods"}, {2, {{"f/b", 1}, {"f/a", 2}}});
  findings.totals.add({"apps", "v1", "deployments"}, {1, {{"f/b", 1}}});
  EXPECT_THAT(
      texts(plan("[]", findings)),
      ElementsAre("NamespaceDeletionDiscoveryFailure True DiscoveryFailed: Discovery failed for "
                  "some groups, 2 failing: unable to retrieve the complete list of server APIs: "
                  "f/v1: no, g/v1: no",
                  "NamespaceDeletionGroupVersionParsingFailure True GroupVersionParsingFailed: "
                  "not one",
                  "NamespaceDeletionContentFailure True ContentDeletionFailed: "
                  "Failed to delete all resource types, 2 remaining: a, b",
                  "NamespaceContentRemaining True SomeResourcesRemain: Some resources are "
                  "remaining: deployments.apps has 1 resource instances, pods. has 2 resource "
                  "instances",
                  "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the "
                  "namespace has finalizers remaining: f/a in 2 resource instances, f/b in 2 "
                  "resource instances"));
}

TEST_F(ConditionPlanTest, UnchangedStatusIsNotWritten) {
  const std::string written = plan("[]", {});
  EXPECT_EQ(plan(written, {}), "");
}

TEST_F(ConditionPlanTest, TimesChangeWithTheStatusOnly) {
  const std::string at_first = plan("[]", {});
  const std::string begin = format_time(cluster_.wall_now());
  cluster_.skip(10s);
  Findings findings;
  findings.content = {"a"};
  const std::string failed = plan(at_first, findings);
  const std::string second = format_time(cluster_.wall_now());
  EXPECT_EQ(Json::must(failed).items()[2].text_at({"lastTransitionTime"}), second);
  EXPECT_EQ(Json::must(failed).items()[0].text_at({"lastTransitionTime"}), begin);

  cluster_.skip(10s);
  findings.content = {"b"};
  const std::string again = plan(failed, findings);
  EXPECT_EQ(Json::must(again).items()[2].text_at({"lastTransitionTime"}), second);
  EXPECT_THAT(again, HasSubstr("1 remaining: b"));
}

TEST_F(ConditionPlanTest, NS32_ForeignConditionsStayInTheirPlaces) {
  const std::string planned = plan(
      R"([{"type":"Mine","status":"True","extra":1},
          {"type":"NamespaceContentRemaining","status":"True","lastTransitionTime":"t","own":2}])",
      {});
  const Json list = Json::must(planned);
  const std::vector<Json>& all = list.items();
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[0].dump(), R"({"type":"Mine","status":"True","extra":1})");
  EXPECT_EQ(all[1].text_at({"type"}), "NamespaceContentRemaining");
  EXPECT_EQ(all[1].text_at({"own"}), "2") << "unknown members survive";
}

}  // namespace
}  // namespace davit::namespaces
