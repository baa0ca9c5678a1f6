/// Rows CERT067 to CERT076 and CERT103 to CERT105.
#include "plugins/certificates/request_cleaner.hpp"

#include <davit/base64.hpp>

#include "plugins/certificates/pod_request_cleaner.hpp"
#include "tests/plugins/certificates/fixture.hpp"

namespace davit::certificates {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::chrono_literals;

class RequestCleanerTest : public CertificatesTest {
 protected:
  static constexpr const char* kController = "certificatesigningrequest-cleaner-controller";

  void start() {
    ASSERT_TRUE(cluster_.start(kController, &make_without_options<RequestCleaner>).ok());
    settle();
  }
  void add_old(const std::string& name, const std::string& created = "2024-05-01T12:00:00Z",
               const std::string& pem = "") {
    Json patch = Json::object();
    patch["metadata"]["creationTimestamp"] = created;
    if (!pem.empty()) patch["status"]["certificate"] = encode_base64(pem);
    add_request(name, kClient, "x", {"client auth"}, patch.dump());
  }
};

TEST_F(RequestCleanerTest, CERT067_AnIssuedRequestStaysAnHour) {
  add_old("a", "2024-05-01T12:00:00Z", "x");
  decide("a", "Approved", "2024-05-01T10:00:00Z");
  add_old("b", "2024-05-01T12:00:00Z", "x");
  decide("b", "Approved", "2024-05-01T11:10:00Z");
  start();
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("b"));
  ASSERT_THAT(cluster_.writes(), SizeIs(1));
  EXPECT_EQ(cluster_.writes()[0].json().text_at({"preconditions", "uid"}), "uid-a") << "X4";
}

TEST_F(RequestCleanerTest, CERT068_ADeniedOrFailedRequestStaysAnHour) {
  for (const char* type : {"Denied", "Failed"}) {
    add_old(type);
    decide(type, type, "2024-05-01T10:00:00Z");
    add_old(std::string(type) + "-new");
    decide(std::string(type) + "-new", type, "2024-05-01T11:00:00Z");
  }
  start();
  EXPECT_FALSE(has("Denied"));
  EXPECT_FALSE(has("Failed"));
  EXPECT_TRUE(has("Denied-new"));
  EXPECT_TRUE(has("Failed-new"));
}

TEST_F(RequestCleanerTest, CERT069_AnUndecidedRequestStaysADay) {
  add_old("a", "2024-04-30T11:00:00Z");
  add_old("b", "2024-04-30T13:00:00Z");
  start();
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("b"));
}

TEST_F(RequestCleanerTest, ARequestThatHasJustBeenApprovedStays) {
  add_old("a", "2024-04-30T13:00:00Z");
  start();
  cluster_.hold("certificatesigningrequests");
  decide("a", "Approved");
  cluster_.advance(2h);
  EXPECT_TRUE(has("a")) << "the cache does not show the approval yet";
  EXPECT_THAT(cluster_.log(), IsEmpty());
  EXPECT_THAT(cluster_.writes(), ::testing::Not(IsEmpty()));
}

TEST_F(RequestCleanerTest, CERT070_AnApprovedRequestWaitsADayForItsCertificate) {
  add_old("a");
  decide("a", "Approved", "2024-05-01T10:00:00Z");
  add_old("b");
  decide("b", "Approved", "2024-04-30T11:00:00Z");
  start();
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
}

TEST_F(RequestCleanerTest, CERT071_AnExpiredCertificateGoesAtOnce) {
  add_old("a", "2024-05-01T12:00:00Z", make_ca({.not_after = kNoon - 60}).certificate);
  decide("a", "Approved", "2024-05-01T11:50:00Z");
  add_old("b", "2024-05-01T12:00:00Z", make_ca({.not_after = kNoon + 60}).certificate);
  decide("b", "Approved", "2024-05-01T11:50:00Z");
  start();
  EXPECT_FALSE(has("a"));
  EXPECT_TRUE(has("b"));
}

TEST_F(RequestCleanerTest, CERT072_AnotherConditionKeepsIt) {
  add_old("a", "2024-04-28T12:00:00Z");
  decide("a", "Foo", "2024-04-28T12:00:00Z");
  start();
  EXPECT_TRUE(has("a"));
}

TEST_F(RequestCleanerTest, CERT073_ACertificateThatIsNoneKeepsIt) {
  add_old("a", "2024-05-01T12:00:00Z", "garbage");
  decide("a", "Approved", "2024-05-01T11:50:00Z");
  add_old("b", "2024-04-30T11:00:00Z");
  start();
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
}

