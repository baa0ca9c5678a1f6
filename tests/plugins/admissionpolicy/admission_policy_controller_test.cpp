/// The rows of part B that are about the controller.
#include "plugins/admissionpolicy/admission_policy_controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/kube/json.hpp"
#include "plugins/admissionpolicy/note.hpp"

namespace davit::admissionpolicy {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AdmissionPolicyControllerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(cluster_
                    .start("validatingadmissionpolicy-status-controller",
                           &make_without_options<AdmissionPolicyController>)
                    .ok());
    settle();
  }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }
  void settle() { cluster_.run_until_idle(); }

  /// A policy with one validation. `rules`: resourceRules without operations.
  static Json policy_of(const std::string& expression, const std::string& rules = kDeployments) {
    Json out = json_literal(R"({"apiVersion":"admissionregistration.k8s.io/v1",
        "kind":"ValidatingAdmissionPolicy","metadata":{"name":"p"},"spec":{"validations":[{}],
        "matchConstraints":{}}})");
    Json list = json_literal(rules);
    for (Json& each : list.make_array()) each.set("operations", json_literal(R"(["CREATE"])"));
    out["spec"]["matchConstraints"].set("resourceRules", std::move(list));
    out["spec"]["validations"].make_array()[0].set("expression", expression);
    return out;
  }
  void add(const Json& policy) {
    cluster_.add(to_text(policy));
    settle();
  }
  void change(const std::string& patch) {
    cluster_.merge<ValidatingAdmissionPolicy>({"", "p"}, patch);
    settle();
  }
  [[nodiscard]] Json object() const {
    return json_literal(cluster_.json<ValidatingAdmissionPolicy>({"", "p"}).dump());
  }
  [[nodiscard]] std::string status() const { return to_text(object().get("status")); }
  /// The text of the only warning; "" if there is none.
  [[nodiscard]] std::string warning() const {
    const Json object = this->object();
    const Json* checking = object.at({"status", "typeChecking"});
    if (checking == nullptr) return "unchecked";
    const Json::Items& warnings = checking->get("expressionWarnings").items();
    return warnings.empty() ? "" : warnings[0].get("warning").text();
  }
  /// Kinds of the parts of the warning.
  [[nodiscard]] std::vector<std::string> kinds() const {
    constexpr std::string_view kMark = ", Kind=";
    std::vector<std::string> out;
    const std::string text = warning();
    for (std::size_t at = 0; (at = text.find(kMark, at)) != std::string::npos;) {
      const std::size_t start = text.rfind('\n', at) + 1;
      at += kMark.size();
      out.push_back(text.substr(start, text.find(':', at) - start));
    }
    return out;
  }
  [[nodiscard]] std::vector<std::string> writes() const {
    std::vector<std::string> out;
    for (const auto& each : cluster_.writes()) out.push_back(each.text());
    return out;
  }
  void define_toy(const std::string& field) {
    cluster_.add(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
      "metadata":{"name":"toys.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
      "names":{"plural":"toys","singular":"toy","kind":"Toy","listKind":"ToyList"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
      {"type":"object","properties":{"spec":{"type":"object","properties":{")" +
                 field + R"(":{"type":"integer"}}}}}}}]}})");
    settle();
  }

  static constexpr const char* kDeployments =
      R"([{"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]}])";
  static constexpr const char* kToys =
      R"([{"apiGroups":["example.com"],"apiVersions":["v1"],"resources":["toys"]}])";

  testing::Cluster cluster_{{.note = note_text<admissionpolicy::declare>()}};
};

TEST_F(AdmissionPolicyControllerTest, CC22_ARightPolicyGetsAnEmptyTypeChecking) {
  add(policy_of("object.spec.replicas > 1"));
  EXPECT_EQ(status(), R"({"observedGeneration":1,"typeChecking":{}})");
  const auto records = cluster_.writes();
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].patch_type, PatchType::kApply);
  EXPECT_THAT(records[0].query, HasSubstr("fieldManager=validatingadmissionpolicy-status"));
  EXPECT_THAT(records[0].query, HasSubstr("force=true"));
}

TEST_F(AdmissionPolicyControllerTest, CC23_AWrongPolicyGetsAWarning) {
  add(policy_of("object.foo > 1"));
  EXPECT_EQ(to_text(object().get("status").get("typeChecking").get("expressionWarnings")),
            R"json([{"fieldRef":"spec.validations[0].expression","warning":)json"
            R"json("apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'foo'\n)json"
            R"json( | object.foo > 1\n | ......^\n"}])json");
}

TEST_F(AdmissionPolicyControllerTest, CC64_ParametersAreOfTheKindThatThePolicyNames) {
  Json policy = policy_of("params.data.foo == \"a\" && params.nope == 1");
  policy["spec"]["paramKind"] = json_literal(R"({"apiVersion":"v1","kind":"ConfigMap"})");
  add(policy);
  EXPECT_THAT(warning(), HasSubstr("1:33: undefined field 'nope'"));
}

