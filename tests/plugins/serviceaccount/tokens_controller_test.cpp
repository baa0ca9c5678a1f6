/// Rows SA25 to SA44, but for SA43, which is about --controllers:
/// tests/host/upstream/service_account_rules_test.cpp.
#include "plugins/serviceaccount/tokens_controller.hpp"

#include "plugins/serviceaccount/token_text.hpp"
#include "tests/plugins/serviceaccount/fixture.hpp"

namespace davit::serviceaccount {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class TokensControllerTest : public ServiceAccountTest {
 protected:
  static constexpr const char* kController = "serviceaccount-token-controller";
  static constexpr const char* kGet = "get secrets/t 200";
  static constexpr const char* kPatched = "patch secrets/t 200";
  static constexpr const char* kDeleted = "delete secrets/t 200";

  void SetUp() override {
    add_namespace("ns");
    run(private_key("P-256"));
  }
  /// Starts the controller with this key.
  void run(const std::string& key) {
    key_ = key;
    start(kController, &TokensController::open,
          R"({"serviceAccountKeyFile":")" + file("sa.key", key) + R"(","rootCAFile":")" +
              file("ca.crt", certificate()) + R"("})");
    cluster_.clear_records();
  }
  void run_again(const std::string& key) {
    cluster_.stop(kController);
    run(key);
  }
  /// Makes "s" and its filled token "t".
  void fill() {
    add_account();
    add_secret();
    cluster_.clear_records();
  }
  [[nodiscard]] Json secret() { return json<TokenSecret>("t"); }
  [[nodiscard]] std::string data(std::string_view part) {
    return decode_base64(secret().text_at({"data", part}));
  }
  [[nodiscard]] DecodedToken token() { return decode_token(data("token")); }
  [[nodiscard]] std::string uid_annotation() {
    return secret().text_at({"metadata", "annotations", "kubernetes.io/service-account.uid"});
  }
  /// The names in the `secrets` of "s".
  [[nodiscard]] std::vector<std::string> references() {
    std::vector<std::string> out;
    Json account = json<ServiceAccount>("s");
    for (const Json& each : account["secrets"].items()) {
      out.push_back(each.text_at({"name"}));
    }
    return out;
  }

  std::string key_;
};

TEST_F(TokensControllerTest, SA25_ATokenSecretIsFilled) {
  add_account();
  add_secret();
  EXPECT_THAT(requests(), ElementsAre(kGet, kPatched));
  EXPECT_EQ(data("ca.crt"), certificate());
  EXPECT_EQ(data("namespace"), "ns");
  EXPECT_EQ(uid_annotation(), "uid-s");
  EXPECT_EQ(secret().text_at({"type"}), "kubernetes.io/service-account-token");
}

TEST_F(TokensControllerTest, SA26_TheTokenHasTheSixClaimsAndAGoodSignature) {
  for (const std::string& key :
       {private_key("RSA"), private_key("P-256"), private_key("P-384"), private_key("P-521")}) {
    run_again(key);
    fill();
    const DecodedToken decoded = token();
    EXPECT_EQ(decoded.header.keys(), (std::vector<std::string>{"alg", "kid"}));
    EXPECT_EQ(decoded.header.text_at({"kid"}), SigningKey::parse(key)->id());
    EXPECT_EQ(decoded.claims.dump(), token_claims({"ns", "s", "uid-s", "t"}));
    EXPECT_TRUE(is_signed_by(decoded, key)) << decoded.header.dump();
    EXPECT_FALSE(is_signed_by(decoded, decoded.header.text_at({"alg"}) == "RS256"
                                           ? private_key("RSA")
                                           : private_key("P-256")));
    cluster_.erase<TokenSecret>({"ns", "t"});
  }
}

TEST_F(TokensControllerTest, SA27_ATokenWithoutAnAccountIsDeleted) {
  add_secret();
  EXPECT_THAT(requests(), ElementsAre("get serviceaccounts/s 404", kDeleted));
  EXPECT_EQ(Json::must(cluster_.writes().back().body).text_at({"preconditions", "uid"}), "uid-t");
  EXPECT_FALSE(has<TokenSecret>("t"));
}

