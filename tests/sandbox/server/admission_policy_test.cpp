// ValidatingAdmissionPolicies on stored objects. What they answer is compared with a real server's
// in recorded_cases_test.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

const std::string kMaps = "/api/v1/namespaces/default/configmaps";
const std::string kGroup = "/apis/admissionregistration.k8s.io/v1/";
const std::string kPolicies = kGroup + "validatingadmissionpolicies";
const std::string kBindings = kGroup + "validatingadmissionpolicybindings";

std::string map_of(const std::string& name, const std::string& value) {
  return R"({"metadata":{"name":")" + name + R"("},"data":{"a":")" + value + "\"}}";
}

/// A policy for ConfigMaps with these members of its spec.
std::string policy_of(const std::string& name, const std::string& spec) {
  return R"({"metadata":{"name":")" + name +
         R"("},"spec":{"matchConstraints":{"resourceRules":[{"apiGroups":[""],)"
         R"("apiVersions":["v1"],)"
         R"("operations":["*"],"resources":["configmaps"]}]},)" +
         spec + "}}";
}

std::string binding_of(const std::string& name, const std::string& action = "Deny") {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{"policyName":")" + name +
         R"(","validationActions":[")" + action + "\"]}}";
}

/// Puts a policy with one validation into force.
void enforce(Sandbox& sandbox, const std::string& expression, const std::string& action = "Deny") {
  const Reply policy = sandbox.post(
      kPolicies, policy_of("p", R"("validations":[{"expression":)" + to_text(Json(expression)) +
                                    R"(,"message":"refused"}])"));
  ASSERT_EQ(policy.code, 201) << policy.text;
  ASSERT_EQ(sandbox.post(kBindings, binding_of("p", action)).code, 201);
}

std::size_t warnings_in(const Reply& reply) {
  return static_cast<std::size_t>(std::ranges::count_if(
      reply.headers, [](const auto& each) { return each.first == "Warning"; }));
}

TEST(AdmissionPolicyTest, ADeniedObjectIsNotStored) {
  Sandbox sandbox;
  enforce(sandbox, "object.data.a == 'x'");

  const Reply denied = sandbox.post(kMaps, map_of("m", "y"));
  const Reply stored = sandbox.post(kMaps, map_of("n", "x"));

  EXPECT_EQ(denied.code, 422);
  EXPECT_EQ(denied.reason(), "Invalid");
  EXPECT_EQ(denied.message(),
            "configmaps \"m\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied "
            "request: refused");
  EXPECT_EQ(stored.code, 201);
  EXPECT_EQ(sandbox.get(kMaps + "/m").code, 404);
}

TEST(AdmissionPolicyTest, ADeniedUpdateLeavesTheObjectAsItWas) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kMaps, map_of("m", "x")).code, 201);
  enforce(sandbox, "object.data.a == oldObject.data.a");

  EXPECT_EQ(sandbox.put(kMaps + "/m", map_of("m", "y")).code, 422);

  EXPECT_EQ(sandbox.get(kMaps + "/m").body.text_at({"data", "a"}), "x");
}

TEST(AdmissionPolicyTest, ADeniedDeletionLeavesTheObjectAndItsCollection) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox.post(kMaps, map_of("m", "x")).code, 201);
  enforce(sandbox, "request.operation != 'DELETE'");

  EXPECT_EQ(sandbox.send("DELETE", kMaps + "/m").code, 422);
  EXPECT_EQ(sandbox.send("DELETE", kMaps).code, 422);

  EXPECT_EQ(sandbox.get(kMaps + "/m").code, 200);
}

TEST(AdmissionPolicyTest, AChangedPolicyCountsForTheNextWrite) {
  Sandbox sandbox;
  enforce(sandbox, "object.data.a == 'x'");
  ASSERT_EQ(sandbox.post(kMaps, map_of("m", "y")).code, 422);

  Json policy = sandbox.get(kPolicies + "/p").body;
  policy["spec"]["validations"].make_array()[0].set("expression", "object.data.a == 'y'");
  ASSERT_EQ(sandbox.put(kPolicies + "/p", to_text(policy)).code, 200);

  EXPECT_EQ(sandbox.post(kMaps, map_of("m", "x")).code, 422);
  EXPECT_EQ(sandbox.post(kMaps, map_of("m", "y")).code, 201);
}

