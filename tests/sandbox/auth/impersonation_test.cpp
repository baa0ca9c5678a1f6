#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/auth/rbac.hpp"

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

/// Allows "impersonate" on the resources in `allowed` only.
class PickyAuthorizer final : public Authorizer {
 public:
  explicit PickyAuthorizer(std::vector<std::string> allowed) : allowed_(std::move(allowed)) {}

  [[nodiscard]] Access authorize(const UserInfo&, const AccessAttributes& what) const override {
    const std::string asked = what.name_of_resource + " " + what.ns + "/" + what.name;
    for (const std::string& each : allowed_) {
      if (each == asked && what.verb == "impersonate") return {Decision::kAllow, ""};
    }
    return {};
  }
  [[nodiscard]] std::vector<PolicyRule> rules(const UserInfo&, std::string_view) const override {
    return {};
  }
  [[nodiscard]] std::optional<std::vector<PolicyRule>> rules_of(
      const RoleReference&) const override {
    return std::nullopt;
  }

 private:
  const std::vector<std::string> allowed_;
};

Result<UserInfo> as(HttpHeaders headers, std::vector<std::string> allowed) {
  HttpServerRequest request;
  request.headers = std::move(headers);
  return impersonate(request, {.name = "alice"}, PickyAuthorizer(std::move(allowed)));
}

TEST(ImpersonationTest, WithoutHeadersOneIsOneself) { EXPECT_EQ(as({}, {})->name, "alice"); }

TEST(ImpersonationTest, UserAndGroupsReplaceOnesOwn) {
  const auto who =
      as({{"Impersonate-User", "zed"}, {"impersonate-group", "a"}, {"Impersonate-Group", "b"}},
         {"users /zed", "groups /a", "groups /b"});

  ASSERT_TRUE(who) << who.error().message();
  EXPECT_EQ(who->name, "zed");
  EXPECT_THAT(who->groups, ElementsAre("a", "b", "system:authenticated"));
}

TEST(ImpersonationTest, EachPartNeedsItsRight) {
  const auto who = as({{"Impersonate-User", "zed"}}, {"groups /a"});

  EXPECT_EQ(who.error().code(), Code::kForbidden);
  EXPECT_EQ(who.error().message(),
            R"(users "zed" is forbidden: User "alice" cannot impersonate resource "users" )"
            R"(in API group "" at the cluster scope)");
  EXPECT_FALSE(as({{"Impersonate-User", "zed"}, {"Impersonate-Group", "a"}}, {"users /zed"}));
}

TEST(ImpersonationTest, GroupWithoutUserMakesNoSense) {
  EXPECT_EQ(as({{"Impersonate-Group", "a"}}, {"groups /a"}).error().code(), Code::kInvalid);
  EXPECT_EQ(as({{"Impersonate-Uid", "1"}}, {"uids /1"}).error().code(), Code::kInvalid);
}

TEST(ImpersonationTest, ServiceAccountComesWithItsGroups) {
  const auto who =
      as({{"Impersonate-User", "system:serviceaccount:ns:sa"}}, {"serviceaccounts ns/sa"});

  ASSERT_TRUE(who) << who.error().message();
  EXPECT_THAT(who->groups, ElementsAre("system:serviceaccounts", "system:serviceaccounts:ns",
                                       "system:authenticated"));
}

TEST(ImpersonationTest, AnonymousIsNotAuthenticated) {
  const auto who = as({{"Impersonate-User", "system:anonymous"}}, {"users /system:anonymous"});

  EXPECT_THAT(who->groups, ElementsAre("system:unauthenticated"));
}

TEST(ImpersonationTest, ExtraKeysAreDecodedAndLowerCase) {
  const auto who = as({{"Impersonate-User", "zed"},
                       {"Impersonate-Extra-Acme.com%2fProject", "x"},
                       {"Impersonate-Extra-acme.com%2Fproject", "y"}},
                      {"users /zed", "userextras /x", "userextras /y"});

  ASSERT_TRUE(who) << who.error().message();
  ASSERT_EQ(who->extra.size(), 1U);
  EXPECT_EQ(who->extra[0].first, "acme.com/project");
  EXPECT_THAT(who->extra[0].second, ElementsAre("x", "y"));
}

TEST(ImpersonationTest, AMalformedExtraKeyStaysAsItIs) {
  const auto who = as({{"Impersonate-User", "zed"}, {"Impersonate-Extra-a%2fb%zz", "x"}},
                      {"users /zed", "userextras /x"});

  ASSERT_TRUE(who) << who.error().message();
  ASSERT_EQ(who->extra.size(), 1U);
  EXPECT_EQ(who->extra[0].first, "a%2fb%zz");
}

}  // namespace
}  // namespace davit::sandbox
