// MutatingAdmissionPolicies on stored objects. Their results are compared with a real server's in
// recorded_cases_test.
#include <gtest/gtest.h>

#include <davit/base64.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/webhook/hook_connector.hpp"
#include "tests/sandbox/server/sandbox.hpp"
#include "tests/support/fake_transport.hpp"

namespace davit::sandbox {
namespace {

const std::string kMutatedMaps = "/api/v1/namespaces/default/configmaps";
const std::string kMutationGroup = "/apis/admissionregistration.k8s.io/v1/";
const std::string kMutations = kMutationGroup + "mutatingadmissionpolicies";
const std::string kMutationBindings = kMutationGroup + "mutatingadmissionpolicybindings";

/// Puts a policy with one mutation into force. `more`: members of the spec.
void mutate_with(Sandbox& sandbox, const std::string& name, const std::string& expression,
                 const std::string& more = "", const std::string& group = "",
                 const std::string& resource = "configmaps") {
  const bool patches = expression.starts_with('[');
  const std::string type = patches ? "JSONPatch" : "ApplyConfiguration";
  const std::string member = patches ? "jsonPatch" : "applyConfiguration";
  const std::string again = more.find("reinvocationPolicy") == std::string::npos
                                ? R"("reinvocationPolicy":"Never",)"
                                : "";
  const Reply policy = sandbox.post(
      kMutations, R"({"metadata":{"name":")" + name + R"("},"spec":{)" + again +
                      R"("matchConstraints":{"resourceRules":[{"apiGroups":[")" + group +
                      R"("],"apiVersions":["v1"],"operations":["*"],"resources":[")" + resource +
                      R"("]}]},"mutations":[{"patchType":")" + type + R"(",")" + member +
                      R"(":{"expression":)" + to_text(Json(expression)) + "}}]" + more + "}}");
  ASSERT_EQ(policy.code, 201) << policy.text;
  const Reply binding =
      sandbox.post(kMutationBindings, R"({"metadata":{"name":")" + name +
                                          R"("},"spec":{"policyName":")" + name + R"("}})");
  ASSERT_EQ(binding.code, 201) << binding.text;
}

Reply make_map(Sandbox& sandbox, const std::string& name = "m") {
  return sandbox.post(kMutatedMaps, R"({"metadata":{"name":")" + name + R"("},"data":{"a":"x"}})");
}

void define_widgets(Sandbox& sandbox) {
  const Reply defined = sandbox.post(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      R"({"metadata":{"name":"widgets.ex.io"},"spec":{"group":"ex.io","scope":"Namespaced",
          "names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,
          "storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{
          "type":"object","properties":{"size":{"type":"integer"},
          "parts":{"type":"array","x-kubernetes-list-type":"map",
            "x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],
            "properties":{"name":{"type":"string"},"size":{"type":"integer","default":7}}}},
          "tags":{"type":"array","items":{"type":"string"}}}}}}}}]}})");
  ASSERT_EQ(defined.code, 201) << defined.text;
}

/// A server of webhooks that appends its path to data.seen.
class AppendingHooks final : public HookConnector {
 public:
  AppendingHooks() {
    transport_.set_script([](const HttpRequest& request) {
      const Json review = json_literal(request.body);
      const Json& object = review.get("request").get("object");
      const std::string path = request.target.substr(1, request.target.find('?') - 1);
      const std::string patch = R"([{"op":"add","path":"/data/seen","value":")" +
                                object.text_at({"data", "seen"}) + path + "\"}]";
      test::ScriptedResponse out;
      out.body = to_text(
          Json::object({{"kind", "AdmissionReview"},
                        {"apiVersion", review.get("apiVersion")},
                        {"response", Json::object({{"uid", review.get("request").get("uid")},
                                                   {"allowed", true},
                                                   {"patchType", "JSONPatch"},
                                                   {"patch", encode_base64(patch)}})}}));
      return out;
    });
  }

  [[nodiscard]] Result<std::shared_ptr<Transport>> connect(const HookServer&) override {
    return std::shared_ptr<Transport>(std::shared_ptr<void>(), &transport_);
  }

 private:
  test::FakeTransport transport_;
};

ApiServerOptions with_appending(HookConnector& hooks) {
  ApiServerOptions options;
  options.webhooks = &hooks;
  options.hook_thread = ApiServerOptions::HookThread::kCaller;
  return options;
}

void append_by_hook(Sandbox& sandbox, const std::string& again) {
  const Reply made = sandbox.post(
      kMutationGroup + "mutatingwebhookconfigurations",
      R"({"metadata":{"name":"hooks"},"webhooks":[{"name":"h.ex.io",)"
      R"("clientConfig":{"url":"https://127.0.0.1:1/h"},"rules":[{"apiGroups":[""],)"
      R"("apiVersions":["v1"],"operations":["*"],"resources":["configmaps"]}],)"
      R"("sideEffects":"None","admissionReviewVersions":["v1"],"reinvocationPolicy":")" +
          again + "\"}]}");
  ASSERT_EQ(made.code, 201) << made.text;
}