TEST_F(TokensControllerTest, ATokenStaysWhileItsAccountIsNotInTheResponse) {
  for (const char* body :
       {"{}", R"({"kind":"Status","apiVersion":"v1","status":"Success"})",
        R"({"kind":"ServiceAccount","apiVersion":"v1"})",
        R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"ns",)"
        R"("uid":"other","resourceVersion":"1"}})"}) {
    cluster_.hold("serviceaccounts");
    add_account();
    cluster_.fail_next({.verb = Verb::kGet,
                        .resource = "serviceaccounts",
                        .http_status = 200,
                        .times = testing::Fault::kAlways,
                        .body = body});
    add_secret(R"({"metadata":{"annotations":{"kubernetes.io/service-account.uid":"uid-s"}}})");
    cluster_.advance(std::chrono::minutes(1));
    EXPECT_TRUE(has<TokenSecret>("t")) << body;
    cluster_.clear_faults();
    cluster_.erase<TokenSecret>({"ns", "t"});
    cluster_.release("serviceaccounts");
    cluster_.erase<ServiceAccount>({"ns", "s"});
    settle();
  }
}

TEST_F(TokensControllerTest, SA28_ATokenOfAFormerAccountIsDeleted) {
  add_account("new");
  add_secret(R"({"metadata":{"annotations":{"kubernetes.io/service-account.uid":"old"}}})");
  EXPECT_THAT(requests(), ElementsAre("get serviceaccounts/s 200", kDeleted));
}

TEST_F(TokensControllerTest, SA29_TheTokensOfADeletedAccountAreDeleted) {
  fill();
  cluster_.remove<ServiceAccount>({"ns", "s"});
  settle();
  EXPECT_THAT(requests(), ElementsAre(kDeleted));
  EXPECT_EQ(Json::must(cluster_.writes().back().body).text_at({"preconditions", "uid"}), "uid-t");
}

TEST_F(TokensControllerTest, SA30_TheReferenceToADeletedTokenIsRemoved) {
  fill();
  merge<ServiceAccount>("s", R"({"secrets":[{"name":"t"},{"name":"u"},{"name":"t"}],
                                 "imagePullSecrets":[{"name":"t"}]})");
  cluster_.remove<TokenSecret>({"ns", "t"});
  settle();
  EXPECT_THAT(requests(), ElementsAre("get serviceaccounts/s 200", "patch serviceaccounts/s 200"));
  EXPECT_THAT(references(), ElementsAre("u"));
  EXPECT_EQ(json<ServiceAccount>("s").find("imagePullSecrets")->items().size(), 1);
}

TEST_F(TokensControllerTest, SA31_WithoutAReferenceTheAccountIsOnlyRead) {
  fill();
  cluster_.remove<TokenSecret>({"ns", "t"});
  settle();
  EXPECT_THAT(requests(), ElementsAre("get serviceaccounts/s 200"));
}

TEST_F(TokensControllerTest, SA32_ANewAccountOfTheNameIsUntouched) {
  fill();
  cluster_.erase<ServiceAccount>({"ns", "s"});
  add_account("new", R"({"secrets":[{"name":"t"}]})");
  EXPECT_FALSE(has<TokenSecret>("t")) << "it was the former account's";
  EXPECT_THAT(references(), ElementsAre("t"));
  EXPECT_THAT(cluster_.requests_of(Verb::kPatch, "serviceaccounts"), IsEmpty());
}

TEST_F(TokensControllerTest, SA33_AnEmptiedTokenIsMadeAgain) {
  run_again(private_key("RSA"));
  fill();
  const std::string first = data("token");
  merge<TokenSecret>("t", R"({"data":{"token":""}})");
  EXPECT_THAT(requests(), ElementsAre(kGet, kPatched));
  EXPECT_EQ(data("token"), first);
}

TEST_F(TokensControllerTest, SA34_ANamespaceOfItsOwnIsKept) {
  fill();
  merge<TokenSecret>("t", R"({"data":{"namespace":"Y3VzdG9t"}})");
  EXPECT_THAT(requests(), IsEmpty());
  merge<TokenSecret>("t", R"({"data":{"token":""}})");
  EXPECT_EQ(data("namespace"), "custom");
}

