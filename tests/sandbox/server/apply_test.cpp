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

}  // namespace
}  // namespace davit::sandbox
