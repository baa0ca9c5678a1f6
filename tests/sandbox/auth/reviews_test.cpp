#include "sandbox/auth/reviews.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/auth/authenticator.hpp"
#include "sandbox/auth/rbac.hpp"
#include "tests/sandbox/auth/accounts.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class ReviewsTest : public testing::Test {
 protected:
  ReviewsTest() { put_robot(store_); }

  ReviewResponse review(const char* kind, const char* spec, std::string_view ns = "") {
    Json body = Json::object({{"kind", kind}});
    body.set("spec", json_literal(spec));
    return review_response(std::move(body), admin_, ns, desk_);
  }
  ReviewResponse request_token(const char* spec, std::string_view account = "robot") {
    return token_request_response(json_literal(spec), "ns", account, desk_);
  }

  test::FakeClock clock_;
  Store store_{clock_};
  const ServiceAccountTokens tokens_{store_, clock_, "key"};
  const std::unique_ptr<Authenticator> authenticator_ = make_authenticator({}, &tokens_);
  const std::unique_ptr<Authorizer> authorizer_ = make_rbac_authorizer(store_);
  const ReviewParts desk_{*authenticator_, *authorizer_, tokens_, store_, clock_};
  const UserInfo admin_{.name = "admin", .groups = {"system:masters"}};
};

TEST_F(ReviewsTest, UnknownTokenIsNotAuthenticated) {
  const ReviewResponse response = review("TokenReview", R"({"token":"nope"})");

  EXPECT_FALSE(response.body.get("status").contains("authenticated"));
  EXPECT_EQ(response.body.text_at({"status", "error"}), "invalid bearer token");
}

TEST_F(ReviewsTest, TokenThatWasAskedForIsKnown) {
  const ReviewResponse issued = request_token("{}");
  const std::string token = issued.body.text_at({"status", "token"});
  EXPECT_EQ(issued.body.at({"spec", "expirationSeconds"})->integer(), 3600);
  EXPECT_TRUE(issued.body.at({"spec", "boundObjectRef"})->is_null());

  Json body = Json::object({{"kind", "TokenReview"}});
  body["spec"].set("token", token);
  const ReviewResponse known = review_response(std::move(body), admin_, "", desk_);

  EXPECT_TRUE(known.body.at({"status", "authenticated"})->boolean());
  EXPECT_EQ(known.body.text_at({"status", "user", "username"}), "system:serviceaccount:ns:robot");
}

TEST_F(ReviewsTest, TokenReviewNeedsAToken) {
  EXPECT_EQ(review("TokenReview", "{}").status.message(),
            "token is required for TokenReview in authentication");
}

TEST_F(ReviewsTest, AccessIsThatOfTheNamedSubject) {
  const char* spec = R"({"user":"alice","resourceAttributes":{"verb":"list","resource":"pods"}})";
  const ReviewResponse response = review("SubjectAccessReview", spec);
  ASSERT_TRUE(response.body.at({"status", "allowed"})->is_boolean());
  EXPECT_FALSE(response.body.at({"status", "allowed"})->boolean());
  EXPECT_TRUE(review("SelfSubjectAccessReview", spec).body.at({"status", "allowed"})->boolean());
}

struct InvalidCase {
  const char* kind;
  const char* spec;
  const char* field;
  const char* message;
};

TEST_F(ReviewsTest, SpecsThatMakeNoSenseAreInvalid) {
  // clang-format off
  const InvalidCase cases[] = {
      {"SubjectAccessReview", R"({"user":"a"})", "spec.resourceAttributes",
       "exactly one of nonResourceAttributes or resourceAttributes must be specified"},
      {"SelfSubjectAccessReview", R"({"resourceAttributes":{},"nonResourceAttributes":{}})",
       "spec.nonResourceAttributes", "cannot be specified in combination with resourceAttributes"},
      {"SubjectAccessReview", R"({"resourceAttributes":{}})", "spec.user",
       "at least one of user or group must be specified"},
      {"LocalSubjectAccessReview", R"({"user":"a","resourceAttributes":{"namespace":"x"}})",
       "spec.resourceAttributes.namespace", "must match metadata.namespace"},
  };
  // clang-format on
  for (const InvalidCase& each : cases) {
    const ReviewResponse response = review(each.kind, each.spec, "ns");
    ASSERT_THAT(response.invalid, SizeIs(1)) << each.spec;
    EXPECT_EQ(response.invalid[0].field, each.field);
    EXPECT_THAT(response.invalid[0].message, HasSubstr(each.message));
  }
}

