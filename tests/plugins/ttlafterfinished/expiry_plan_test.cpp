#include "plugins/ttlafterfinished/expiry_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/kube/time.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

namespace davit::ttlafterfinished {
namespace {

class ExpiryPlanTest : public ::testing::Test {
 protected:
  Job job(const std::string& ttl, const std::string& conditions) {
    return cluster_.view_of<Job>(R"({"metadata":{"namespace":"ns","name":"j"},"spec":{)" + ttl +
                                 R"(},"status":{"conditions":[)" + conditions + "]}}");
  }
  static std::string condition(const std::string& type, const std::string& status,
                               const std::string& time = "2024-05-01T12:00:00Z") {
    return R"({"type":")" + type + R"(","status":")" + status + R"(","lastTransitionTime":")" +
           time + R"("})";
  }
  static std::string ttl(const std::string& seconds) {
    return R"("ttlSecondsAfterFinished":)" + seconds;
  }
  testing::Cluster cluster_;
};

TEST_F(ExpiryPlanTest, OnlyFinishedJobsWithATtlNeedCleanup) {
  const std::string complete = condition("Complete", "True");
  EXPECT_TRUE(needs_cleanup(job(ttl("10"), complete)));
  EXPECT_TRUE(needs_cleanup(job(ttl("0"), complete)));
  EXPECT_TRUE(needs_cleanup(job(ttl("10"), condition("Failed", "True"))));
  EXPECT_FALSE(needs_cleanup(job("", complete)));
  EXPECT_FALSE(needs_cleanup(job(ttl("null"), complete)));
  EXPECT_FALSE(needs_cleanup(job(ttl("10"), "")));
  EXPECT_FALSE(needs_cleanup(job(ttl("10"), condition("Complete", "False"))));
  for (const char* other : {"FailureTarget", "SuccessCriteriaMet", "Suspended"}) {
    EXPECT_FALSE(needs_cleanup(job(ttl("10"), condition(other, "True")))) << other;
  }
}

TEST_F(ExpiryPlanTest, TheFirstConditionThatEndsTheJobGivesTheTime) {
  const Result<WallTime> expiry =
      expiry_of(job(ttl("10"), condition("Complete", "False", "2024-05-01T09:00:00Z") + "," +
                                   condition("Failed", "True", "2024-05-01T10:00:00Z") + "," +
                                   condition("Complete", "True", "2024-05-01T11:00:00Z")));
  ASSERT_TRUE(expiry);
  EXPECT_EQ(format_time(*expiry), "2024-05-01T10:00:10Z");
}

TEST_F(ExpiryPlanTest, AJobWithoutATimeIsAnErrorWithItsName) {
  for (const char* time : {"", "yesterday"}) {
    const Result<WallTime> expiry = expiry_of(job(ttl("10"), condition("Complete", "True", time)));
    ASSERT_FALSE(expiry);
    EXPECT_EQ(expiry.error().message(), "unable to find the time when the Job ns/j finished");
  }
}

TEST_F(ExpiryPlanTest, AbsurdNumbersStayWithinTheClock) {
  const std::string last = condition("Complete", "True", "9999-12-31T23:59:59Z");
  for (const char* seconds : {"2147483647", "9223372036854775807"}) {
    const Result<WallTime> expiry = expiry_of(job(ttl(seconds), last));
    ASSERT_TRUE(expiry);
    EXPECT_GT(*expiry, cluster_.wall_now()) << seconds;
  }
  const Result<WallTime> past =
      expiry_of(job(ttl("-9223372036854775808"), condition("Complete", "True")));
  ASSERT_TRUE(past);
  EXPECT_EQ(format_time(*past), "2024-05-01T12:00:00Z");
}

}  // namespace
}  // namespace davit::ttlafterfinished
