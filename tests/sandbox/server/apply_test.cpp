// Server-side apply through requests: who owns what once it is stored.
#include <gtest/gtest.h>

#include <string>

#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

/// A kind and a field of it that may be absent.
struct AppliedKind {
  const char* name;
  const char* target;  ///< A path of the object `a`.
  const char* type;    ///< Its apiVersion and kind.
  const char* intent;
};

class ApplyRequestTest : public testing::TestWithParam<AppliedKind> {
 protected:
  Reply apply(const std::string& manager, const std::string& intent) {
    return sandbox_.patch(GetParam().target + std::string("?fieldManager=") + manager, "apply",
                          std::string("{") + GetParam().type + R"(,"metadata":{"name":"a"})" +
                              (intent.empty() ? "" : "," + intent) + '}');
  }

  Sandbox sandbox_;
};

TEST_P(ApplyRequestTest, ManagerThatGivesUpItsLastFieldOwnsNothingOfTheStoredObject) {
  ASSERT_EQ(apply("m1", GetParam().intent).code, 201);

  const Reply given_up = apply("m1", "");

  EXPECT_EQ(given_up.code, 200) << given_up.text;
  EXPECT_EQ(given_up.body.at({"metadata", "managedFields"}), nullptr) << given_up.text;
  const Reply taken = apply("m2", GetParam().intent);
  EXPECT_EQ(taken.code, 200) << taken.text;
  EXPECT_EQ(taken.body.at({"metadata", "managedFields"})->size(), 1U) << taken.text;
}

TEST_P(ApplyRequestTest, UpdateThatLeavesManagersOutKeepsThem) {
  ASSERT_EQ(apply("m1", GetParam().intent).code, 201);
  Reply stored = sandbox_.get(GetParam().target);
  stored.body["metadata"].erase("managedFields");

  const Reply written = sandbox_.put(GetParam().target, to_text(stored.body));

  EXPECT_EQ(written.code, 200) << written.text;
  const Json* managers = written.body.at({"metadata", "managedFields"});
  ASSERT_NE(managers, nullptr) << written.text;
  EXPECT_EQ(managers->size(), 1U) << written.text;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ApplyRequestTest,
    testing::Values(AppliedKind{"ConfigMap", "/api/v1/namespaces/default/configmaps/a",
                                R"("apiVersion":"v1","kind":"ConfigMap")", R"("data":{"a":"1"})"},
                    AppliedKind{"Lease", "/apis/coordination.k8s.io/v1/namespaces/default/leases/a",
                                R"("apiVersion":"coordination.k8s.io/v1","kind":"Lease")",
                                R"("spec":{"holderIdentity":"x"})"},
                    AppliedKind{"LimitRange", "/api/v1/namespaces/default/limitranges/a",
                                R"("apiVersion":"v1","kind":"LimitRange")",
                                R"("spec":{"limits":[{"type":"Pod","max":{"cpu":"1"}}]})"}),
    [](const auto& each) { return each.param.name; });

/// Applies a List whose spec is given; lists are keyed by a and b, and b has a default in `l`.
class ListKeysTest : public testing::Test {
 protected:
  ListKeysTest() {
    const Reply made = sandbox_.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                                     R"({"metadata":{"name":"lists.ex.io"},"spec":{"group":"ex.io",
        "scope":"Namespaced","names":{"plural":"lists","kind":"List1"},"versions":[{"name":"v1",
        "served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
        "spec":{"type":"object","properties":{"l":{"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object","required":["a"],
        "properties":{"a":{"type":"string"},"b":{"type":"string","default":"d"},
        "v":{"type":"integer"}}}},"m":{"type":"array","x-kubernetes-list-type":"map",
        "x-kubernetes-list-map-keys":["a","b"],"items":{"type":"object","required":["a","b"],
        "properties":{"a":{"type":"string"},"b":{"type":"string"}}}}}}}}}}]}})");
    EXPECT_EQ(made.code, 201) << made.text;
  }
  Reply apply(const std::string& manager, const std::string& spec) {
    return sandbox_.patch(
        "/apis/ex.io/v1/namespaces/default/lists/x?fieldManager=" + manager, "apply",
        R"({"apiVersion":"ex.io/v1","kind":"List1","metadata":{"name":"x"},"spec":)" + spec + '}');
  }

  Sandbox sandbox_;
};

