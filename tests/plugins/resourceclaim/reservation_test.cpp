/// Reservations for pods that were bound without the scheduler. Rows DRA-16 to DRA-18 and DRA-39.
#include "tests/plugins/resourceclaim/fixture.hpp"

namespace davit::resourceclaim {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

using ReservationTest = ResourceClaimTest;

TEST_F(ReservationTest, DRA16_ABoundPodGetsItsAllocatedClaim) {
  start();
  add_allocated("shared", "");
  add_pod("p", by_name("shared"), "n1");
  EXPECT_EQ(consumers("shared"), R"([{"resource":"pods","name":"p","uid":"uid-p"}])");
  ASSERT_THAT(cluster_.writes(), SizeIs(1));
  EXPECT_EQ(cluster_.writes()[0].text(), "patch resourceclaims/shared/status 200");
}

TEST_F(ReservationTest, DRA17_APodWithoutANodeIsTheSchedulersBusiness) {
  start();
  add_allocated("shared", "");
  add_pod("p", by_name("shared"));
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(ReservationTest, DRA18_AGeneratedClaimIsReservedWhenItIsAllocated) {
  start();
  add_pod("p", from_template(), "n1");
  const std::string name = claim_of("p");
  ASSERT_TRUE(has_claim(name));
  allocate(name, "");
  EXPECT_EQ(consumers(name), R"([{"resource":"pods","name":"p","uid":"uid-p"}])");
  for (const testing::SyncRecord& each : cluster_.syncs()) EXPECT_TRUE(each.ok()) << each.error;
}

TEST_F(ReservationTest, AReservationKeepsThoseOfOthers) {
  start();
  add_pod("q", by_name("shared"), "n2");
  add_allocated("shared", consumer("q"));
  add_pod("p", by_name("shared"), "n1");
  EXPECT_EQ(consumers("shared"), R"([{"resource":"pods","name":"q","uid":"uid-q"},)"
                                 R"({"resource":"pods","name":"p","uid":"uid-p"}])");
}

TEST_F(ReservationTest, TwoEntriesThatNameOneClaimReserveItOnce) {
  start();
  add_allocated("shared", "");
  add_pod("p", by_name("shared") + "," + by_name("shared", "again"), "n1");
  EXPECT_EQ(consumers("shared"), R"([{"resource":"pods","name":"p","uid":"uid-p"}])");
  EXPECT_THAT(cluster_.writes(), SizeIs(1));
  for (const testing::SyncRecord& each : cluster_.syncs()) EXPECT_TRUE(each.ok()) << each.error;
}

TEST_F(ReservationTest, AReservationThatMeetsAConflictLosesNothing) {
  start();
  add_pod("q", by_name("shared"), "n2");
  add_allocated("shared", consumer("q"));
  cluster_.on_request([this, is_done = false](const RequestRecord& request) mutable {
    if (is_done || request.verb != Verb::kPatch) return;
    is_done = true;
    merge_claim("shared",
                R"({"status":{"reservedFor":[)" + consumer("q") +
                    R"(,{"apiGroup":"x.io","resource":"things","name":"a","uid":"u"}]}})");
  });
  add_pod("p", by_name("shared"), "n1");
  cluster_.advance(1min);
  EXPECT_EQ(Json::must(consumers("shared")).items().size(), 3U);
}

TEST_F(ReservationTest, AClaimThatIsBeingDeletedGetsNoConsumer) {
  start();
  add_allocated("shared", R"({"apiGroup":"x.io","resource":"things","name":"a","uid":"u"})");
  cluster_.remove<Claim>({"t", "shared"});
  settle();
  cluster_.clear_records();
  add_pod("p", by_name("shared"), "n1");
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(ReservationTest, DRA39_OnePodTooManyIsRefusedAndTriedAgain) {
  start();
  std::string many;
  for (int i = 0; i < 256; ++i) {
    const std::string name = std::to_string(i);
    many += (many.empty() ? "" : ",") +
            (R"({"apiGroup":"x.io","resource":"things","name":"a","uid":")" + name + "\"}");
  }
  add_allocated("shared", many);
  add_pod("p", by_name("shared"), "n1");
  ASSERT_FALSE(cluster_.writes().empty());
  EXPECT_EQ(cluster_.writes()[0].http_status, 422);
  EXPECT_EQ(Json::must(consumers("shared")).items().size(), 256U);
  const std::size_t before = cluster_.writes().size();
  cluster_.advance(1min);
  EXPECT_GT(cluster_.writes().size(), before);
  EXPECT_LT(cluster_.writes().size(), before + 20) << "with back-off";
  add_allocated("other", "");
  add_pod("q", by_name("other"), "n1");
  EXPECT_EQ(consumers("other"), R"([{"resource":"pods","name":"q","uid":"uid-q"}])");
}

}  // namespace
}  // namespace davit::resourceclaim
