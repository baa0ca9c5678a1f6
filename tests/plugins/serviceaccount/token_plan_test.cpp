#include "plugins/serviceaccount/token_plan.hpp"

#include "plugins/serviceaccount/token_keys.hpp"
#include "tests/plugins/serviceaccount/fixture.hpp"

namespace davit::serviceaccount {
namespace {

class TokenPlanTest : public ::testing::Test {
 protected:
  TokenSecret secret(const std::string& members) {
    return cluster_.view_of<TokenSecret>(R"({"metadata":{"name":"t","namespace":"ns","uid":"1"},)" +
                                         members + "}");
  }
  NeededParts needed(const std::string& data) {
    return needed_parts(secret("\"data\":" + data), "Y2E=");
  }
  testing::Cluster cluster_;
};

TEST_F(TokenPlanTest, OnlyWhatIsMissingOrWrongIsNeeded) {
  const NeededParts all = needed("{}");
  EXPECT_TRUE(all.ca && all.ns && all.token);
  EXPECT_FALSE(needed(R"({"ca.crt":"Y2E=","namespace":"bnM=","token":"dA=="})").any());
  EXPECT_TRUE(needed(R"({"ca.crt":"eA==","namespace":"bnM=","token":"dA=="})").ca);
  EXPECT_TRUE(needed(R"({"ca.crt":"Y2E=","namespace":"","token":"dA=="})").ns);
  EXPECT_TRUE(needed(R"({"ca.crt":"Y2E=","namespace":"bnM=","token":null})").token);
  EXPECT_TRUE(needed("null").any());
  EXPECT_FALSE(needed_parts(secret(R"("data":{})"), "").ca) << "no root CA is known";
}

TEST_F(TokenPlanTest, APatchHasOnlyWhatIsNeeded) {
  const auto live =
      cluster_.view_of<TokenSecret>(R"({"metadata":{"name":"t","resourceVersion":"7"}})");
  const auto account = cluster_.view_of<ServiceAccount>(R"({"metadata":{"name":"s","uid":"2"}})");
  EXPECT_EQ(fill_patch(live, account, {"", "", "dA=="}),
            R"({"metadata":{"resourceVersion":"7","annotations":{)"
            R"("kubernetes.io/service-account.name":"s","kubernetes.io/service-account.uid":"2"}},)"
            R"("data":{"token":"dA=="}})");
  EXPECT_THAT(fill_patch(live, account, {"Y2E=", "bnM=", ""}),
              ::testing::HasSubstr(R"("data":{"ca.crt":"Y2E=","namespace":"bnM="})"));
}

TEST_F(TokenPlanTest, EveryReferenceOfTheNameGoesAndOthersStayWhole) {
  const auto live = cluster_.view_of<ServiceAccount>(R"({"metadata":{"resourceVersion":"7"},
      "secrets":[{"name":"t"},{"name":"u","kind":"Secret"},{"name":"t"}]})");
  EXPECT_EQ(reference_patch(live, "t"),
            R"({"metadata":{"resourceVersion":"7"},"secrets":[{"name":"u","kind":"Secret"}]})");
}

TEST_F(TokenPlanTest, KeysCarryAnythingThatAnAnnotationMayContain) {
  const std::string odd = "a/b\"\n,]\\";
  testing::Json object =
      testing::Json::must(R"({"metadata":{"name":"t","namespace":"ns","uid":"1"}})");
  object["metadata"]["annotations"][kNameAnnotation] = odd;
  object["metadata"]["annotations"][kUidAnnotation] = "2";
  const auto view = cluster_.view_of<TokenSecret>(object.dump());
  const Key key = Key::parse(key_of(view).text());
  const std::optional<SecretKey> read = read_secret_key(*view.value().api(), key);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ns, "ns");
  EXPECT_EQ(read->name, "t");
  EXPECT_EQ(read->uid, "1");
  EXPECT_EQ(read->account, odd);
  EXPECT_EQ(read->account_uid, "2");
}

TEST_F(TokenPlanTest, AnUpdateToAnotherUidIsAboutTheFormerObjectToo) {
  const auto account = [this](const std::string& uid) {
    return cluster_.view_of<ServiceAccount>(R"({"metadata":{"name":"s","namespace":"ns","uid":")" +
                                            uid + "\"}}");
  };
  using Change = Event<ServiceAccount>;
  EXPECT_THAT(keys_of(Change{Change::Type::kUpdated, account("2"), account("1"), false, false}),
              ::testing::ElementsAre(key_of(account("2")), key_of(account("1"))));
  EXPECT_THAT(keys_of(Change{Change::Type::kUpdated, account("2"), account("2"), false, false}),
              ::testing::ElementsAre(key_of(account("2"))));
}

TEST_F(TokenPlanTest, KeysWithoutAMandatoryPartAreNone) {
  const TokenSecret view = secret(R"("data":{})");
  const Api& api = *view.value().api();
  EXPECT_FALSE(read_secret_key(api, key_of(view))) << "no account";
  EXPECT_FALSE(read_secret_key(api, {"ns", "not JSON"}));
  EXPECT_FALSE(read_account_key(api, {"ns", R"({"name":"s"})"}));
  EXPECT_FALSE(read_account_key(api, {"", R"({"name":"s","uid":"1"})"}));
  EXPECT_TRUE(read_account_key(api, {"ns", R"({"name":"s","uid":"1"})"}));
}

}  // namespace
}  // namespace davit::serviceaccount