TEST_F(ReviewsTest, SelectorsAreTextOrSoundRequirements) {
  const auto failure_of = [this](const std::string& selector) {
    const std::string spec =
        R"({"user":"a","resourceAttributes":{"verb":"list","resource":"pods","labelSelector":)" +
        selector + "}}";
    const ReviewResponse response = review("SubjectAccessReview", spec.c_str());
    return response.invalid.empty() ? std::string("ok") : response.invalid.front().field;
  };
  const std::string path = "spec.resourceAttributes.labelSelector.";

  EXPECT_EQ(failure_of(R"({"rawSelector":"a=b"})"), "ok");
  EXPECT_EQ(failure_of(R"({"requirements":[{"key":"a","operator":"Exists"}]})"), "ok");
  EXPECT_EQ(failure_of("{}"), path + "requirements");
  EXPECT_EQ(failure_of(R"({"rawSelector":"a","requirements":[{"key":"a","operator":"Exists"}]})"),
            path + "rawSelector");
  EXPECT_EQ(failure_of(R"({"requirements":[{"operator":"Exists"}]})"),
            path + "requirements[0].key");
  EXPECT_EQ(failure_of(R"({"requirements":[{"key":"a","operator":"In"}]})"),
            path + "requirements[0].values");
  EXPECT_EQ(failure_of(R"({"requirements":[{"key":"a","operator":"Exists","values":["b"]}]})"),
            path + "requirements[0].values");
}

TEST_F(ReviewsTest, RulesOfAMasterAreEverything) {
  const ReviewResponse response = review("SelfSubjectRulesReview", R"({"namespace":"ns"})");

  EXPECT_EQ(to_text(*response.body.at({"status", "resourceRules"})),
            R"([{"verbs":["*"],"apiGroups":["*"],"resources":["*"]}])");
  EXPECT_EQ(to_text(*response.body.at({"status", "nonResourceRules"})),
            R"([{"verbs":["*"],"nonResourceURLs":["*"]}])");
}

TEST_F(ReviewsTest, OneLearnsWhoOneIs) {
  EXPECT_EQ(review("SelfSubjectReview", "{}").body.text_at({"status", "userInfo", "username"}),
            "admin");
}

TEST_F(ReviewsTest, TokenRequestsHaveLimits) {
  EXPECT_THAT(request_token(R"({"spec":{"expirationSeconds":599}})").invalid, SizeIs(1));
  EXPECT_THAT(request_token(R"({"spec":{"expirationSeconds":4294967297}})").invalid, SizeIs(1));
  EXPECT_EQ(request_token("{}", "nobody").status.code(), Code::kNotFound);
}

TEST_F(ReviewsTest, TokenIsBoundOnlyToWhatIsThere) {
  const auto bind = [&](const std::string& reference) {
    return request_token((R"({"spec":{"boundObjectRef":)" + reference + "}}").c_str()).status;
  };
  EXPECT_TRUE(bind(R"({"kind":"Pod","name":"pod"})").ok());
  EXPECT_EQ(bind(R"({"kind":"Pod","name":"gone"})").code(), Code::kNotFound);
  EXPECT_EQ(bind(R"({"kind":"Pod","name":"pod","uid":"x"})").code(), Code::kConflict);
  EXPECT_EQ(bind(R"({"kind":"Service","name":"x"})").code(), Code::kInvalid);
  put(store_, {"", "pods"}, "ns", "other", Json::object());
  EXPECT_EQ(bind(R"({"kind":"Pod","name":"other"})").code(), Code::kInvalid);
}

}  // namespace
}  // namespace davit::sandbox
