#include <gtest/gtest.h>

#include "tests/sandbox/controllers/late_cluster.hpp"

namespace davit::sandbox {
namespace {

using std::chrono::minutes;

constexpr const char* kEvent = "/api/v1/namespaces/default/events/e";

class EventExpiryTest : public testing::Test {
 protected:
  EventExpiryTest() {
    cluster_.create("/api/v1/namespaces/default/events",
                    R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"default"}})");
    next_ = cluster_.step();
  }

  Cluster cluster_;
  Time next_;
};

TEST_F(EventExpiryTest, EventLastsAnHour) {
  EXPECT_EQ(next_, cluster_.clock.now() + minutes(60));
  cluster_.clock.advance(minutes(59));
  cluster_.step();
  EXPECT_FALSE(cluster_.get(kEvent).is_null());
  cluster_.clock.advance(minutes(1));
  EXPECT_EQ(cluster_.step(), Time::max());
  EXPECT_TRUE(cluster_.get(kEvent).is_null());
}

TEST_F(EventExpiryTest, WriteGivesAnotherHour) {
  cluster_.clock.advance(minutes(50));
  EXPECT_EQ(cluster_.call("PATCH", kEvent, R"({"count":2})").status, 200);
  cluster_.step();
  cluster_.clock.advance(minutes(50));
  cluster_.step();
  EXPECT_FALSE(cluster_.get(kEvent).is_null());
  cluster_.clock.advance(minutes(10));
  cluster_.step();
  EXPECT_TRUE(cluster_.get(kEvent).is_null());
}

TEST(EventExpiryFailureTest, ADeletionThatFailedIsTriedAgain) {
  LateCluster late({});
  late.cluster.create("/api/v1/namespaces/default/events",
                      R"({"metadata":{"name":"e"},"involvedObject":{"namespace":"default"}})");
  late.step();
  late.cluster.clock.advance(minutes(60));
  late.writes.fails = true;
  late.step();
  late.cluster.clock.advance(minutes(1));
  late.step();
  EXPECT_FALSE(late.cluster.get(kEvent).is_null());
  late.writes.fails = false;

  late.settle();

  EXPECT_TRUE(late.cluster.get(kEvent).is_null());
  EXPECT_EQ(late.step(), Time::max());
}

}  // namespace
}  // namespace davit::sandbox
