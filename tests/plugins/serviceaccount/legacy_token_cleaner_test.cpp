/// Rows SA45 to SA59. It is 2024-05-01, noon; the period is 48 hours.
#include "plugins/serviceaccount/legacy_token_cleaner.hpp"

#include "tests/plugins/serviceaccount/fixture.hpp"

namespace davit::serviceaccount {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class LegacyTokenCleanerTest : public ServiceAccountTest {
 protected:
  static constexpr const char* kController = "legacy-serviceaccount-token-cleaner-controller";
  static constexpr const char* kRead =
      "get configmaps/kube-apiserver-legacy-service-account-token-tracking 200";
  static constexpr const char* kPods = "list pods 200";
  static constexpr const char* kOld =
      R"({"kubernetes.io/legacy-token-invalid-since":"2024-04-26"})";

  void SetUp() override {
    set_since("2020-01-01");
    add_account("uid-s", R"({"secrets":[{"name":"t"}]})");
  }
  void set_since(const std::string& day) {
    cluster_.add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"kube-system",
        "name":"kube-apiserver-legacy-service-account-token-tracking"},
        "data":{"since":")" +
                 day + R"("}})");
  }
  /// "t", a month old, with these labels in JSON.
  void add_token(std::string_view labels, std::string_view patch = "{}") {
    Json all = Json::must(R"({"metadata":{"creationTimestamp":"2024-04-01T00:00:00Z"}})");
    all["metadata"]["labels"] = Json::must(labels);
    testing::merge_patch(all, Json::must(patch));
    add_secret(all.dump());
  }
  void add_pod(std::string_view spec, std::string_view phase = "Running") {
    Json pod =
        Json::must(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"ns"},
                              "spec":{"containers":[{"name":"c","image":"i"}]}})");
    testing::merge_patch(pod, Json::must(spec));
    pod["status"]["phase"] = phase;
    cluster_.add(pod);
  }
  void start_cleaner() {
    start(kController, &LegacyTokenCleaner::open, R"({"cleanUpPeriod":"48h"})");
  }
  void expect_no_writes() {
    start_cleaner();
    EXPECT_THAT(cluster_.writes(), IsEmpty());
    EXPECT_TRUE(has<TokenSecret>("t"));
  }
  [[nodiscard]] std::string invalid_since() {
    return json<TokenSecret>("t").text_at({"metadata", "labels", kInvalidSinceLabel});
  }
};

TEST_F(LegacyTokenCleanerTest, SA45_AnUnusedTokenIsMarked) {
  add_token("{}");
  start_cleaner();
  EXPECT_THAT(requests(), ElementsAre(kRead, kPods, "patch secrets/t 200"));
  EXPECT_EQ(cluster_.writes().front().patch_type, PatchType::kMerge);
  EXPECT_EQ(
      cluster_.writes().front().body,
      R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"t","namespace":"ns",)"
      R"("uid":"uid-t","labels":{"kubernetes.io/legacy-token-invalid-since":"2024-05-01"}}})");
  EXPECT_EQ(invalid_since(), "2024-05-01");
}

TEST_F(LegacyTokenCleanerTest, SA46_AMarkedTokenIsDeletedAfterThePeriod) {
  add_token(kOld);
  const std::string version = json<TokenSecret>("t").text_at({"metadata", "resourceVersion"});
  start_cleaner();
  EXPECT_THAT(requests(), ElementsAre(kRead, kPods, "delete secrets/t 200"));
  EXPECT_EQ(
      Json::must(cluster_.writes().front().body).text_at({"preconditions", "resourceVersion"}),
      version);
  EXPECT_FALSE(has<TokenSecret>("t"));
}

TEST_F(LegacyTokenCleanerTest, SA47_ATokenThatWasMarkedYesterdayStays) {
  add_token(R"({"kubernetes.io/legacy-token-invalid-since":"2024-04-30"})");
  expect_no_writes();
}

TEST_F(LegacyTokenCleanerTest, SA48_ATokenThatWasUsedTodayStays) {
  add_token(R"({"kubernetes.io/legacy-token-invalid-since":"2024-04-26",
                "kubernetes.io/legacy-token-last-used":"2024-05-01"})");
  expect_no_writes();
}

TEST_F(LegacyTokenCleanerTest, SA49_ATokenThatWasUsedLongAgoIsMarked) {
  add_token(R"({"kubernetes.io/legacy-token-last-used":"2024-04-26"})");
  start_cleaner();
  EXPECT_EQ(invalid_since(), "2024-05-01");
}

TEST_F(LegacyTokenCleanerTest, SA50_AUseThatIsNotADayKeepsTheToken) {
  for (const char* day : {"2020-1-1", "x", "2020-02-30"}) {
    add_token(R"({"kubernetes.io/legacy-token-last-used":")" + std::string(day) + "\"}");
    expect_no_writes();
    cluster_.stop(kController);
  }
}

TEST_F(LegacyTokenCleanerTest, SA51_AMarkThatIsNotADayIsReplaced) {
  add_token(R"({"kubernetes.io/legacy-token-invalid-since":"x"})");
  start_cleaner();
  EXPECT_EQ(invalid_since(), "2024-05-01");
}

