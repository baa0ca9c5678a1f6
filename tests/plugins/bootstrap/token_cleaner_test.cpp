/// Rows CERT092 to CERT102, and CERT116.
#include "plugins/bootstrap/token_cleaner.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "plugins/bootstrap/bootstrap_signer.hpp"
#include "tests/plugins/bootstrap/fixture.hpp"

namespace davit::bootstrap {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class TokenCleanerTest : public BootstrapTest {
 protected:
  static constexpr const char* kController = "token-cleaner-controller";

  void SetUp() override { start(); }
  void start() {
    ASSERT_TRUE(cluster_.start(kController, &TokenCleaner::open).ok());
    settle();
  }

  bool is_recreated_ = false;
};

TEST_F(TokenCleanerTest, CERT092_ATokenIsDeletedWhenItExpires) {
  ASSERT_TRUE(cluster_.start("bootstrap-signer-controller", &BootstrapSigner::open).ok());
  cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cluster-info",
      "namespace":"kube-public"},"data":{"kubeconfig":"x"}})");
  add_token(good_until("2024-05-01T12:00:06Z"));
  const auto signature = [this] {
    return cluster_.json<ConfigMap>({"kube-public", "cluster-info"})
        .text_at({"data", "jws-kubeconfig-abcdef"});
  };
  EXPECT_NE(signature(), "");
  cluster_.advance(6s - 1ms);
  EXPECT_TRUE(has_token());
  cluster_.advance(1s);
  EXPECT_FALSE(has_token());
  EXPECT_EQ(signature(), "");
}

TEST_F(TokenCleanerTest, CERT094_ATimeThatIsNoneHasExpired) {
  for (const char* end : {"tomorrow", " ", "2024-05-02", "2024-05-02T12:00:00", "9999999999"}) {
    add_token(good_until(end));
    EXPECT_FALSE(has_token()) << end;
  }
  EXPECT_EQ(cluster_.writes().at(0).json().text_at({"preconditions", "uid"}), "uid-abcdef");
}

TEST_F(TokenCleanerTest, CERT095_WithoutAnExpirationATokenStays) {
  add_token(good());
  add_token(good_until(""));
  cluster_.advance(24h * 30);
  EXPECT_TRUE(has_token());
}

TEST_F(TokenCleanerTest, CERT096_ALaterExpirationCounts) {
  add_token(good_until("2024-05-01T13:00:00Z"));
  add_token(good_until("2024-05-01T14:00:00Z"));
  cluster_.advance(1h + 1s);
  EXPECT_TRUE(has_token());
  cluster_.advance(1h);
  EXPECT_FALSE(has_token());
}

TEST_F(TokenCleanerTest, CERT097_AnEarlierExpirationCounts) {
  add_token(good_until("2024-05-01T13:00:00Z"));
  EXPECT_TRUE(has_token());
  add_token(good_until("2024-05-01T11:00:00Z"));
  EXPECT_FALSE(has_token());
}

TEST_F(TokenCleanerTest, CERT098_FractionsAndZonesAreTimes) {
  add_token(good_until("2024-05-01T15:00:00.5+02:00"));
  EXPECT_TRUE(has_token());
  cluster_.advance(1h);
  EXPECT_TRUE(has_token());
  cluster_.advance(1s);
  EXPECT_FALSE(has_token());
}

TEST_F(TokenCleanerTest, CERT099_OtherSecretsStay) {
  add_token(good_until("2020-05-01T13:00:00Z"), {.ns = "default"});
  add_token(good_until("2020-05-01T13:00:00Z"), {.type = "Opaque"});
  EXPECT_TRUE(has_token("bootstrap-token-abcdef", "default"));
  EXPECT_TRUE(has_token());
  EXPECT_THAT(requests(), IsEmpty());
}

TEST_F(TokenCleanerTest, TheNameOfATokenPlaysNoPart) {
  add_token(good_until("2020-05-01T13:00:00Z"), {.name = "foo-token"});
  EXPECT_FALSE(has_token("foo-token"));
}

