#include "sandbox/auth/authenticator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::sandbox {
namespace {

using testing::ElementsAre;

class AuthenticatorTest : public testing::Test {
 protected:
  static AuthenticatorOptions options() {
    AuthenticatorOptions out;
    out.tokens.push_back({"secret", {.name = "alice", .uid = "1", .groups = {"devs"}}});
    return out;
  }
  [[nodiscard]] Result<UserInfo> ask(const char* authorization) const {
    HttpServerRequest request;
    request.headers = {{"authorization", authorization}};
    return authenticator_->authenticate(request);
  }

  const std::unique_ptr<Authenticator> authenticator_ = make_authenticator(options(), nullptr);
};

TEST_F(AuthenticatorTest, CertificateWinsOverToken) {
  HttpServerRequest request;
  request.peer = PeerCertificate{"carol", {"ops"}, true};
  request.headers = {{"Authorization", "Bearer secret"}};

  const auto who = authenticator_->authenticate(request);

  EXPECT_EQ(who->name, "carol");
  EXPECT_THAT(who->groups, ElementsAre("ops", "system:authenticated"));
}

TEST_F(AuthenticatorTest, TokenIsKnownByItsText) {
  for (const char* header : {"Bearer secret", "bearer secret", " BEARER secret more"}) {
    const auto who = ask(header);
    ASSERT_TRUE(who) << header;
    EXPECT_EQ(who->name, "alice");
    EXPECT_THAT(who->groups, ElementsAre("devs", "system:authenticated"));
  }
}

TEST_F(AuthenticatorTest, UnknownTokenIsRefusedEvenIfAnonymousWouldDo) {
  EXPECT_EQ(ask("Bearer nope").error().code(), Code::kForbidden);
}

TEST_F(AuthenticatorTest, InvalidTokenIsAnonymous) {
  for (const char* header : {"", "Bearer", "Bearer ", "Basic YTpi", "secret"}) {
    const auto who = ask(header);
    ASSERT_TRUE(who) << header;
    EXPECT_EQ(who->name, "system:anonymous");
    EXPECT_THAT(who->groups, ElementsAre("system:unauthenticated"));
  }
}

TEST_F(AuthenticatorTest, AnonymousMayBeRefused) {
  const auto strict = make_authenticator({.anonymous = Anonymous::kRefused}, nullptr);

  EXPECT_FALSE(strict->authenticate(HttpServerRequest()));
}

TEST_F(AuthenticatorTest, RefusedCertificateNeedsAGoodToken) {
  HttpServerRequest request;
  request.peer = PeerCertificate{"carol", {"ops"}, false};
  EXPECT_FALSE(authenticator_->authenticate(request));

  request.headers = {{"Authorization", "Bearer secret"}};
  EXPECT_TRUE(authenticator_->authenticate(request));
}

}  // namespace
}  // namespace davit::sandbox