const std::string kAppend =
    R"(Object{data: {"seen": (has(object.data.seen) ? object.data.seen : "") + "p"}})";

TEST(MutatingPolicyTest, WhatAPolicySetsIsStoredAndOwnedByTheWriter) {
  Sandbox sandbox;
  mutate_with(sandbox, "p", R"(Object{metadata: Object.metadata{labels: {"by": "policy"}}})");

  EXPECT_EQ(make_map(sandbox).code, 201);

  const Json stored = sandbox.get(kMutatedMaps + "/m").body;
  EXPECT_EQ(stored.text_at({"metadata", "labels", "by"}), "policy");
  EXPECT_NE(to_text(stored.get("metadata").get("managedFields")).find("f:by"), std::string::npos);
}

TEST(MutatingPolicyTest, ItSeesUpdatesPatchesAndAppliesButNoDeletions) {
  Sandbox sandbox;
  mutate_with(sandbox, "p",
              R"([JSONPatch{op: "add", path: "/data/op", value: request.operation}])");
  ASSERT_EQ(make_map(sandbox).code, 201);

  const std::string map = kMutatedMaps + "/m";
  const Reply put = sandbox.put(map, R"({"metadata":{"name":"m"},"data":{"a":"b"}})");
  EXPECT_EQ(put.body.text_at({"data", "op"}), "UPDATE");
  EXPECT_EQ(sandbox.patch(map, "merge", R"({"data":{"op":"x"}})").body.text_at({"data", "op"}),
            "UPDATE");
  const Reply applied = sandbox.patch(
      kMutatedMaps + "/n?fieldManager=t", "apply",
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n"},"data":{"a":"b"}})");
  EXPECT_EQ(applied.body.text_at({"data", "op"}), "CREATE") << applied.text;
  EXPECT_EQ(sandbox.remove(map).code, 200);
}

TEST(MutatingPolicyTest, AFailureRefusesTheWriteUnlessThePolicyIgnoresIt) {
  for (const bool ignores : {false, true}) {
    Sandbox sandbox;
    mutate_with(sandbox, "p", R"(Object{data: {"b": object.data.nope}})",
                ignores ? R"(,"failurePolicy":"Ignore")" : "");

    const Reply reply = make_map(sandbox);

    EXPECT_EQ(reply.code, ignores ? 201 : 403);
    EXPECT_EQ(sandbox.get(kMutatedMaps + "/m").code, ignores ? 200 : 404);
    if (ignores) continue;
    EXPECT_EQ(reply.reason(), "Invalid");
    EXPECT_EQ(reply.message(),
              "policy 'p' with binding 'p' denied request: expression 'Object{data: {\"b\": "
              "object.data.nope}}' resulted in error: no such key: nope");
  }
}

TEST(MutatingPolicyTest, ValidatingPoliciesAndTheRulesOfTheKindJudgeTheResult) {
  Sandbox sandbox;
  mutate_with(sandbox, "p", R"(Object{data: {"b": "y"}})");
  mutate_with(sandbox, "q", R"(object.data.a == "bad" ? Object{data: {"a b": "y"}} : Object{})");
  ASSERT_EQ(sandbox
                .post(kMutationGroup + "validatingadmissionpolicies",
                      R"({"metadata":{"name":"v"},"spec":{"matchConstraints":{"resourceRules":[)"
                      R"({"apiGroups":[""],"apiVersions":["v1"],"operations":["*"],)"
                      R"("resources":["configmaps"]}]},"validations":[)"
                      R"({"expression":"object.data.b == 'y'"}]}})")
                .code,
            201);
  ASSERT_EQ(sandbox
                .post(kMutationGroup + "validatingadmissionpolicybindings",
                      R"({"metadata":{"name":"v"},"spec":{"policyName":"v",)"
                      R"("validationActions":["Deny"]}})")
                .code,
            201);

  EXPECT_EQ(make_map(sandbox).code, 201);
  const Reply bad = sandbox.post(kMutatedMaps, R"({"metadata":{"name":"n"},"data":{"a":"bad"}})");
  EXPECT_EQ(bad.code, 422) << bad.text;
  EXPECT_NE(bad.message().find("data[a b]"), std::string::npos) << bad.text;
}

