#include "host/election/lease.hpp"

#include <gtest/gtest.h>

#include <davit/kube/time.hpp>

namespace davit::host {
namespace {

constexpr std::string_view kLease =
    R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"davit",)"
    R"("namespace":"kube-system","uid":"u1","resourceVersion":"7","labels":{"team":"a"},)"
    R"("managedFields":[{"manager":"x"}]},"spec":{"holderIdentity":"b","leaseDurationSeconds":15,)"
    R"("acquireTime":"2026-01-01T00:00:00.000001Z","renewTime":"2026-01-01T00:00:02.000002Z",)"
    R"("leaseTransitions":3,"preferredHolder":"c"},"future":[1,2.50]})";

TEST(LeaseTest, LeaseIsReadIntoARecord) {
  const Result<Lease> lease = parse_lease(kLease);

  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->uid, "u1");
  EXPECT_EQ(lease->resource_version, "7");
  EXPECT_EQ(lease->record, (LeaseRecord{"b", 15, "2026-01-01T00:00:00.000001Z",
                                        "2026-01-01T00:00:02.000002Z", 3}));
}

TEST(LeaseTest, UpdateKeepsWhatItDoesNotKnow) {
  const LeaseRecord mine{"me", 15, "2026-01-01T00:00:10.000000Z", "2026-01-01T00:00:10.000000Z", 4};

  const Result<std::string> updated = with_record(kLease, mine);

  ASSERT_TRUE(updated);
  EXPECT_EQ(parse_lease(*updated)->record, mine);
  EXPECT_NE(updated->find(R"("labels":{"team":"a"})"), std::string::npos);
  EXPECT_NE(updated->find(R"("preferredHolder":"c")"), std::string::npos);
  EXPECT_NE(updated->find(R"("future":[1,2.5])"), std::string::npos);
  EXPECT_NE(updated->find(R"("resourceVersion":"7")"), std::string::npos);
  EXPECT_EQ(updated->find("managedFields"), std::string::npos);
}

TEST(LeaseTest, LeaseWithoutSpecHasNoHolder) {
  const Result<Lease> lease = parse_lease(R"({"metadata":{"name":"davit"}})");

  ASSERT_TRUE(lease);
  EXPECT_EQ(lease->record, LeaseRecord());
}

TEST(LeaseTest, ChangesWithinASecondDoNotCountAsNews) {
  const Result<std::string> same_second =
      with_record(kLease, {"b", 15, "2026-01-01T00:00:00.9Z", "2026-01-01T00:00:02.999999Z", 3});
  const Result<std::string> later =
      with_record(kLease, {"b", 15, "2026-01-01T00:00:00.9Z", "2026-01-01T00:00:03.000000Z", 3});

  EXPECT_EQ(parse_lease(*same_second)->raw, parse_lease(kLease)->raw);
  EXPECT_NE(parse_lease(*later)->raw, parse_lease(kLease)->raw);
}

TEST(LeaseTest, InvalidLeaseIsRefused) {
  for (const std::string& json : {
           std::string(),
           std::string("{"),
           std::string("[]"),
           std::string(100000, '['),
           std::string(R"({"kind":"Status"})"),
           std::string(R"({"metadata":[]})"),
           std::string(R"({"spec":"x"})"),
           std::string(R"({"spec":{"holderIdentity":7}})"),
           std::string(R"({"spec":{"leaseTransitions":"3"}})"),
           std::string("{\"spec\":{\"holderIdentity\":\"\xFF\"}}"),
       }) {
    EXPECT_EQ(parse_lease(json).error().code(), Code::kWrongType) << json.substr(0, 40);
  }
}

TEST(LeaseTest, TimesHaveMicroseconds) {
  EXPECT_EQ(format_micro_time(
                WallTime(std::chrono::seconds(1767225600) + std::chrono::nanoseconds(1999))),
            "2026-01-01T00:00:00.000001Z");
}

}  // namespace
}  // namespace davit::host