TEST_F(RequestCleanerTest, CERT074_AnErrorKeepsNoOther) {
  for (const char* name : {"a", "b", "c"}) add_old(name, "2024-04-30T11:00:00Z");
  cluster_.fail_next({.verb = Verb::kDelete, .name = "a"});
  start();
  EXPECT_TRUE(has("a"));
  EXPECT_FALSE(has("b"));
  EXPECT_FALSE(has("c"));
  ASSERT_THAT(cluster_.log(), SizeIs(1));
  EXPECT_EQ(cluster_.log()[0].message, "Error while attempting to clean CSR");
  cluster_.advance(59min);
  EXPECT_TRUE(has("a"));
  cluster_.advance(1min);
  EXPECT_FALSE(has("a"));
}

TEST_F(RequestCleanerTest, CERT075_TheFirstPassSeesWhatIsThere) {
  add_old("a");
  decide("a", "Denied", "2024-05-01T09:00:00Z");
  start();
  EXPECT_FALSE(has("a"));
}

TEST_F(RequestCleanerTest, CERT076_ATimeInTheFutureKeepsIt) {
  add_old("a");
  decide("a", "Denied", "2025-05-01T12:00:00Z");
  add_old("b");
  decide("b", "Denied", "");
  start();
  cluster_.advance(24h);
  EXPECT_TRUE(has("a"));
  EXPECT_TRUE(has("b")) << "an unset time never counts";
}

TEST_F(RequestCleanerTest, AClockThatJumpsDeletesNothingThatIsNew) {
  add_old("a");
  start();
  cluster_.set_wall_clock(cluster_.wall_now() - 24h * 365);
  cluster_.advance(2h);
  EXPECT_TRUE(has("a"));
}

class PodRequestCleanerTest : public CertificatesTest {
 protected:
  static constexpr const char* kController = "podcertificaterequest-cleaner-controller";

  void add(const std::string& name, const std::string& created, std::string_view status = "{}") {
    Json object = Json::must(
        R"({"apiVersion":"certificates.k8s.io/v1beta1","kind":"PodCertificateRequest"})");
    object["metadata"]["namespace"] = "ns";
    object["metadata"]["name"] = name;
    object["metadata"]["uid"] = "uid-" + name;
    object["metadata"]["creationTimestamp"] = created;
    object["status"] = Json::must(status);
    cluster_.add(object);
  }
  void start() {
    ASSERT_TRUE(
        cluster_.start(kController, &PodRequestCleaner::open, R"({"podCertificateRequest":"on"})")
            .ok());
    settle();
  }
  bool has_pod_request(const std::string& name) {
    return cluster_.find<PodCertificateRequest>({"ns", name}).has_value();
  }
};

TEST_F(PodRequestCleanerTest, CERT103_WithTheGateOffItIsSkipped) {  // HO-025
  add("a", "2024-04-01T12:00:00Z");
  for (const char* config : {"{}", R"({"podCertificateRequest":"off"})"}) {
    const Status skipped = cluster_.start(kController, &PodRequestCleaner::open, config);
    EXPECT_EQ(skipped.code(), Code::kUnsupported);
  }
  EXPECT_EQ(
      cluster_.start(kController, &PodRequestCleaner::open, R"({"podCertificateRequest":"maybe"})")
          .code(),
      Code::kInternal);
}

TEST_F(PodRequestCleanerTest, WithoutTheResourceItIsSkipped) {
  const Status skipped =
      cluster_.start(kController, &PodRequestCleaner::open, R"({"podCertificateRequest":"on"})");
  EXPECT_EQ(skipped.code(), Code::kUnsupported);
}

TEST_F(PodRequestCleanerTest, CERT104_AnOldOneIsDeletedWhateverItsState) {
  add("a", "2024-05-01T11:44:00Z");
  add("b", "2024-05-01T11:44:00Z", R"({"conditions":[{"type":"Issued","status":"True"}]})");
  add("c", "2024-05-01T11:46:00Z");
  start();
  EXPECT_FALSE(has_pod_request("a"));
  EXPECT_FALSE(has_pod_request("b"));
  EXPECT_TRUE(has_pod_request("c"));
  EXPECT_EQ(cluster_.writes().at(0).json().text_at({"preconditions", "uid"}), "uid-a");
}

TEST_F(PodRequestCleanerTest, CERT105_APassIsEveryFiveMinutes) {
  add("a", "2024-05-01T11:46:00Z");
  start();
  cluster_.advance(5min - 1s);
  EXPECT_TRUE(has_pod_request("a"));
  cluster_.advance(1s);
  EXPECT_FALSE(has_pod_request("a"));
}

}  // namespace
}  // namespace davit::certificates