TEST_F(AdmissionPolicyControllerTest, CC65_ParametersOfAnUnknownKindCanBeAnything) {
  Json policy = policy_of("params.nope == 1");
  policy["spec"]["paramKind"] = json_literal(R"({"apiVersion":"no.such/v1","kind":"Thing"})");
  add(policy);
  EXPECT_EQ(warning(), "");
}

TEST_F(AdmissionPolicyControllerTest, CC66_ConditionsAndAnnotationsAreNotChecked) {
  Json policy = policy_of("true");
  policy["spec"]["matchConditions"] =
      json_literal(R"([{"name":"a","expression":"object.nope == 1"}])");
  policy["spec"]["auditAnnotations"] =
      json_literal(R"json([{"key":"a","valueExpression":"string(object.nope)"}])json");
  add(policy);
  EXPECT_EQ(status(), R"({"observedGeneration":1,"typeChecking":{}})");
}

TEST_F(AdmissionPolicyControllerTest, CC68_KindsOfSeveralRulesAreSorted) {
  add(policy_of("object.spec.selektor == 1", R"([
      {"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments","daemonsets"]},
      {"apiGroups":[""],"apiVersions":["v1"],"resources":["pods"]}])"));
  EXPECT_THAT(kinds(), ::testing::ElementsAre("/v1, Kind=Pod", "apps/v1, Kind=DaemonSet",
                                              "apps/v1, Kind=Deployment"));
  EXPECT_THAT(warning(), HasSubstr("^\n\napps/v1, Kind=DaemonSet: "));
}

TEST_F(AdmissionPolicyControllerTest, CC69_WildcardsAndSubresourcesGiveNoKind) {
  for (const char* rules :
       {R"([{"apiGroups":["*"],"apiVersions":["v1"],"resources":["deployments"]}])",
        R"([{"apiGroups":["apps"],"apiVersions":["v1"],"resources":["*"]}])",
        R"([{"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments/scale"]}])"}) {
    add(policy_of("object.foo == 1", rules));
    EXPECT_EQ(warning(), "") << rules;
    cluster_.remove<ValidatingAdmissionPolicy>({"", "p"});
    settle();
  }
}

TEST_F(AdmissionPolicyControllerTest, CC70_AnUnknownResourceGivesNoKind) {
  add(policy_of("object.foo == 1", R"([
      {"apiGroups":["apps"],"apiVersions":["v1","v9"],"resources":["nosuch"]}])"));
  EXPECT_EQ(warning(), "");
}

TEST_F(AdmissionPolicyControllerTest, CC71_ResourcesGoBySingularAndByAnyCaseAndGroup) {
  for (const char* rules :
       {R"([{"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployment"]}])",
        R"([{"apiGroups":["apps"],"apiVersions":["v1"],"resources":["Deployments"]}])",
        R"([{"apiGroups":[""],"apiVersions":["v1"],"resources":["deployments"]}])"}) {
    add(policy_of("object.foo == 1", rules));
    EXPECT_THAT(kinds(), ::testing::ElementsAre("apps/v1, Kind=Deployment")) << rules;
    cluster_.remove<ValidatingAdmissionPolicy>({"", "p"});
    settle();
  }
}

TEST_F(AdmissionPolicyControllerTest, CC72_TenKindsAreChecked) {
  add(policy_of("object.foo == 1", R"([{"apiGroups":[""],"apiVersions":["v1"],"resources":[
      "configmaps","endpoints","events","limitranges","namespaces","nodes","persistentvolumeclaims",
      "persistentvolumes","pods","podtemplates","secrets","services"]}])"));
  EXPECT_THAT(kinds(), SizeIs(10));
  EXPECT_THAT(kinds(),
              ::testing::IsSupersetOf({"/v1, Kind=Event", "events.k8s.io/v1, Kind=Event"}));
  EXPECT_TRUE(std::ranges::is_sorted(kinds()));
}