TEST_F(LegacyTokenCleanerTest, SA52_ATokenThatItsAccountDoesNotNameStays) {
  add_account("uid-s", R"({"secrets":[]})");
  add_token(kOld);
  expect_no_writes();
}

TEST_F(LegacyTokenCleanerTest, SA53_ATokenThatAPodUsesStays) {
  add_token(kOld);
  for (const char* spec :
       {R"({"spec":{"volumes":[{"name":"v","secret":{"secretName":"t"}}]}})",
        R"({"spec":{"imagePullSecrets":[{"name":"t"}]}})",
        R"({"spec":{"containers":[{"name":"c","envFrom":[{"secretRef":{"name":"t"}}]}]}})",
        R"({"spec":{"containers":[{"name":"c","env":[{"name":"E","valueFrom":
            {"secretKeyRef":{"name":"t","key":"token"}}}]}]}})"}) {
    for (const char* phase : {"Running", "Succeeded"}) {
      add_pod(spec, phase);
      expect_no_writes();
      cluster_.stop(kController);
    }
  }
}

TEST_F(LegacyTokenCleanerTest, SA54_WithoutTrackingNothingHappens) {
  add_token(kOld);
  set_since("2020-1-1");
  start_cleaner();
  EXPECT_THAT(requests(), ElementsAre(kRead));
  cluster_.stop(kController);
  cluster_.clear_records();
  cluster_.erase<ConfigMap>(
      {"kube-system", "kube-apiserver-legacy-service-account-token-tracking"});
  start_cleaner();
  EXPECT_THAT(
      requests(),
      ElementsAre("get configmaps/kube-apiserver-legacy-service-account-token-tracking 404"));
  EXPECT_TRUE(has<TokenSecret>("t"));
}

TEST_F(LegacyTokenCleanerTest, SA55_ThePeriodBeginsTheDayAfterTrackingBegan) {
  add_token(kOld);
  set_since("2024-04-29");
  expect_no_writes();
  EXPECT_THAT(requests(), ElementsAre(kRead));
}

TEST_F(LegacyTokenCleanerTest, SA56_ATokenOfNoAccountStays) {
  add_token(kOld, R"({"metadata":{"annotations":{"kubernetes.io/service-account.uid":"other"}}})");
  expect_no_writes();
  cluster_.stop(kController);
  add_token(kOld, R"({"metadata":{"annotations":{"kubernetes.io/service-account.name":"none"}}})");
  expect_no_writes();
}

TEST_F(LegacyTokenCleanerTest, SA57_TheNextEvaluationIsADayLater) {
  start_cleaner();
  EXPECT_THAT(requests(), SizeIs(1));
  cluster_.advance(23h);
  EXPECT_THAT(requests(), SizeIs(1));
  cluster_.advance(1h);
  EXPECT_THAT(requests(), SizeIs(2));
}

TEST_F(LegacyTokenCleanerTest, SA58_APeriodThatIsNotPositiveIsRefused) {
  for (const char* period : {"0s", "-1h", "8760", "year"}) {
    const Status refused = refusal(kController, &LegacyTokenCleaner::open,
                                   R"({"cleanUpPeriod":")" + std::string(period) + "\"}");
    EXPECT_EQ(refused.code(), Code::kInternal);
    EXPECT_THAT(refused.message(), HasSubstr("invalid CleanUpPeriod: "));
  }
}

TEST_F(LegacyTokenCleanerTest, SA59_ATokenThatChangesMeanwhileStays) {
  add_token(kOld);
  cluster_.on_request([this](const testing::RequestRecord& each) {
    if (each.verb != Verb::kDelete) return;
    cluster_.merge<TokenSecret>({"ns", "t"}, R"({"metadata":{"labels":{"a":"b"}}})");
  });
  start_cleaner();
  cluster_.on_request({});
  EXPECT_THAT(requests(), ElementsAre(kRead, kPods, "delete secrets/t 409"));
  EXPECT_THAT(cluster_.log(), IsEmpty());
  EXPECT_TRUE(has<TokenSecret>("t"));
  cluster_.advance(24h);
  EXPECT_FALSE(has<TokenSecret>("t"));
}

TEST_F(LegacyTokenCleanerTest, ByDefaultThePeriodIsAYear) {
  add_token("{}");
  start(kController, &LegacyTokenCleaner::open);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
  cluster_.advance(24h * 340);
  EXPECT_EQ(invalid_since(), "2025-04-01");
}

TEST_F(LegacyTokenCleanerTest, AnErrorOfOneTokenDoesNotKeepOthers) {
  add_account("uid-s", R"({"secrets":[{"name":"t"},{"name":"u"}]})");
  add_token(kOld);
  add_token(kOld, R"({"metadata":{"name":"u","uid":"uid-u"}})");
  cluster_.fail_next({.verb = Verb::kDelete});
  start_cleaner();
  EXPECT_THAT(cluster_.requests_of(Verb::kDelete, "secrets"), SizeIs(2));
  EXPECT_THAT(cluster_.log(), SizeIs(1));
}

}  // namespace
}  // namespace davit::serviceaccount