TEST(AdmissionPolicyTest, APolicyWithoutBindingIsNotInForce) {
  Sandbox sandbox;
  enforce(sandbox, "false");
  ASSERT_EQ(sandbox.send("DELETE", kBindings + "/p").code, 200);

  EXPECT_EQ(sandbox.post(kMaps, map_of("m", "x")).code, 201);
}

TEST(AdmissionPolicyTest, AWarningComesOnceAndTheObjectIsStored) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox
                .post(kPolicies, policy_of("p", R"("validations":[{"expression":"false"},)"
                                                R"({"expression":"false"}])"))
                .code,
            201);
  ASSERT_EQ(sandbox.post(kBindings, binding_of("p", "Warn")).code, 201);

  const Reply stored = sandbox.post(kMaps, map_of("m", "x"));

  EXPECT_EQ(stored.code, 201);
  EXPECT_EQ(warnings_in(stored), 1U);
}

TEST(AdmissionPolicyTest, AWarningWithControlCharactersHasNoHeader) {
  Sandbox sandbox;
  ASSERT_EQ(
      sandbox
          .post(kPolicies, policy_of("p", R"("validations":[{"expression":"false &&\n false"},)"
                                          R"({"expression":"false"}])"))
          .code,
      201);
  ASSERT_EQ(sandbox.post(kBindings, binding_of("p", "Warn")).code, 201);

  EXPECT_EQ(warnings_in(sandbox.post(kMaps, map_of("m", "x"))), 1U);
}

TEST(AdmissionPolicyTest, BindingsEvictionsAndTokensAreJudged) {
  Sandbox sandbox;
  const std::string space = "/api/v1/namespaces/default/";
  ASSERT_EQ(sandbox.post(space + "serviceaccounts", R"({"metadata":{"name":"a"}})").code, 201);
  ASSERT_EQ(
      sandbox
          .post(
              kPolicies,
              R"({"metadata":{"name":"all"},"spec":{"matchConstraints":{"resourceRules":[)"
              R"({"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]}]},)"
              R"("validations":[{"expression":"false"}]}})")
          .code,
      201);
  ASSERT_EQ(sandbox.post(kBindings, binding_of("all")).code, 201);
  const std::string binding = R"({"metadata":{"name":"gone"},"target":{"name":"n"}})";
  const std::string eviction =
      R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"gone"}})";

  for (const auto& [path, body] : {std::pair(space + "bindings", binding),
                                   {space + "pods/gone/binding", binding},
                                   {space + "pods/gone/eviction", eviction},
                                   {space + "serviceaccounts/a/token", std::string("{}")}}) {
    const Reply denied = sandbox.post(path, body);
    EXPECT_EQ(denied.code, 422) << path << ": " << denied.text;
    EXPECT_NE(denied.message().find("denied request"), std::string::npos) << path;
  }
}