TEST_F(AdmissionPolicyControllerTest, CC73_AKindIsCheckedOnce) {
  add(policy_of("object.foo == 1", R"([
      {"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]},
      {"apiGroups":["apps"],"apiVersions":["v1"],"resources":["deployments"]}])"));
  EXPECT_THAT(kinds(), SizeIs(1));
}

TEST_F(AdmissionPolicyControllerTest, CC76_MetadataOfCustomKindsIsKnown) {
  define_toy("size");
  add(policy_of("object.metadata.labels.foo == 1", kToys));
  EXPECT_THAT(warning(), HasSubstr("'_==_' applied to '(string, int)'"));
}

TEST_F(AdmissionPolicyControllerTest, CC77_AKindThatComesLaterIsCheckedWithTheNextGeneration) {
  add(policy_of("object.spec.foo == 1", kToys));
  EXPECT_EQ(status(), R"({"observedGeneration":1,"typeChecking":{}})");
  define_toy("size");
  cluster_.resync("validatingadmissionpolicies");
  settle();
  EXPECT_EQ(warning(), "");
  change(R"({"spec":{"failurePolicy":"Ignore"}})");
  EXPECT_THAT(warning(), HasSubstr("undefined field 'foo'"));
}

TEST_F(AdmissionPolicyControllerTest, CC78_AKindThatHasJustComeIsFound) {
  add(policy_of("true"));
  cluster_.remove<ValidatingAdmissionPolicy>({"", "p"});
  define_toy("size");
  add(policy_of("object.spec.foo == 1", kToys));
  EXPECT_THAT(warning(), HasSubstr("undefined field 'foo'"));
}

TEST_F(AdmissionPolicyControllerTest, CC79_OnlyANewGenerationIsChecked) {
  add(policy_of("object.foo > 1"));
  ASSERT_THAT(writes(), SizeIs(1));
  change(R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_THAT(writes(), SizeIs(1));
  change(R"({"spec":{"validations":[{"expression":"object.spec.replicas > 1"}]}})");
  EXPECT_THAT(status(), HasSubstr(R"({"observedGeneration":2)"));
  EXPECT_THAT(status(), ::testing::Not(HasSubstr("expressionWarnings")));
}

TEST_F(AdmissionPolicyControllerTest, CC80_AGenerationFromTheFutureSilencesTheController) {
  add(policy_of("true"));
  cluster_.merge<ValidatingAdmissionPolicy>({"", "p"}, R"({"status":{"observedGeneration":99}})");
  settle();
  ASSERT_THAT(writes(), SizeIs(1));
  change(R"({"spec":{"validations":[{"expression":"object.foo > 1"}]}})");
  EXPECT_THAT(writes(), SizeIs(1));
}

TEST_F(AdmissionPolicyControllerTest, CC86_AFailedApplyIsTriedAgain) {
  for (const int code : {500, 409}) {
    cluster_.fail_next({.verb = testing::Verb::kPatch, .http_status = code});
    add(policy_of("object.foo > 1"));
    cluster_.advance(std::chrono::seconds(5));
    settle();
    EXPECT_THAT(warning(), HasSubstr("undefined field 'foo'")) << code;
    cluster_.remove<ValidatingAdmissionPolicy>({"", "p"});
    settle();
  }
}

TEST_F(AdmissionPolicyControllerTest, CC87_EachOfManyPoliciesIsAppliedOnce) {
  for (int i = 0; i < 200; ++i) {
    Json policy = policy_of("object.foo > 1");
    policy["metadata"].set("name", "p" + std::to_string(i));
    cluster_.add(to_text(policy));
  }
  settle();
  EXPECT_THAT(cluster_.writes(), SizeIs(200));
  cluster_.resync("validatingadmissionpolicies");
  settle();
  EXPECT_THAT(cluster_.writes(), SizeIs(200));
}

TEST_F(AdmissionPolicyControllerTest, CC88_TheFieldsHaveTheControllersManager) {
  add(policy_of("object.foo > 1"));
  const testing::RawReply reply = cluster_.exchange(
      {"GET", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p"});
  const Json object = json_literal(reply.body);
  bool found = false;
  for (const Json& each : object.get("metadata").get("managedFields").items()) {
    if (each.get("manager").text() != "validatingadmissionpolicy-status") continue;
    found = true;
    EXPECT_EQ(each.get("operation").text(), "Apply");
    EXPECT_EQ(each.get("subresource").text(), "status");
    EXPECT_EQ(to_text(each.get("fieldsV1")),
              R"({"f:status":{"f:observedGeneration":{},"f:typeChecking":)"
              R"({"f:expressionWarnings":{}}}})");
  }
  EXPECT_TRUE(found);
}

TEST_F(AdmissionPolicyControllerTest, APolicyThatReplacedTheCheckedOneIsCheckedItself) {
  bool is_replaced = false;
  cluster_.on_request([&](const testing::RequestRecord& each) {
    if (each.subresource != "status" || is_replaced) return;
    is_replaced = true;
    cluster_.remove<ValidatingAdmissionPolicy>({"", "p"});
    cluster_.add(to_text(policy_of("object.foo > 1")));
  });
  add(policy_of("true"));
  EXPECT_THAT(warning(), HasSubstr("undefined field 'foo'"));
}

TEST_F(AdmissionPolicyControllerTest, AnotherBuildChecksOnlyWhatHasChanged) {
  add(policy_of("object.foo > 1"));
  const std::string before = warning();
  EXPECT_THAT(before, HasSubstr("undefined field 'foo'"));
  cluster_.clear_records();
  ASSERT_TRUE(cluster_
                  .swap("validatingadmissionpolicy-status-controller",
                        &make_without_options<AdmissionPolicyController>)
                  .ok());
  settle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  EXPECT_EQ(warning(), before);
  change(R"({"spec":{"validations":[{"expression":"object.bar > 1"}]}})");
  EXPECT_THAT(warning(), HasSubstr("undefined field 'bar'"));
}

}  // namespace
}  // namespace davit::admissionpolicy
