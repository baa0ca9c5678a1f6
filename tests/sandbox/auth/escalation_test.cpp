#include "sandbox/auth/escalation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/auth/rbac.hpp"
#include "tests/sandbox/auth/accounts.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using testing::HasSubstr;

struct HeldCase {
  const char* name;
  PolicyRule held;
  PolicyRule wanted;
  bool covered;
};

PolicyRule on_pods(std::string verb, std::string resource = "pods",
                   std::vector<std::string> names = {}) {
  return {{std::move(verb)}, {""}, {std::move(resource)}, std::move(names), {}};
}

PolicyRule on_path(std::string path) { return {{"get"}, {}, {}, {}, {std::move(path)}}; }

const HeldCase kHeldCases[] = {
    {"Same", on_pods("get"), on_pods("get"), true},
    {"OtherVerb", on_pods("get"), on_pods("list"), false},
    {"AnyVerbIsMoreThanOne", on_pods("get"), on_pods("*"), false},
    {"OtherGroup", on_pods("get"), {{"get"}, {"x"}, {"pods"}, {}, {}}, false},
    {"AnyResource", on_pods("get", "*"), on_pods("get", "pods/log"), true},
    {"SubresourceOfAny", on_pods("get", "*/log"), on_pods("get", "pods/log"), true},
    {"SubresourceIsItsOwn", on_pods("get"), on_pods("get", "pods/log"), false},
    {"OneName", on_pods("get", "pods", {"a", "b"}), on_pods("get", "pods", {"a"}), true},
    {"OtherName", on_pods("get", "pods", {"a"}), on_pods("get", "pods", {"b"}), false},
    {"AllNamesAreMoreThanOne", on_pods("get", "pods", {"a"}), on_pods("get"), false},
    {"Path", on_path("/a/*"), on_path("/a/b*"), true},
    {"PathBeside", on_path("/a/*"), on_path("/b"), false},
    {"PathIsNoResource", {{"*"}, {"*"}, {"*"}, {}, {}}, on_path("/b"), false},
};

TEST(RightsTest, AreCoveredByOneRuleForEachPart) {
  for (const HeldCase& each : kHeldCases) {
    EXPECT_EQ(rights_not_held({each.held}, {each.wanted}).empty(), each.covered) << each.name;
  }
}

class EscalationTest : public testing::Test {
 protected:
  EscalationTest() {
    for (const char* name : {"strong", "other"}) {
      put(store_, {kGroup, "clusterroles"}, "", name, json_literal(kRole));
    }
  }

  /// Gives alice `rules` everywhere.
  void hold(const char* rules) {
    put(store_, {kGroup, "clusterroles"}, "", "r",
        json_literal(R"({"rules":)" + std::string(rules) + "}"));
    put(store_, {kGroup, "clusterrolebindings"}, "", "b",
        json_literal(R"({"roleRef":{"kind":"ClusterRole","name":"r"},
                         "subjects":[{"kind":"User","name":"alice"}]})"));
  }
  [[nodiscard]] std::optional<GrantRefusal> grant(const char* resource, const char* object,
                                                  const Json& old = {}) const {
    const Json next = json_literal(object);
    return check_grant({{.name = "alice", .groups = {"dev"}}, resource, "ns", "x", next, old},
                       *authorizer_);
  }

  static constexpr const char* kGroup = "rbac.authorization.k8s.io";
  static constexpr const char* kRole =
      R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}]})";
  static constexpr const char* kBinding = R"({"roleRef":{"kind":"ClusterRole","name":"strong"}})";
  test::FakeClock clock_;
  Store store_{clock_};
  const std::unique_ptr<Authorizer> authorizer_ = make_rbac_authorizer(store_);
};

TEST_F(EscalationTest, RoleWithMoreThanItsWriterHoldsIsRefused) {
  const auto refusal = grant("roles", kRole);

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->why,
            "user \"alice\" (groups=[\"dev\"]) is attempting to grant RBAC permissions not "
            "currently held:\n{APIGroups:[\"\"], Resources:[\"secrets\"], Verbs:[\"get\"]}");
}

TEST_F(EscalationTest, WhatIsHeldMayBeGranted) {
  hold(R"([{"verbs":["*"],"apiGroups":[""],"resources":["secrets"]}])");

  EXPECT_FALSE(grant("roles", kRole));
  EXPECT_FALSE(grant("rolebindings", kBinding));
}

TEST_F(EscalationTest, EscalateIsForRolesAndBindForBindings) {
  hold(R"([{"verbs":["escalate"],"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles"]},
           {"verbs":["bind"],"apiGroups":["rbac.authorization.k8s.io"],
            "resources":["clusterroles"],"resourceNames":["strong"]}])");

  EXPECT_FALSE(grant("roles", kRole));
  EXPECT_TRUE(grant("clusterroles", kRole));
  EXPECT_FALSE(grant("rolebindings", kBinding));
  EXPECT_TRUE(grant("rolebindings", R"({"roleRef":{"kind":"ClusterRole","name":"other"}})"));
}

TEST_F(EscalationTest, RoleThatIsNotThereIsNamed) {
  const auto refusal = grant("rolebindings", R"({"roleRef":{"kind":"Role","name":"gone"}})");

  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->missing_role, "gone");
}

TEST_F(EscalationTest, AggregationNeedsEveryRight) {
  const char* gathers = R"({"aggregationRule":{"clusterRoleSelectors":[{}]},"rules":[]})";
  EXPECT_THAT(grant("clusterroles", gathers)->why, HasSubstr("must have cluster-admin"));

  hold(R"([{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},
           {"verbs":["*"],"nonResourceURLs":["*"]}])");
  EXPECT_FALSE(grant("clusterroles", gathers));
}

TEST_F(EscalationTest, OwnersAndFinalizersMayChangeWithoutTheRights) {
  EXPECT_FALSE(grant("roles",
                     R"({"rules":[{"verbs":["get"],"apiGroups":[""],"resources":["secrets"]}],
                         "metadata":{"finalizers":["a"]}})",
                     json_literal(R"({"rules":[{"verbs":["get"],"apiGroups":[""],
                         "resources":["secrets"]}],"metadata":{}})")));
  EXPECT_TRUE(grant("roles", kRole, json_literal(R"({"rules":[]})")));
}

}  // namespace
}  // namespace davit::sandbox