TEST_F(TokenCleanerTest, CERT100_AFailedDeletionIsTriedAgain) {
  cluster_.fail_next({.verb = Verb::kDelete});
  add_token(good_until("2020-05-01T13:00:00Z"));
  cluster_.advance(1s);
  EXPECT_FALSE(has_token());
}

TEST_F(TokenCleanerTest, CERT101_ATokenThatWasRecreatedStays) {
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.verb != Verb::kDelete || each.http_status != 0) return;
    if (std::exchange(is_recreated_, true)) return;
    cluster_.erase<TokenSecret>({"kube-system", "bootstrap-token-abcdef"});
    Json again = Json::must(R"({"apiVersion":"v1","kind":"Secret",
        "type":"bootstrap.kubernetes.io/token","metadata":{"name":"bootstrap-token-abcdef",
        "namespace":"kube-system","uid":"new"}})");
    again["data"]["expiration"] = encode_base64("2025-05-01T13:00:00Z");
    cluster_.add(again);
  });
  add_token(good_until("2020-05-01T13:00:00Z"));
  cluster_.advance(1s);
  cluster_.on_request({});
  EXPECT_TRUE(has_token());
  EXPECT_THAT(requests(), ElementsAre("delete secrets/bootstrap-token-abcdef 409"));
}

TEST_F(TokenCleanerTest, ATokenThatHasJustBeenExtendedStays) {
  add_token(good_until("2024-05-01T13:00:00Z"));
  cluster_.hold("secrets");
  add_token(good_until("2024-06-01T13:00:00Z"));
  cluster_.advance(1h + 1s);
  EXPECT_TRUE(has_token()) << "the cache does not show the later expiration yet";
  EXPECT_THAT(requests(), Contains("delete secrets/bootstrap-token-abcdef 409"));
  cluster_.release("secrets");
  cluster_.advance(1h);
  EXPECT_TRUE(has_token());
}

TEST_F(TokenCleanerTest, CERT102_AnExpiryWhileNothingRanIsMadeUpFor) {
  cluster_.stop(kController);
  add_token(good_until("2024-05-01T12:30:00Z"));
  cluster_.advance(1h);
  EXPECT_TRUE(has_token());
  start();
  EXPECT_FALSE(has_token());
}

TEST_F(TokenCleanerTest, AClockThatIsSetCountsWithinAnHour) {
  add_token(good_until("2024-06-01T12:00:00Z"));
  cluster_.set_wall_clock(cluster_.wall_now() + 24h * 60);
  cluster_.advance(1h);
  EXPECT_FALSE(has_token());
  add_token(good_until("2024-06-30T12:00:00Z"));
  add_token(good_until("9999-12-31T23:59:59Z"), {.name = "far", .uid = "far"});
  cluster_.set_wall_clock(cluster_.wall_now() - 24h * 60);
  cluster_.advance(24h);
  EXPECT_TRUE(has_token("far"));
  EXPECT_THAT(requests(), SizeIs(2));
}

TEST_F(TokenCleanerTest, CERT116_BothControllersRunOnlyIfTheyAreNamed) {
  const std::string note = note_text<bootstrap::declare>();
  constexpr std::string_view kOff = R"("offByDefault":true)";
  std::size_t count = 0;
  for (std::size_t at = note.find(kOff); at != std::string::npos; at = note.find(kOff, at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, 2U) << note;
  for (const char* alias : {R"("aliases":["bootstrapsigner"])", R"("aliases":["tokencleaner"])"}) {
    EXPECT_NE(note.find(alias), std::string::npos) << note;
  }
}

TEST_F(TokenCleanerTest, AnotherBuildDeletesATokenAtItsTime) {
  add_token(good_until("2024-05-01T12:01:00Z"));
  ASSERT_TRUE(cluster_.swap(kController, &TokenCleaner::open).ok());
  cluster_.advance(59s);
  EXPECT_TRUE(has_token());
  cluster_.advance(2s);
  EXPECT_FALSE(has_token());
  EXPECT_THAT(requests(), SizeIs(1));
}

}  // namespace
}  // namespace davit::bootstrap
