#include <gtest/gtest.h>

#include "tests/sandbox/kinds/rule_cases.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kPod = R"({
    "metadata":{"name":"p","namespace":"n","uid":"u",
        "ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"o","uid":"1"}]},
    "spec":{"containers":[{"name":"c","image":"nginx"}],"nodeName":"n1",
        "activeDeadlineSeconds":100,"tolerations":[{"key":"a","operator":"Exists"}],
        "restartPolicy":"Never"},
    "status":{"phase":"Running","qosClass":"BestEffort",
        "containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":0}}}]}})";

class PodUpdateTest : public ::testing::Test {
 protected:
  PodUpdateTest() : rules_(find_builtin("v1", "Pod")->rules), old_(json_literal(kPod)) {
    rules_->set_defaults(old_);
  }

  Json changed(std::string_view patch, UpdateTarget target) const {
    Json pod = old_;
    merge(pod, json_literal(patch));
    rules_->set_defaults(pod);
    rules_->prepare_update(pod, old_, target);
    return pod;
  }
  std::string update(std::string_view patch, UpdateTarget target = UpdateTarget::kObject) const {
    return to_lines(rules_->validate_update(changed(patch, target), old_, target));
  }

  std::shared_ptr<const KindRules> rules_;
  Json old_;
};

TEST_F(PodUpdateTest, ImagesDeadlinesAndTolerationsMayChange) {
  constexpr std::string_view kAllowed[] = {
      R"({"metadata":{"labels":{"a":"b"}}})",
      R"({"spec":{"containers":[{"name":"c","image":"other","imagePullPolicy":"Always"}]}})",
      R"({"spec":{"activeDeadlineSeconds":50}})",
      R"({"spec":{"tolerations":[{"key":"a","operator":"Exists"},{"key":"b"}]}})",
  };
  for (const std::string_view each : kAllowed) EXPECT_EQ(update(each), "") << each;
}

TEST_F(PodUpdateTest, NothingElseOfTheSpecMay) {
  const std::string lines = update(R"({"spec":{"nodeName":"zzz"}})");

  EXPECT_EQ(lines.substr(0, lines.find('\n')),
            "spec: Forbidden: pod updates may not change fields other than "
            "`spec.containers[*].image`,`spec.initContainers[*].image`,"
            "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing "
            "tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
            "previously negative)");
  EXPECT_NE(lines.find("- \tnodeName: \"n1\",\n+ \tnodeName: \"zzz\","), std::string::npos);
}

TEST_F(PodUpdateTest, RulesAreThoseOfTheRealServer) {
  const RuleCase cases[] = {
      {R"({"spec":{"containers":[{"name":"c","image":"x"},{"name":"d","image":"x"}]}})",
       "spec.containers: Forbidden: pod updates may not add or remove containers"},
      {R"({"spec":{"activeDeadlineSeconds":200}})",
       "spec.activeDeadlineSeconds: Invalid value: 200: must be less than or equal to previous "
       "value"},
      {R"({"spec":{"activeDeadlineSeconds":null}})",
       "spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer "
       "to nil value"},
      {R"({"spec":{"tolerations":[]}})",
       "spec.tolerations: Forbidden: existing toleration can not be modified except its "
       "tolerationSeconds"},
  };
  for (const RuleCase& each : cases) {
    EXPECT_EQ(update(each.patch), each.lines) << each.patch;
  }
}

TEST_F(PodUpdateTest, TheMainResourceKeepsTheStatus) {
  const Json pod = changed(R"({"status":{"phase":"Failed"}})", UpdateTarget::kObject);

  EXPECT_EQ(pod.get("status"), old_.get("status"));
}

TEST_F(PodUpdateTest, StatusKeepsSpecAndOwners) {
  const Json pod = changed(
      R"({"metadata":{"labels":{"a":"b"},"ownerReferences":null},"spec":{"nodeName":"zzz"},
          "status":{"phase":"Failed","qosClass":null}})",
      UpdateTarget::kStatus);

  EXPECT_EQ(pod.get("spec"), old_.get("spec"));
  EXPECT_EQ(pod.text_at({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(pod.get("metadata").get("ownerReferences"),
            old_.get("metadata").get("ownerReferences"));
  EXPECT_EQ(pod.text_at({"status", "qosClass"}), "BestEffort");
  EXPECT_EQ(pod.text_at({"status", "phase"}), "Failed");
}

TEST_F(PodUpdateTest, OneAddressFillsTheOther) {
  const Json one = changed(R"({"status":{"podIP":"10.0.0.1"}})", UpdateTarget::kStatus);
  const Json list = changed(R"({"status":{"podIPs":[{"ip":"10.0.0.2"}]}})", UpdateTarget::kStatus);

  EXPECT_EQ(one.get("status").get("podIPs"), json_literal(R"([{"ip":"10.0.0.1"}])"));
  EXPECT_EQ(list.text_at({"status", "podIP"}), "10.0.0.2");
}

TEST_F(PodUpdateTest, StatusRulesAreThoseOfTheRealServer) {
  const RuleCase cases[] = {
      {R"({"status":{"phase":"Anything"}})", ""},
      {R"({"status":{"qosClass":"Guaranteed"}})",
       R"(status.qosClass: Invalid value: "Guaranteed": field is immutable)"},
      {R"({"status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]}})",
       "status.podIPs: Invalid value: [{\"ip\":\"10.0.0.1\"},{\"ip\":\"10.0.0.2\"}]: may specify "
       "no more than one IP for each IP family"},
      {R"({"status":{"podIPs":[{"ip":"10.0.0.1"},{"ip":"::1"}]}})", ""},
      {R"({"status":{"containerStatuses":[{"name":"c","state":{"running":{}}}]}})",
       "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated "
       "state"},
      {R"({"status":{"hostIPs":[{"ip":"10.0.0.1"}]}})",
       R"(status.hostIPs[0].ip: Invalid value: "10.0.0.1": must be equal to `hostIP`)"},
  };
  for (const RuleCase& each : cases) {
    EXPECT_EQ(update(each.patch, UpdateTarget::kStatus), each.lines) << each.patch;
  }
}

TEST_F(PodUpdateTest, GenerationFollowsTheSpec) {
  EXPECT_FALSE(rules_->raises_generation(
      changed(R"({"metadata":{"labels":{"a":"b"}}})", UpdateTarget::kObject), old_));
  EXPECT_TRUE(rules_->raises_generation(
      changed(R"({"spec":{"activeDeadlineSeconds":50}})", UpdateTarget::kObject), old_));
}

TEST_F(PodUpdateTest, GatedPodsMayBecomePickier) {
  old_["spec"].erase("nodeName");
  old_["spec"].set("schedulingGates", json_literal(R"([{"name":"g"}])"));
  old_["spec"].set("nodeSelector", json_literal(R"({"a":"b"})"));

  EXPECT_EQ(update(R"({"spec":{"nodeSelector":{"c":"d"},"schedulingGates":[]}})"), "");
  EXPECT_EQ(update(R"({"spec":{"nodeSelector":{"a":"z"}}})"),
            "spec.nodeSelector: Invalid value: {\"a\":\"z\"}: only additions are allowed (no "
            "mutations or deletions)");
}

}  // namespace
}  // namespace davit::sandbox