TEST(AdmissionPolicyTest, NoPolicyIsAskedAboutPolicies) {
  Sandbox sandbox;
  ASSERT_EQ(
      sandbox
          .post(
              kPolicies,
              R"({"metadata":{"name":"all"},"spec":{"matchConstraints":{"resourceRules":[)"
              R"({"apiGroups":["*"],"apiVersions":["*"],"operations":["*"],"resources":["*/*"]}]},)"
              R"("validations":[{"expression":"false"}]}})")
          .code,
      201);
  ASSERT_EQ(sandbox.post(kBindings, binding_of("all")).code, 201);

  EXPECT_EQ(sandbox.post(kMaps, map_of("m", "x")).code, 422);
  EXPECT_EQ(sandbox.send("DELETE", kBindings + "/all").code, 200);
  EXPECT_EQ(sandbox.post(kMaps, map_of("m", "x")).code, 201);
}

TEST(AdmissionPolicyTest, VariablesThatEvaluateEachOtherEndWithAnError) {
  Sandbox sandbox;
  const Reply policy = sandbox.post(
      kPolicies, policy_of("p", R"("variables":[{"name":"a","expression":"1"},)"
                                R"({"name":"b","expression":"variables.a"},)"
                                R"({"name":"a","expression":"variables.b + variables.b"}],)"
                                R"("validations":[{"expression":"variables.a == 1"}])"));
  ASSERT_EQ(policy.code, 201) << policy.text;
  ASSERT_EQ(sandbox.post(kBindings, binding_of("p")).code, 201);

  const Reply denied = sandbox.post(kMaps, map_of("m", "x"));

  EXPECT_EQ(denied.code, 422);
  EXPECT_NE(denied.message().find("variables nest too deeply"), std::string::npos)
      << denied.message();
}

TEST(AdmissionPolicyTest, AWriteCostsNoMoreThanItsBudget) {
  Sandbox sandbox;
  std::string tower = "true";
  for (const char* each : {"a", "b", "c", "d", "e", "f", "g"}) {
    tower = std::string("[1,2,3,4,5,6,7,8,9].all(") + each + ", " + tower + ")";
  }
  std::string list;
  for (int i = 0; i < 12; ++i) {
    list += (list.empty() ? "" : ",") + std::string(R"({"expression":")") + tower + "\"}";
  }
  ASSERT_EQ(sandbox.post(kPolicies, policy_of("p", R"("validations":[)" + list + "]")).code, 201);
  ASSERT_EQ(sandbox.post(kBindings, binding_of("p")).code, 201);

  const Reply denied = sandbox.post(kMaps, map_of("m", "x"));

  EXPECT_EQ(denied.code, 422);
  EXPECT_NE(denied.message().find("running out of cost budget"), std::string::npos)
      << denied.message();
}

TEST(AdmissionPolicyTest, AServerWithoutAdmissionAsksNoPolicy) {
  ApiServerOptions options;
  options.admission_switch = AdmissionSwitch::kOff;
  Sandbox sandbox(std::move(options));
  enforce(sandbox, "false");

  EXPECT_EQ(sandbox.post(kMaps, map_of("m", "x")).code, 201);
}

TEST(AdmissionPolicyTest, OneOfManyVersionsOfACustomResourceIsJudgedAsTheRuleNamesIt) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox
                .post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                      R"({"metadata":{"name":"toys.example.com"},"spec":{"group":"example.com",)"
                      R"("scope":"Cluster","names":{"plural":"toys","kind":"Toy"},"versions":[)"
                      R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
                      R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}}},)"
                      R"({"name":"v2","served":true,"storage":false,"schema":{"openAPIV3Schema":)"
                      R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})")
                .code,
            201);
  ASSERT_EQ(
      sandbox
          .post(kPolicies,
                R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[)"
                R"({"apiGroups":["example.com"],"apiVersions":["v1"],"operations":["*"],)"
                R"("resources":["toys"]}]},"validations":[{"expression":"false",)"
                R"("messageExpression":"object.apiVersion + request.requestKind.version"}]}})")
          .code,
      201);
  ASSERT_EQ(sandbox.post(kBindings, binding_of("p")).code, 201);

  const Reply denied =
      sandbox.post("/apis/example.com/v2/toys",
                   R"({"apiVersion":"example.com/v2","kind":"Toy","metadata":{"name":"a"}})");

  EXPECT_EQ(denied.code, 422);
  EXPECT_TRUE(denied.message().ends_with("denied request: example.com/v1v2")) << denied.message();
}

TEST(AdmissionPolicyTest, MatchConditionsSeeTheResourceThatWasAskedFor) {
  Sandbox sandbox;
  ASSERT_EQ(sandbox
                .post(kPolicies,
                      R"({"metadata":{"name":"p"},"spec":{"matchConstraints":{"resourceRules":[)"
                      R"({"apiGroups":["autoscaling"],"apiVersions":["v1"],"operations":["*"],)"
                      R"("resources":["horizontalpodautoscalers"]}]},)"
                      R"("matchConditions":[{"name":"asked","expression":)"
                      R"("request.resource.version == 'v2' && request.kind.version == 'v1'"}],)"
                      R"("validations":[{"expression":"request.resource.version == 'v2'"}]}})")
                .code,
            201);
  ASSERT_EQ(sandbox.post(kBindings, binding_of("p")).code, 201);

  const Reply denied =
      sandbox.post("/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
                   R"({"metadata":{"name":"a"},"spec":{"maxReplicas":2,"scaleTargetRef":)"
                   R"({"apiVersion":"apps/v1","kind":"Deployment","name":"d"}}})");

  EXPECT_EQ(denied.code, 422) << denied.text;
}

}  // namespace
}  // namespace davit::sandbox