TEST_F(TokensControllerTest, SA35_AnotherRootCaIsReplaced) {
  fill();
  merge<TokenSecret>("t", R"({"data":{"ca.crt":"anVuaw=="}})");
  EXPECT_EQ(data("ca.crt"), certificate());
}

TEST_F(TokensControllerTest, SA36_AMissingUidAloneIsNoReasonToWrite) {
  fill();
  merge<TokenSecret>("t",
                     R"({"metadata":{"annotations":{"kubernetes.io/service-account.uid":null}}})");
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_EQ(uid_annotation(), "");
}

TEST_F(TokensControllerTest, SA37_ANewAccountGetsNoSecret) {
  add_account();
  merge<ServiceAccount>("s", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_THAT(cluster_.all<TokenSecret>(), IsEmpty());
}

TEST_F(TokensControllerTest, SA38_SecretsOfOtherTypesAreIgnored) {
  add_secret(R"({"type":"Opaque"})");
  cluster_.remove<TokenSecret>({"ns", "t"});
  settle();
  EXPECT_THAT(requests(), IsEmpty());
  EXPECT_THAT(cluster_.syncs(), IsEmpty());
}

TEST_F(TokensControllerTest, SA39_AWriteThatAlwaysFailsIsTriedElevenTimes) {
  add_account();
  cluster_.fail_next(
      {.verb = Verb::kPatch, .resource = "secrets", .times = testing::Fault::kAlways});
  add_secret();
  cluster_.advance(1h);
  EXPECT_THAT(cluster_.requests_of(Verb::kGet, "secrets"), SizeIs(11));
  EXPECT_THAT(cluster_.requests_of(Verb::kPatch, "secrets"), SizeIs(11));
  cluster_.clear_faults();
  cluster_.advance(1h);
  EXPECT_EQ(data("token"), "");
  merge<TokenSecret>("t", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_NE(data("token"), "");
}

TEST_F(TokensControllerTest, SA40_AConflictWaitsForTheNextEvent) {
  add_account();
  cluster_.fail_next({.verb = Verb::kPatch, .http_status = 409, .reason = "Conflict"});
  add_secret();
  cluster_.advance(1h);
  EXPECT_THAT(requests(), ElementsAre(kGet, "patch secrets/t 409"));
  merge<TokenSecret>("t", R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_NE(data("token"), "");
}

TEST_F(TokensControllerTest, SA41_AConflictOfAReferenceIsRepeatedInPlace) {
  fill();
  merge<ServiceAccount>("s", R"({"secrets":[{"name":"t"}]})");
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "serviceaccounts",
                      .http_status = 409,
                      .reason = "Conflict",
                      .times = 3});
  const Time begin = cluster_.now();
  cluster_.clear_records();
  cluster_.remove<TokenSecret>({"ns", "t"});
  settle();
  EXPECT_THAT(cluster_.requests_of(Verb::kPatch, "serviceaccounts"), SizeIs(4));
  EXPECT_THAT(references(), IsEmpty());
  EXPECT_THAT(cluster_.syncs(), SizeIs(2)) << "of the Secret, and of the account that was written";
  EXPECT_GE(cluster_.now() - begin, 300ms);
  EXPECT_LE(cluster_.now() - begin, 600ms);
}

TEST_F(TokensControllerTest, AReferenceThatCannotBeRemovedIsOnlyLogged) {
  fill();
  merge<ServiceAccount>("s", R"({"secrets":[{"name":"t"}]})");
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "serviceaccounts",
                      .http_status = 409,
                      .reason = "Conflict",
                      .times = testing::Fault::kAlways});
  cluster_.remove<TokenSecret>({"ns", "t"});
  settle();
  cluster_.advance(1h);
  EXPECT_THAT(cluster_.requests_of(Verb::kPatch, "serviceaccounts"), SizeIs(10));
  ASSERT_FALSE(cluster_.log().empty());
  EXPECT_EQ(cluster_.log().back().message, "a reference to a deleted token was not removed");
}

TEST_F(TokensControllerTest, SA42_WithoutAKeyFileThereIsNoController) {
  cluster_.stop(kController);
  for (const char* config : {"", "{}", R"({"serviceAccountKeyFile":""})"}) {
    const Status skipped = refusal(kController, &TokensController::open, config);
    EXPECT_EQ(skipped.code(), Code::kUnsupported);
    EXPECT_THAT(skipped.message(),
                HasSubstr("Controller is disabled because there is no private key"));
  }
  fill();
  EXPECT_EQ(data("token"), "");
}

