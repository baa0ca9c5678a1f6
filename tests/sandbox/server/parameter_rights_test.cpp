// Writers of policies and bindings must be able to read the parameters. The words are those of
// kube-apiserver v1.36.2.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/auth/authenticator.hpp"
#include "tests/sandbox/server/sandbox.hpp"

namespace davit::sandbox {
namespace {

/// Allows everything but reading ConfigMaps, and what names all groups.
class NoMaps final : public Authorizer {
 public:
  [[nodiscard]] Access authorize(const UserInfo&, const AccessAttributes& what) const override {
    const bool reads = what.verb == "get" || what.verb == "list";
    const bool refused = reads && (what.name_of_resource == "configmaps" || what.group == "*");
    return {refused ? Decision::kNoOpinion : Decision::kAllow, ""};
  }
  [[nodiscard]] std::vector<PolicyRule> rules(const UserInfo&, std::string_view) const override {
    return {};
  }
  [[nodiscard]] std::optional<std::vector<PolicyRule>> rules_of(
      const RoleReference&) const override {
    return std::nullopt;
  }
};

class ParameterRightsTest : public testing::Test {
 protected:
  static UserInfo alice() {
    UserInfo out;
    out.name = "alice";
    out.groups = {"system:authenticated"};
    return out;
  }

  ApiServerOptions as(UserInfo who) {
    authenticator_ = make_fixed_authenticator(std::move(who));
    ApiServerOptions options;
    options.authenticator = authenticator_.get();
    options.authorizer = &authorizer_;
    return options;
  }

  static Reply post_policy(Sandbox& sandbox, const std::string& kind) {
    return sandbox.post(
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
        R"({"metadata":{"name":"p"},"spec":{"paramKind":{"apiVersion":"v1","kind":")" + kind +
            R"("},"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],)"
            R"("operations":["*"],"resources":["pods"]}]},)"
            R"("validations":[{"expression":"true"}]}})");
  }
  static Reply post_binding(Sandbox& sandbox, const std::string& reference) {
    return sandbox.post(
        "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?dryRun=All",
        R"({"metadata":{"name":"b"},"spec":{"policyName":"p","validationActions":["Deny"],)"
        R"("paramRef":{"parameterNotFoundAction":"Deny",)" +
            reference + "}}}");
  }

  const std::string who_ = "user &{alice  [system:authenticated] map[]} ";
  NoMaps authorizer_;
  std::unique_ptr<Authenticator> authenticator_;
};

TEST_F(ParameterRightsTest, APolicyNeedsTheRightToReadAllItsParameters) {
  Sandbox sandbox(as(alice()));

  const Reply refused = post_policy(sandbox, "ConfigMap");

  EXPECT_EQ(refused.code, 422);
  EXPECT_EQ(refused.message(),
            "ValidatingAdmissionPolicy.admissionregistration.k8s.io \"p\" is invalid: "
            "spec.paramKind: Forbidden: " +
                who_ +
                "must have \"get\" permission on all objects of the referenced paramKind "
                "(kind=ConfigMap, apiVersion=v1)");
  EXPECT_EQ(post_policy(sandbox, "Secret").code, 201);
}

TEST_F(ParameterRightsTest, ABindingNeedsTheRightToReadWhatItNames) {
  UserInfo master = alice();
  master.groups = {"system:masters"};
  Sandbox sandbox(as(std::move(master)));
  ASSERT_EQ(post_policy(sandbox, "ConfigMap").code, 201);
  ASSERT_EQ(post_binding(sandbox, R"("name":"c")").code, 201);
  const std::unique_ptr<Authenticator> earlier = std::move(authenticator_);
  sandbox.reopen(as(alice()));
  const std::string head =
      "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io \"b\" is invalid: "
      "spec.paramRef: Forbidden: ";

  EXPECT_EQ(post_binding(sandbox, R"("name":"c","namespace":"default")").message(),
            head + who_ + "does not have \"get\" permission on the object referenced by paramRef");
  EXPECT_EQ(post_binding(sandbox, R"("selector":{})").message(),
            head + who_ + "does not have \"list\" permission on the object referenced by paramRef");
  ASSERT_EQ(
      sandbox.remove("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p").code,
      200);
  EXPECT_EQ(post_binding(sandbox, R"("name":"c")").message(),
            head + "unable to get policy p to determine minimum required permissions and " + who_ +
                "does not have \"get\" permission for all groups, versions and resources");
}

}  // namespace
}  // namespace davit::sandbox