TEST(MutatingPolicyTest, DefaultsFollowAPatch) {
  Sandbox sandbox;
  ASSERT_EQ(
      sandbox
          .post("/api/v1/namespaces/default/serviceaccounts", R"({"metadata":{"name":"default"}})")
          .code,
      201);
  mutate_with(sandbox, "p",
              "Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: \"i\", "
              "image: \"i\"}]}}",
              "", "", "pods");

  const Reply made =
      sandbox.post("/api/v1/namespaces/default/pods",
                   R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"a"}]}})");

  ASSERT_EQ(made.code, 201) << made.text;
  const Json& added = made.body.get("spec").get("initContainers").items().front();
  EXPECT_EQ(added.get("imagePullPolicy").text(), "Always");
  EXPECT_EQ(added.get("terminationMessagePolicy").text(), "File");
}

TEST(MutatingPolicyTest, PoliciesRunBeforeWebhooksAndAgainAfterTheyChangedTheObject) {
  for (const std::string again : {"Never", "IfNeeded"}) {
    AppendingHooks hooks;
    Sandbox sandbox(with_appending(hooks));
    mutate_with(sandbox, "p", kAppend, R"(,"reinvocationPolicy":")" + again + '"');
    append_by_hook(sandbox, again);

    ASSERT_EQ(make_map(sandbox).code, 201);

    EXPECT_EQ(sandbox.get(kMutatedMaps + "/m").body.text_at({"data", "seen"}),
              again == "Never" ? "ph" : "phph");
  }
}

TEST(MutatingPolicyTest, AnEarlierPolicyRunsAgainAfterALaterOneButNoThirdTime) {
  Sandbox sandbox;
  const std::string again = R"(,"reinvocationPolicy":"IfNeeded")";
  mutate_with(sandbox, "a", kAppend, again);
  mutate_with(sandbox, "b", R"(Object{data: {"other": "y"}})", again);
  mutate_with(sandbox, "c", R"(Object{data: {"never": "z"}})");

  ASSERT_EQ(make_map(sandbox).code, 201);

  EXPECT_EQ(sandbox.get(kMutatedMaps + "/m").body.text_at({"data", "seen"}), "pp");
}

TEST(MutatingPolicyTest, CustomResourcesAreMergedByTheirSchema) {
  Sandbox sandbox;
  define_widgets(sandbox);
  mutate_with(sandbox, "p",
              R"(object.spec.size == 1 ? Object{spec: Object.spec{tags: ["x"]}} :
                 object.spec.size == 2 ? Object{spec: Object.spec{nope: 1}} :
                 Object{spec: Object.spec{parts: [Object.spec.parts{name: "b"}]}})",
              "", "ex.io", "widgets");
  const std::string widgets = "/apis/ex.io/v1/namespaces/default/widgets";
  const auto make = [&](const std::string& size) {
    return sandbox.post(
        widgets, R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"w)" + size +
                     R"("},"spec":{"size":)" + size + R"(,"parts":[{"name":"a","size":1}]}})");
  };

  EXPECT_EQ(to_text(make("3").body.get("spec").get("parts")),
            R"([{"name":"a","size":1},{"name":"b","size":7}])");
  EXPECT_EQ(make("1").message(),
            "policy 'p' with binding 'p' denied request: error applying patch: invalid "
            "ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tags");
  EXPECT_EQ(make("2").message(),
            "policy 'p' with binding 'p' denied request: error applying patch: failed to convert "
            "patch object to typed object: .spec.nope: field not declared in schema");
}

TEST(MutatingPolicyTest, NoPolicyIsAskedAboutPolicies) {
  Sandbox sandbox;
  mutate_with(sandbox, "p", R"(Object{nope: 1})", "", "admissionregistration.k8s.io", "*");

  mutate_with(sandbox, "q", R"(Object{})");
}

/// Variables v0 to v29, each of which has the one before it twice.
std::string doubling(const std::string& first, const std::string& open, const std::string& between,
                     const std::string& close) {
  std::string out = R"(,"variables":[{"name":"v0","expression":)" + to_text(Json(first)) + '}';
  for (int i = 1; i < 30; ++i) {
    const std::string last = "variables.v" + std::to_string(i - 1);
    out += R"(,{"name":"v)" + std::to_string(i) + R"(","expression":")" + open + last + between +
           last + close + "\"}";
  }
  return out + ']';
}

TEST(MutatingPolicyTest, AValueThatRepeatsItselfIsRefusedBeforeItIsWritten) {
  Sandbox sandbox;
  mutate_with(sandbox, "p", R"([JSONPatch{op: "add", path: "/data/x", value: variables.v29}])",
              doubling("['0123456789']", "[", ", ", "]"));

  const Reply refused = make_map(sandbox);

  EXPECT_EQ(refused.code, 403);
  EXPECT_EQ(refused.message(),
            "policy 'p' with binding 'p' denied request: the result is too large");
}

