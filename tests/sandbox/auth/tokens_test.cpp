#include "sandbox/auth/tokens.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/base64.hpp>

#include "sandbox/auth/web_token.hpp"
#include "tests/sandbox/auth/accounts.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::sandbox {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class TokensTest : public testing::Test {
 protected:
  TokensTest() { put_robot(store_); }

  [[nodiscard]] static TokenGrant grant() {
    TokenGrant out;
    out.ns = "ns";
    out.account = "robot";
    out.account_uid = "uid-of-robot";
    return out;
  }
  [[nodiscard]] Status verify(std::string_view token, std::vector<std::string> audiences = {}) {
    return tokens_.verify(token, audiences).error();
  }

  test::FakeClock clock_;
  Store store_{clock_};
  const ServiceAccountTokens tokens_{store_, clock_, "key"};
};

TEST_F(TokensTest, TokenSaysWhoseItIs) {
  const auto known = tokens_.verify(tokens_.issue(grant()).token, {});

  ASSERT_TRUE(known) << known.error().message();
  EXPECT_EQ(known->identity.name, "system:serviceaccount:ns:robot");
  EXPECT_EQ(known->identity.uid, "uid-of-robot");
  EXPECT_THAT(known->identity.groups,
              ElementsAre("system:serviceaccounts", "system:serviceaccounts:ns"));
}

/// A token that the Secret "ns/t" of "robot" carries; `key` signs it.
std::string legacy_token(const std::string& key = "any") {
  return sign_web_token(json_literal(R"({"iss":"kubernetes/serviceaccount",
          "kubernetes.io/serviceaccount/namespace":"ns",
          "kubernetes.io/serviceaccount/secret.name":"t",
          "kubernetes.io/serviceaccount/service-account.name":"robot",
          "kubernetes.io/serviceaccount/service-account.uid":"uid-of-robot"})"),
                        key);
}
Json token_secret(const std::string& token) {
  Json out = json_literal(R"({"type":"kubernetes.io/service-account-token"})");
  out["data"].set("token", encode_base64(token));
  return out;
}

TEST_F(TokensTest, TokenOfASecretIsGoodAsLongAsTheSecretCarriesIt) {
  const std::string token = legacy_token();
  EXPECT_EQ(verify(token).code(), Code::kForbidden) << "no Secret";
  put(store_, {"", "secrets"}, "ns", "t", token_secret(token));
  const auto known = tokens_.verify(token, {});
  ASSERT_TRUE(known) << known.error().message();
  EXPECT_EQ(known->identity.name, "system:serviceaccount:ns:robot");
  EXPECT_EQ(known->identity.uid, "uid-of-robot");
  EXPECT_THAT(known->audiences, ElementsAre(std::string(ServiceAccountTokens::kIssuer)));
  EXPECT_EQ(verify(legacy_token("another")).code(), Code::kForbidden) << "not what it carries";
  EXPECT_EQ(verify(token, {"other"}).code(), Code::kForbidden);

  remove(store_, {"", "serviceaccounts"}, "ns", "robot");
  EXPECT_EQ(verify(token).code(), Code::kForbidden);
}

TEST_F(TokensTest, TokenOfASecretEndsWithItsMarkItsTypeAndItsDeletion) {
  const std::string token = legacy_token();
  for (const char* change :
       {R"({"metadata":{"labels":{"kubernetes.io/legacy-token-invalid-since":"2024-05-01"}}})",
        R"({"metadata":{"deletionTimestamp":"2024-05-01T00:00:00Z"}})", R"({"type":"Opaque"})"}) {
    Json secret = token_secret(token);
    const Json changed = json_literal(change);
    for (const Json::Member& each : changed.members()) secret.set(each.key, each.value);
    put(store_, {"", "secrets"}, "ns", "t", std::move(secret));
    EXPECT_EQ(verify(token).code(), Code::kForbidden) << change;
    remove(store_, {"", "secrets"}, "ns", "t");
  }
}

TEST_F(TokensTest, TwoTokensDiffer) {
  EXPECT_NE(tokens_.issue(grant()).token, tokens_.issue(grant()).token);
}

TEST_F(TokensTest, TokenRunsOut) {
  const std::string token = tokens_.issue(grant()).token;

  clock_.advance(std::chrono::seconds(3599));
  EXPECT_TRUE(verify(token).ok());
  clock_.advance(std::chrono::seconds(1));

  EXPECT_EQ(verify(token).code(), Code::kForbidden);
}

