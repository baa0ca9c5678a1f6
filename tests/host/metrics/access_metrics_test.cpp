#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/metrics/metrics.hpp"
#include "tests/support/fake_clock.hpp"

namespace davit::host {
namespace {

using testing::HasSubstr;

class AccessMetricsTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  const std::unique_ptr<Metrics> metrics_ = Metrics::make({}, clock_);
};

TEST_F(AccessMetricsTest, AccessToTheServerIsCountedAsUpstreamDoesWithoutNames) {
  using Outcome = ServingMetrics::Outcome;
  using Decision = ServingMetrics::Decision;
  metrics_->authentication(Outcome::kSuccess, std::chrono::milliseconds(3));
  metrics_->authentication(Outcome::kFailure, std::chrono::seconds(20));
  for (const char* user : {"admin", "ann@example.org", "system:anonymous", "ann"}) {
    metrics_->authenticated_user(user);
  }
  for (const Decision each :
       {Decision::kAllowed, Decision::kDenied, Decision::kNoOpinion, Decision::kError}) {
    metrics_->authorization(each, std::chrono::milliseconds(1));
  }

  const std::string text = metrics_->text();

  for (const char* line :
       {"authentication_attempts{result=\"success\"} 1",
        "authentication_attempts{result=\"error\"} 1",
        "authentication_duration_seconds_bucket{result=\"success\",le=\"0.004\"} 1",
        "authentication_duration_seconds_bucket{result=\"error\",le=\"16.384\"} 0",
        "authenticated_user_requests{username=\"admin\"} 1",
        "authenticated_user_requests{username=\"email_id\"} 1",
        "authenticated_user_requests{username=\"other\"} 2",
        "authorization_attempts_total{result=\"allowed\"} 1",
        "authorization_attempts_total{result=\"denied\"} 1",
        "authorization_attempts_total{result=\"no-opinion\"} 1",
        "authorization_attempts_total{result=\"error\"} 1",
        "authorization_duration_seconds_bucket{result=\"error\",le=\"0.001\"} 1"}) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(line) + "\n"));
  }
}

TEST_F(AccessMetricsTest, TheEndOfTheClientCertificateIsZeroWithoutOne) {
  const std::string name = "\ndavit_client_certificate_expiration_timestamp_seconds ";
  EXPECT_THAT(metrics_->text(), HasSubstr(name + "0\n"));

  metrics_->own_certificate_expires(WallTime(std::chrono::seconds(1000)));

  EXPECT_THAT(metrics_->text(), HasSubstr(name + "1000\n"));
}

}  // namespace
}  // namespace davit::host