// As v1.36.2 answers.
TEST_F(ListKeysTest, AnElementThatOmitsSomeOfItsKeysIsJudgedByTheSchema) {
  const Reply omitted = apply("m", R"({"m":[{"a":"1"}]})");
  EXPECT_EQ(omitted.code, 422);
  EXPECT_EQ(omitted.message(), "List1.ex.io \"x\" is invalid: spec.m[0].b: Required value");

  const Reply none = apply("m", R"({"m":[{}]})");
  EXPECT_EQ(none.code, 500);
  EXPECT_EQ(
      none.message(),
      "failed to create typed patch object (/x; ex.io/v1, Kind=List1): .spec.m: element 0: "
      "associative list with keys has an element that omits all key fields [\"a\" \"b\"] (and "
      "doesn't have default values for any key fields)");
}

// As v1.36.2 answers.
TEST_F(ListKeysTest, AKeyThatIsOmittedHasItsDefault) {
  ASSERT_EQ(apply("m", R"({"l":[{"a":"1","v":1}]})").code, 201);

  const Reply refused = apply("n", R"({"l":[{"a":"1","b":"d","v":2}]})");
  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.message(),
            "Apply failed with 1 conflict: conflict with \"m\": .spec.l[a=\"1\",b=\"d\"].v");
  const Reply twice = apply("m", R"({"l":[{"a":"1"},{"a":"1","b":"d"}]})");
  EXPECT_EQ(twice.message(),
            "failed to create typed patch object (/x; ex.io/v1, Kind=List1): .spec.l: duplicate "
            "entries for key [a=\"1\",b=\"d\"]");
}

// As v1.36.2 answers.
TEST(ApplyAcrossVersionsTest, AnAutoscalersFieldConflictsWithItsFormInTheOtherVersion) {
  Sandbox sandbox;
  const auto path = [](const std::string& version, const std::string& manager) {
    return "/apis/autoscaling/" + version + "/namespaces/default/horizontalpodautoscalers/h" +
           "?fieldManager=" + manager;
  };
  const std::string head = R"("kind":"HorizontalPodAutoscaler","metadata":{"name":"h"},"spec":{
      "maxReplicas":3,"scaleTargetRef":{"kind":"Deployment","name":"d","apiVersion":"apps/v1"},)";
  const Reply made = sandbox.patch(
      path("v1", "m1"), "apply",
      R"({"apiVersion":"autoscaling/v1",)" + head + R"("targetCPUUtilizationPercentage":50}})");
  ASSERT_EQ(made.code, 201) << made.text;
  const std::string other = R"({"apiVersion":"autoscaling/v2",)" + head +
                            R"("metrics":[{"type":"Resource","resource":{"name":"cpu","target":{
          "type":"Utilization","averageUtilization":60}}}]}})";

  const Reply refused = sandbox.patch(path("v2", "m2"), "apply", other);
  EXPECT_EQ(refused.code, 409);
  EXPECT_EQ(refused.message(),
            "Apply failed with 1 conflict: conflict with \"m1\": "
            ".spec.targetCPUUtilizationPercentage");

  const Reply forced = sandbox.patch(path("v2", "m2") + "&force=true", "apply", other);
  ASSERT_EQ(forced.code, 200) << forced.text;
  const Json& entries = forced.body.get("metadata").get("managedFields");
  ASSERT_EQ(entries.size(), 2U) << to_text(entries);
  EXPECT_EQ(entries.items()[0].text_at({"apiVersion"}), "autoscaling/v1");
  EXPECT_FALSE(entries.items()[0]
                   .get("fieldsV1")
                   .get("f:spec")
                   .contains("f:targetCPUUtilizationPercentage"));
}

}  // namespace
}  // namespace davit::sandbox