TEST(MutatingPolicyTest, AListOfOperationsThatRepeatsItselfIsRefusedBeforeItIsWritten) {
  Sandbox sandbox;
  mutate_with(sandbox, "p",
              "[JSONPatch{op: 'add', path: '/data/x', value: 'y'}] + variables.v14.map(x, "
              "JSONPatch{op: 'add', path: '/data/x', value: 'y'})",
              doubling("[0]", "", " + ", ""));

  EXPECT_EQ(make_map(sandbox).message(),
            "policy 'p' with binding 'p' denied request: the result is too large");
}

TEST(MutatingPolicyTest, TenMismatchesAreNamed) {
  Sandbox sandbox;
  mutate_with(sandbox, "p",
              "[JSONPatch{op: 'add', path: '/metadata', value: Object.metadata{ownerReferences: "
              "variables.v6.map(x, Object.spec{})}}]",
              doubling("[0]", "", " + ", ""));

  const std::string message = make_map(sandbox).message();

  std::size_t count = 0;
  const std::string named = "unexpected type name";
  for (std::size_t at = message.find(named); at != std::string::npos;
       at = message.find(named, at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, 10U) << message;
}

TEST(MutatingPolicyTest, AnObjectThatMutationsMakeTooLargeIsRefused) {
  Sandbox sandbox;
  const std::string large = "[JSONPatch{op: 'add', path: '/data/x', value: variables.v16}]";
  mutate_with(sandbox, "p", large, doubling("'0123456789'", "", " + ", ""));
  ASSERT_EQ(make_map(sandbox, "a").code, 201);
  mutate_with(sandbox, "q",
              "[JSONPatch{op: 'copy', from: '/data/x', path: '/data/y'}, "
              "JSONPatch{op: 'copy', from: '/data/x', path: '/data/z'}]");

  EXPECT_EQ(make_map(sandbox, "b").message(),
            "policy 'q' with binding 'q' denied request: the object is too large");
}

TEST(MutatingPolicyTest, APatchThatLeavesNoObjectIsAnError) {
  Sandbox sandbox;
  mutate_with(sandbox, "p", "[JSONPatch{op: 'replace', path: '', value: ['x']}]");

  const Reply refused = make_map(sandbox);

  EXPECT_EQ(refused.code, 500) << refused.text;
  EXPECT_NE(refused.message().find("cannot unmarshal array into Go value"), std::string::npos);
  EXPECT_EQ(sandbox.get(kMutatedMaps + "/m").code, 404);
}

TEST(MutatingPolicyTest, APatchOfACustomResourceIsPrunedAndKeepsTheKind) {
  Sandbox sandbox;
  define_widgets(sandbox);
  mutate_with(sandbox, "p",
              R"([object.spec.size == 1 ? JSONPatch{op: "add", path: "/spec/nope", value: 1} :
                 JSONPatch{op: "remove", path: "/kind"}])",
              "", "ex.io", "widgets");
  const auto make = [&](const std::string& size) {
    return sandbox.post("/apis/ex.io/v1/namespaces/default/widgets",
                        R"({"apiVersion":"ex.io/v1","kind":"Widget","metadata":{"name":"w)" + size +
                            R"("},"spec":{"size":)" + size + "}}");
  };

  const Reply pruned = make("1");
  EXPECT_EQ(pruned.code, 201) << pruned.text;
  EXPECT_EQ(to_text(pruned.body.get("spec")), R"({"size":1})");
  const Reply refused = make("2");
  EXPECT_EQ(refused.code, 500) << refused.text;
  EXPECT_NE(refused.message().find("Object 'Kind' is missing in"), std::string::npos);
}

TEST(MutatingPolicyTest, ABindingIsCheckedAgainAfterAPatch) {
  for (const auto& [operation, error] : std::vector<std::pair<std::string, std::string>>{
           {"op: 'replace', path: '/metadata/name', value: 'other'",
            "name in URL does not match name in Binding object"},
           {"op: 'remove', path: '/target/name'", "target.name: Required value"}}) {
    Sandbox sandbox;
    ASSERT_EQ(sandbox
                  .post("/api/v1/namespaces/default/serviceaccounts",
                        R"({"metadata":{"name":"default"}})")
                  .code,
              201);
    const std::string pods = "/api/v1/namespaces/default/pods";
    ASSERT_EQ(sandbox
                  .post(pods, R"({"metadata":{"name":"a-name-that-is-on-the-heap"},)"
                              R"("spec":{"containers":[{"name":"a","image":"a"}]}})")
                  .code,
              201);
    mutate_with(sandbox, "p", "[JSONPatch{" + operation + "}]", "", "", "pods/binding");

    const Reply refused =
        sandbox.post(pods + "/a-name-that-is-on-the-heap/binding",
                     R"({"metadata":{"name":"a-name-that-is-on-the-heap"},"target":{"name":"n"}})");

    EXPECT_EQ(refused.message(), error) << refused.text;
  }
}

}  // namespace
}  // namespace davit::sandbox
