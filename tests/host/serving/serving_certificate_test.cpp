#include "host/serving/serving_certificate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "lib/net/certificate_pool.hpp"
#include "lib/net/certificates.hpp"
#include "tests/host/serving/recording_serving_metrics.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_log_sink.hpp"
#include "tests/support/temp_directory.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class ServingCertificateTest : public testing::Test {
 protected:
  Result<ServingCertificate> open() {
    return ServingCertificate::open(settings_, {clock_, metrics_}, Logger(sink_));
  }
  KeyPair pair_at(WallTime time) {
    const KeyPair authority = *make_authority("ca", time);
    return *issue_certificate(authority, {.common_name = "x", .use = CertificateUse::kServer},
                              time);
  }
  void put(const KeyPair& pair) {
    settings_.certificate_file = directory_.write("tls.crt", pair.certificate);
    settings_.key_file = directory_.write("tls.key", pair.key);
  }

  TempDirectory directory_;
  test::FakeClock clock_;
  test::RecordingLogSink sink_;
  test::RecordingServingMetrics metrics_;
  ServingSettings settings_;
};

TEST_F(ServingCertificateTest, WithoutFilesItIsSelfSignedForAYear) {
  const auto made = open();
  ASSERT_TRUE(made) << made.error().message();

  const auto times = certificate_times(made->identity().certificate);
  EXPECT_EQ(times->not_after, clock_.wall_now() + std::chrono::hours(24 * 365));
  EXPECT_EQ(made->identity().any_client, TlsIdentity::AnyClient::kAsked);
}

TEST_F(ServingCertificateTest, TheSelfSignedPairIsKeptInItsDirectory) {
  settings_.certificate_directory = (directory_.path() / "certs").string();
  const auto first = open();
  ASSERT_TRUE(first) << first.error().message();
  struct stat status {};
  ASSERT_EQ(::stat((settings_.certificate_directory + "/davit.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);

  EXPECT_EQ(open()->identity().certificate, first->identity().certificate);
  clock_.shift_wall(std::chrono::hours(24 * 366));
  EXPECT_NE(open()->identity().certificate, first->identity().certificate) << "it has expired";
  directory_.write("certs/davit.crt", "garbage");
  EXPECT_THAT(open()->identity().certificate, HasSubstr("BEGIN CERTIFICATE"));
}

TEST_F(ServingCertificateTest, FilesThatCannotBeUsedAreAnErrorAtTheStart) {
  const KeyPair pair = pair_at(clock_.wall_now());
  put(pair);
  ASSERT_TRUE(open());

  put({pair.certificate, pair_at(clock_.wall_now()).key});
  EXPECT_THAT(open().error().message(), HasSubstr("--tls-cert-file: cannot use the server's key"));
  put({"garbage", pair.key});
  EXPECT_THAT(open().error().message(), HasSubstr("cannot read the server's certificate"));
  settings_.key_file = "/does/not/exist";
  EXPECT_THAT(open().error().message(), HasSubstr("/does/not/exist"));
}

TEST_F(ServingCertificateTest, AnExpiredCertificateIsServedWithAWarning) {
  put(pair_at(clock_.wall_now() - kCertificateTime - std::chrono::hours(2)));

  EXPECT_TRUE(open());
  EXPECT_EQ(sink_.count("The serving certificate has expired"), 1U);
}

TEST_F(ServingCertificateTest, NewFilesAreTakenOver) {
  put(pair_at(clock_.wall_now()));
  auto certificate = open();
  EXPECT_FALSE(certificate->reread());

  const KeyPair next = pair_at(clock_.wall_now());
  put(next);
  const std::optional<TlsIdentity> changed = certificate->reread();

  ASSERT_TRUE(changed);
  EXPECT_EQ(changed->certificate, next.certificate);
  EXPECT_EQ(metrics_.of("reload success"), 1);
  EXPECT_EQ(metrics_.of("expiry"), 2);
  EXPECT_FALSE(certificate->reread());
}

// Issue 29, 2.8: the pairs of --tls-sni-cert-key ended unseen.
TEST_F(ServingCertificateTest, TheFirstEndAmongAllPairsIsReported) {
  const WallTime now = clock_.wall_now();
  put(pair_at(now));
  for (const auto& [name, age] :
       {std::pair("old", std::chrono::hours(48)), std::pair("young", std::chrono::hours(1))}) {
    const KeyPair pair = pair_at(now - age);
    settings_.named_pairs.push_back(directory_.write(std::string(name) + ".crt", pair.certificate) +
                                    "," + directory_.write(std::string(name) + ".key", pair.key));
  }
  ASSERT_TRUE(open());
  EXPECT_EQ(metrics_.expires(), certificate_times(directory_.read("old.crt"))->not_after);
}

TEST_F(ServingCertificateTest, BadNewFilesKeepTheOldPairAndAreReportedOnce) {
  const KeyPair good = pair_at(clock_.wall_now());
  put(good);
  auto certificate = open();
  const std::vector<KeyPair> bad = {
      {"garbage", good.key},
      {good.certificate, pair_at(clock_.wall_now()).key},
      pair_at(clock_.wall_now() - kCertificateTime - std::chrono::hours(2))};
  int reported = 0;
  for (const KeyPair& each : bad) {
    put(each);
    EXPECT_FALSE(certificate->reread());
    EXPECT_FALSE(certificate->reread());
    EXPECT_EQ(metrics_.of("reload error"), ++reported);
    EXPECT_EQ(certificate->identity().certificate, good.certificate);
  }
  directory_.remove("tls.crt");
  EXPECT_FALSE(certificate->reread());
  EXPECT_EQ(sink_.count("Cannot use the new serving certificate"), 4U);
  put(good);
  EXPECT_FALSE(certificate->reread()) << "it is the one that is used";
}

}  // namespace
}  // namespace davit::host