TEST_F(TokensControllerTest, SA44_AKeyInPkcs8BehindAnotherBlockIsFound) {
  run_again("-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n" +
            pkcs8_key("P-256"));
  fill();
  EXPECT_EQ(token().header.text_at({"alg"}), "ES256");
  EXPECT_EQ(token().signature.size(), 64);
}

TEST_F(TokensControllerTest, AKeyFileThatIsNoneIsRefused) {
  cluster_.stop(kController);
  for (const std::string& path :
       {file("bad.key", certificate()), file("ed.key", pkcs8_key("ED25519")),
        file("k1.key", pkcs8_key("secp256k1")), std::string("/nowhere")}) {
    const Status refused = refusal(kController, &TokensController::open,
                                   R"({"serviceAccountKeyFile":")" + path + R"("})");
    EXPECT_EQ(refused.code(), Code::kInternal);
    EXPECT_THAT(refused.message(),
                HasSubstr("error reading key for service account token controller: " + path));
    if (path != "/nowhere") continue;
    EXPECT_THAT(refused.message(), HasSubstr("cannot read /nowhere: No such file or directory"));
  }
}

TEST_F(TokensControllerTest, WithoutARootCaTheSecretKeepsItsOwn) {
  cluster_.stop(kController);
  start(kController, &TokensController::open,
        R"({"serviceAccountKeyFile":")" + file("sa.key", key_) + R"("})");
  add_account();
  add_secret(R"({"data":{"ca.crt":"anVuaw=="}})");
  EXPECT_EQ(data("ca.crt"), "junk");
  EXPECT_EQ(data("namespace"), "ns");
}

TEST_F(TokensControllerTest, AVersionThatTheCacheHasNotSeenWaitsForItsEvent) {
  add_account();
  cluster_.hold("secrets");
  add_secret();
  cluster_.release_one("secrets");
  cluster_.merge<TokenSecret>({"ns", "t"}, R"({"metadata":{"labels":{"a":"b"}}})");
  settle();
  EXPECT_THAT(requests(), ElementsAre(kGet));
  cluster_.release("secrets");
  settle();
  EXPECT_THAT(requests(), ElementsAre(kGet, kGet, kPatched));
}

TEST_F(TokensControllerTest, ADeletionThatFailsIsRepeated) {
  fill();
  cluster_.fail_next({.verb = Verb::kDelete, .resource = "secrets", .times = 2});
  cluster_.remove<ServiceAccount>({"ns", "s"});
  settle();
  cluster_.advance(1min);
  EXPECT_FALSE(has<TokenSecret>("t"));
}

TEST_F(TokensControllerTest, ATokenThatChangesDuringItsDeletionIsLeftToItsNextEvent) {
  fill();
  cluster_.fail_next({.verb = Verb::kDelete, .http_status = 409, .reason = "Conflict"});
  cluster_.remove<ServiceAccount>({"ns", "s"});
  settle();
  cluster_.advance(1h);
  EXPECT_THAT(requests(), ElementsAre("delete secrets/t 409"));
}

TEST_F(TokensControllerTest, ASwapKeepsKeysThatWait) {
  add_account();
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "secrets"});
  add_secret();
  const Status swapped =
      cluster_.swap(kController, &TokensController::open,
                    R"({"serviceAccountKeyFile":")" + file("sa.key", key_) + R"("})");
  ASSERT_TRUE(swapped.ok()) << swapped.message();
  cluster_.advance(5ms);
  EXPECT_NE(data("token"), "");
}

TEST_F(TokensControllerTest, EveryRightIsUsed) {
  add_secret();
  fill();
  merge<ServiceAccount>("s", R"({"secrets":[{"name":"t"}]})");
  cluster_.remove<TokenSecret>({"ns", "t"});
  settle();
  for (const std::string& each : cluster_.unused_declarations()) {
    EXPECT_THAT(each, Not(HasSubstr("token-controller"))) << each;
  }
}

}  // namespace
}  // namespace davit::serviceaccount
