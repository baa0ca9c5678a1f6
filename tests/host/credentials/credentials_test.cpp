#include "host/credentials/credentials.hpp"

#include "tests/host/credentials/credentials_fixture.hpp"

namespace davit::host {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::Pair;

TEST_F(CredentialsTest, NewContentOfATokenFileIsUsedWithinAMinuteRT020) {
  config_.token_file = dir_.write("token", " T1\n");
  const auto credentials = make();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(authorization(**credentials), "Bearer T1");

  dir_.write("token", "T2");
  clock_.advance(seconds(49));
  EXPECT_EQ(authorization(**credentials), "Bearer T1") << "kept for a minute less ten seconds";
  clock_.advance(seconds(1));
  EXPECT_EQ(authorization(**credentials), "Bearer T2");
  EXPECT_EQ(sink_.count("T1") + sink_.count("T2"), 0u);
}

TEST_F(CredentialsTest, LeadershipIsAskedForAfterTheCredentialsWereFetched) {
  class LosesLeadership final : public Credentials {
   public:
    [[nodiscard]] Result<Credential> get() override {
      leader = false;
      return Credential{"Bearer slow", nullptr};
    }
    void rejected(const Credential&) override {}
    bool leader = true;
  };
  auto slow = std::make_unique<LosesLeadership>();
  LosesLeadership& plugin = *slow;
  Stack stack(std::move(slow));
  HttpRequest write;
  write.method = "POST";
  write.gate = [&plugin] {
    return plugin.leader ? Status() : Status(Code::kCancelled, "not the leader");
  };
  Collector response;

  const auto call = stack.whole->start(write, response);

  EXPECT_EQ(response.end_.kind, Break::kGate);
  EXPECT_EQ(response.end_.message, "not the leader");
  EXPECT_TRUE(stack.fake->requests().empty());
}

TEST_F(CredentialsTest, LastTokenServesOnWhenItsFileIsGoneRT021) {
  config_.token_file = dir_.write("token", "T1");
  const auto credentials = make();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(authorization(**credentials), "Bearer T1");

  dir_.remove("token");
  clock_.advance(seconds(60));

  EXPECT_EQ(authorization(**credentials), "Bearer T1");
  EXPECT_EQ(sink_.count("Unable to rotate token"), 1u);
}

TEST_F(CredentialsTest, EmptyTokenFileIsAnErrorUnlessThereIsAToken) {
  config_.token_file = dir_.write("token", " \n");
  const auto alone = make();
  ASSERT_TRUE(alone);
  EXPECT_THAT(authorization(**alone), HasSubstr("read empty token from file"));

  config_.token = "fallback";
  const auto with_token = make();
  ASSERT_TRUE(with_token);
  EXPECT_EQ(authorization(**with_token), "Bearer fallback");
}

TEST_F(CredentialsTest, TokenFileWinsOverAToken) {
  config_.token = "static";
  config_.token_file = dir_.write("token", "file");
  const auto credentials = make();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(authorization(**credentials), "Bearer file");
}

TEST_F(CredentialsTest, UserAndPasswordAreBasic) {
  config_.username = "Aladdin";
  config_.password = "open sesame";
  const auto credentials = make();
  ASSERT_TRUE(credentials);
  EXPECT_EQ(authorization(**credentials), "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

TEST_F(CredentialsTest, TokenAndPasswordTogetherAreRefused) {
  config_.username = "u";
  config_.token = "t";
  EXPECT_THAT(make().error().message(), HasSubstr("but not both"));
}

TEST_F(CredentialsTest, ImpersonationHeadersAreEscapedRT029) {
  const Result<HttpHeaders> headers =
      impersonation_headers({"u", "42", {"g1", "g2"}, {{"scopes/x", {"v"}}}});
  ASSERT_TRUE(headers);
  const HttpHeaders expected = {{"Impersonate-User", "u"},
                                {"Impersonate-Uid", "42"},
                                {"Impersonate-Group", "g1"},
                                {"Impersonate-Group", "g2"},
                                {"Impersonate-Extra-scopes%2Fx", "v"}};
  EXPECT_EQ(*headers, expected);
}

TEST_F(CredentialsTest, ImpersonatingGroupsWithoutAUserIsRefused) {
  EXPECT_EQ(impersonation_headers({"", "", {"g"}, {}}).error().code(), Code::kInvalid);
  EXPECT_TRUE(impersonation_headers({}).value().empty());
}

TEST_F(CredentialsTest, RequestsCarryCredentialsUnlessTheyBringTheirOwn) {
  config_.token = "T";
  Stack stack(*make(), {{"Impersonate-User", "u"}});
  stack.fake->set_script([](const HttpRequest&) { return test::ScriptedResponse{}; });
  Collector plain;
  Collector own;
  const auto first = stack.whole->start({}, plain);
  HttpRequest request;
  request.headers = {{"Authorization", "Bearer mine"}};
  const auto second = stack.whole->start(request, own);

  const auto requests = stack.fake->requests();
  EXPECT_THAT(requests[0].headers, Contains(Pair("Authorization", "Bearer T")));
  EXPECT_THAT(requests[0].headers, Contains(Pair("Impersonate-User", "u")));
  EXPECT_THAT(requests[1].headers, Contains(Pair("Authorization", "Bearer mine")));
  EXPECT_EQ(plain.status_, 200);
}

TEST_F(CredentialsTest, TextThatWouldBeginAHeaderIsRefusedWhereItIsRead) {
  config_.token = "T\r\nImpersonate-User: admin";
  EXPECT_EQ(make().error().code(), Code::kInvalid);
  config_.token.clear();
  config_.token_file = dir_.write("token", "T\nImpersonate-User: admin\n");
  EXPECT_THAT(authorization(**make()), HasSubstr("has control characters"));
  for (const Impersonation& who :
       {Impersonation{"u\n", "", {}, {}}, Impersonation{"u", "1\n", {}, {}},
        Impersonation{"u", "", {"g", "g\n"}, {}}, Impersonation{"u", "", {}, {{"k", {"v\n"}}}}}) {
    EXPECT_EQ(impersonation_headers(who).error().code(), Code::kInvalid);
  }
}

TEST_F(CredentialsTest, WithoutCredentialsNothingIsSent) {
  config_.token_file = dir_.path().string() + "/missing";
  Stack stack(*make());
  Collector reader;
  const auto call = stack.whole->start({}, reader);
  EXPECT_EQ(reader.end_.kind, Break::kCredentials);
  EXPECT_THAT(reader.end_.message, HasSubstr("getting credentials: failed to read token file"));
  EXPECT_TRUE(stack.fake->requests().empty());
}

}  // namespace
}  // namespace davit::host
