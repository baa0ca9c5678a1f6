#include "plugins/certificates/validity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/plugins/certificates/made.hpp"

namespace davit::certificates {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNow{std::chrono::seconds(kNoon) + 999ms};
constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kFarAway = kNoon + 1000 * kYear;

/// Seconds from noon to notAfter.
std::int64_t end_of(Duration ttl, std::optional<std::int64_t> requested,
                    std::int64_t ca_not_after = kFarAway) {
  const Result<Validity> made =
      validity_of({.now = kNow, .ttl = ttl, .requested = requested, .ca_not_after = ca_not_after});
  EXPECT_TRUE(made) << made.error().message();
  if (!made) return 0;
  EXPECT_EQ(made->not_before, kNoon - 5 * kMinute);
  return made->not_after - kNoon;
}

TEST(ValidityTest, CERT009_ALongOneIsCutByFiveMinutes) {
  EXPECT_EQ(end_of(24h, {}), 24 * kHour - 5 * kMinute);
}
TEST(ValidityTest, CERT010_AShortOneIsNotCut) { EXPECT_EQ(end_of(24h, 7200), 2 * kHour); }
TEST(ValidityTest, CERT011_EightHoursAreLong) {
  EXPECT_EQ(end_of(24h, 28800), 8 * kHour - 5 * kMinute);
  EXPECT_EQ(end_of(24h, 28799), 28799);
}
TEST(ValidityTest, CERT012_MoreThanTheLongestIsTheLongest) {
  EXPECT_EQ(end_of(24h, 100'000), 24 * kHour - 5 * kMinute);
}
TEST(ValidityTest, CERT013_TenMinutesAreTheLeast) {
  EXPECT_EQ(end_of(24h, 600), 10 * kMinute);
  EXPECT_EQ(end_of(24h, 1), 10 * kMinute);
  EXPECT_EQ(end_of(24h, -5), 10 * kMinute);
}
TEST(ValidityTest, CERT014_AShorterLongestStays) {
  EXPECT_EQ(end_of(5min, {}), 5 * kMinute);
  EXPECT_EQ(end_of(5min, 600), 5 * kMinute);
}
TEST(ValidityTest, CERT015_TheLargestNumberIsCut) {
  EXPECT_EQ(end_of(8760h, 2'147'483'647), kYear - 5 * kMinute);
}
TEST(ValidityTest, CERT016_ItEndsWithTheCa) {
  EXPECT_EQ(end_of(8760h, {}, kNoon + 24 * kHour), 24 * kHour);
}
TEST(ValidityTest, CERT017_AnExpiredCaSignsNothing) {
  const Result<Validity> made =
      validity_of({.now = kNow, .ttl = 24h, .requested = {}, .ca_not_after = 1'609'459'200});
  EXPECT_EQ(made.error().message(),
            "the signer has expired: NotAfter=2021-01-01 00:00:00 +0000 UTC");
}
TEST(ValidityTest, CERT018_ACaThatExpiredAMomentAgoSignsNothing) {
  const Result<Validity> made =
      validity_of({.now = kNow, .ttl = 24h, .requested = {}, .ca_not_after = kNoon - 2 * kMinute});
  EXPECT_EQ(made.error().message(),
            "refusing to sign a certificate that expired in the past: "
            "NotAfter=2024-05-01 11:58:00 +0000 UTC");
}
TEST(ValidityTest, ALongestThatIsNotPositiveGivesExpiredCertificates) {
  EXPECT_EQ(end_of(0s, {}), 0);
  EXPECT_EQ(end_of(-1h, 600), -1 * kHour);
}
TEST(ValidityTest, TheLargestDurationDoesNotOverflow) {
  const std::int64_t end = end_of(Duration::max(), {});
  EXPECT_EQ(end, 9'223'372'037 - 5 * kMinute);
  EXPECT_EQ(end_of(Duration::max(), {}, kNoon + kYear), kYear);
}
TEST(ValidityTest, AClockBefore1970IsATime) {
  const Result<Validity> made =
      validity_of({.now = WallTime(-1ms), .ttl = 1h, .requested = {}, .ca_not_after = kFarAway});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->not_before, -301);
  EXPECT_EQ(made->not_after, kHour - 1);
}

}  // namespace
}  // namespace davit::certificates