TEST_F(TokensTest, TokenDiesWithItsAccountEvenIfAnotherTakesItsName) {
  const std::string token = tokens_.issue(grant()).token;

  remove(store_, {"", "serviceaccounts"}, "ns", "robot");
  EXPECT_FALSE(verify(token).ok());
  Json other = json_literal(R"({"metadata":{"name":"robot","namespace":"ns","uid":"new"}})");
  static_cast<void>(
      store_.create({"", "serviceaccounts"}, {"ns", "robot", std::move(other), {}, {}}));

  EXPECT_FALSE(verify(token).ok());
}

TEST_F(TokensTest, BoundTokenDiesWithItsPod) {
  TokenGrant bound = grant();
  bound.bound = BoundObject{"Pod", "pod", "uid-of-pod"};
  const std::string token = tokens_.issue(bound).token;
  EXPECT_TRUE(verify(token).ok());

  remove(store_, {"", "pods"}, "ns", "pod");

  EXPECT_FALSE(verify(token).ok());
}

TEST_F(TokensTest, BoundTokenDiesWithItsNodeEvenIfAnotherTakesItsName) {
  put(store_, {"", "nodes"}, "", "node", Json::object());
  TokenGrant bound = grant();
  bound.bound = BoundObject{"Node", "node", "uid-of-node"};
  const std::string token = tokens_.issue(bound).token;
  const auto known = tokens_.verify(token, {});
  ASSERT_TRUE(known) << known.error().message();
  EXPECT_THAT(known->identity.extra,
              Contains(Pair("authentication.kubernetes.io/node-uid", ElementsAre("uid-of-node"))));

  remove(store_, {"", "nodes"}, "", "node");
  EXPECT_FALSE(verify(token).ok());
  static_cast<void>(store_.create(
      {"", "nodes"}, {"", "node", json_literal(R"({"metadata":{"uid":"new"}})"), {}, {}}));

  EXPECT_FALSE(verify(token).ok());
}

TEST_F(TokensTest, TokenOfAPodNamesItsNodeAndOutlivesIt) {
  TokenGrant bound = grant();
  bound.bound = BoundObject{"Pod", "pod", "uid-of-pod", "node", "uid-of-node"};

  const auto known = tokens_.verify(tokens_.issue(bound).token, {});

  ASSERT_TRUE(known) << "the node is not in the store";
  EXPECT_THAT(known->identity.extra,
              Contains(Pair("authentication.kubernetes.io/node-name", ElementsAre("node"))));
}

TEST_F(TokensTest, TokenIsForItsAudience) {
  TokenGrant vault = grant();
  vault.audiences = {"vault", "other"};
  const std::string token = tokens_.issue(vault).token;

  EXPECT_FALSE(verify(token).ok()) << "not the server's";
  EXPECT_THAT(tokens_.verify(token, {"vault", "x"})->audiences, ElementsAre("vault"));
}

TEST_F(TokensTest, OtherKeysAndChangedTokensAreRefused) {
  const std::string token = tokens_.issue(grant()).token;
  const ServiceAccountTokens others(store_, clock_, "other key");
  EXPECT_FALSE(verify(others.issue(grant()).token).ok());

  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(verify(changed).ok()) << i;
    EXPECT_FALSE(verify(token.substr(0, i)).ok()) << i;
  }
}

TEST(TokenFileTest, LinesAreTokenUserUidAndGroups) {
  const auto tokens = parse_token_file(
      "abc,alice,1\n\n# nobody\r\nx,\"bob, the\",2,\"devs, ops\"\n y , carol , 3 , one \n");

  ASSERT_TRUE(tokens) << tokens.error().message();
  ASSERT_EQ(tokens->size(), 3U);
  EXPECT_EQ((*tokens)[0].token, "abc");
  EXPECT_EQ((*tokens)[0].identity.name, "alice");
  EXPECT_EQ((*tokens)[1].identity.name, "bob, the");
  EXPECT_THAT((*tokens)[1].identity.groups, ElementsAre("devs", "ops"));
  EXPECT_EQ((*tokens)[2].identity.uid, "3");
  EXPECT_THAT((*tokens)[2].identity.groups, ElementsAre("one"));
}

TEST(TokenFileTest, MistakesNameTheirLine) {
  for (const char* text : {"a,b,c\na,b", "a,b,c\n,b,c", "a,b,c\na,,c", "a,b,c\na,\"b,c"}) {
    EXPECT_THAT(parse_token_file(text).error().message(), HasSubstr("line 2 ")) << text;
  }
}

}  // namespace
}  // namespace davit::sandbox
