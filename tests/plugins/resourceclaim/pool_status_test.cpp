/// Rows DRA-92 to DRA-102.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <set>
#include <string>

#include "plugins/resourceclaim/note.hpp"
#include "plugins/resourceclaim/pool_status_requests.hpp"

namespace davit::resourceclaim {
namespace {

using ::testing::IsEmpty;
using testing::Json;
using testing::Verb;
using namespace std::chrono_literals;

class PoolStatusTest : public ::testing::Test {
 protected:
  static constexpr const char* kController = "resourcepoolstatusrequest-controller";
  static constexpr const char* kGate = R"({"resourcePoolStatus":"on"})";
  static constexpr const char* kDriver = R"("driver":"d.example.com")";

  void SetUp() override {
    add_request("known", R"("driver":"none.example.com")");  // The server has the kind.
    cluster_.erase<PoolRequest>({"", "known"});
    add_slice("a1", "pa", 1, 1, "n1", 2);
    add_slice("c0", "pc", 1, 1, "n1", 5);
    add_slice("c1", "pc", 2, 2, "n1", 1);
    add_slice("c2", "pc", 2, 2, "n2", 1);
    add_claim("c", "pa");
  }
  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }
  void start() {
    ASSERT_TRUE(cluster_.start(kController, &PoolStatusRequests::open, kGate).ok());
    cluster_.run_until_idle();
  }
  void add_request(const std::string& name, const std::string& spec,
                   const std::string& metadata = "") {
    cluster_.add(R"({"apiVersion":"resource.k8s.io/v1alpha3","kind":"ResourcePoolStatusRequest",
        "metadata":{"name":")" +
                 name + "\"" + metadata + R"(},"spec":{)" + spec + "}}");
    cluster_.run_until_idle();
  }
  void add_slice(const std::string& name, const std::string& pool, int generation, int count,
                 const std::string& node, int devices) {
    Json slice = Json::must(R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice",
        "metadata":{"name":")" +
                            name + R"("},"spec":{"driver":"d.example.com","nodeName":")" + node +
                            R"(","pool":{"name":")" + pool + R"("},"devices":[]}})");
    slice["spec"]["pool"]["generation"] = generation;
    slice["spec"]["pool"]["resourceSliceCount"] = count;
    for (int i = 0; i < devices; ++i) {
      slice["spec"]["devices"].push_back(
          Json::must(R"({"name":"dev-)" + std::to_string(i) + R"("})"));
    }
    cluster_.add(slice);
    cluster_.run_until_idle();
  }
  void add_claim(const std::string& name, const std::string& pool) {
    cluster_.add(
        R"({"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":")" + name +
        R"(","namespace":"t"},"spec":{"devices":{}},"status":{"allocation":{
        "devices":{"results":[{"request":"r","driver":"d.example.com","pool":")" +
        pool + R"(","device":"dev-0"}]}}}})");
    cluster_.run_until_idle();
  }
  [[nodiscard]] Json status(const std::string& name = "q") {
    return cluster_.json<PoolRequest>({"", name})["status"];
  }
  [[nodiscard]] bool is_answered(const std::string& name = "q") {
    return cluster_.find<PoolRequest>({"", name})->has_status();
  }
  [[nodiscard]] std::string message() {
    return status()["conditions"].items().at(0).text_at({"message"});
  }

  testing::Cluster cluster_{{.note = note_text<resourceclaim::declare>()}};
};

TEST_F(PoolStatusTest, DRA92_TheStatusCountsTheDevicesOfEachPool) {
  start();
  add_request("q", kDriver);
  Json got = status();
  EXPECT_EQ(got.text_at({"poolCount"}), "2");
  EXPECT_EQ(got["pools"].items().at(0).canonical(),
            Json::must(R"({"driver":"d.example.com","poolName":"pa","generation":1,
                "nodeName":"n1","resourceSliceCount":1,"totalDevices":2,"allocatedDevices":1,
                "availableDevices":1,"unavailableDevices":0})")
                .canonical());
  EXPECT_EQ(got["pools"].items().at(1).canonical(),
            Json::must(R"({"driver":"d.example.com","poolName":"pc","generation":2,
                "resourceSliceCount":2,"totalDevices":2,"allocatedDevices":0,
                "availableDevices":2,"unavailableDevices":0})")
                .canonical());
  EXPECT_EQ(got["conditions"].items().at(0).text_at({"reason"}), "CalculationComplete");
  EXPECT_EQ(message(), "Calculated status for 2 pools");
}

TEST_F(PoolStatusTest, DRA93_OnePoolCanBeAskedFor) {
  start();
  add_request("q", std::string(kDriver) + R"(,"poolName":"pa")");
  EXPECT_EQ(status().text_at({"poolCount"}), "1");
}

TEST_F(PoolStatusTest, DRA94_AnUnknownDriverHasNoPools) {
  start();
  add_request("q", R"("driver":"no.example.com")");
  EXPECT_EQ(status().text_at({"poolCount"}), "0");
  EXPECT_EQ(status()["pools"].dump(), "[]");
  EXPECT_EQ(message(), "Calculated status for 0 pools");
}

TEST_F(PoolStatusTest, DRA95_TheLimitCutsTheList) {
  start();
  add_request("q", std::string(kDriver) + R"(,"limit":1)");
  EXPECT_EQ(status().text_at({"poolCount"}), "2");
  EXPECT_EQ(status()["pools"].items().size(), 1U);
}

TEST_F(PoolStatusTest, DRA96_AnIncompletePoolIsWaitedFor) {
  start();
  add_slice("b1", "pb", 1, 2, "n1", 1);
  add_request("q", kDriver);
  EXPECT_FALSE(is_answered());
  cluster_.advance(5s);
  EXPECT_FALSE(is_answered());
  add_slice("b2", "pb", 1, 2, "n1", 1);
  EXPECT_TRUE(is_answered());
  EXPECT_EQ(message(), "Calculated status for 3 pools");
}

TEST_F(PoolStatusTest, DRA97_AnIncompletePoolIsReportedInTheEnd) {
  start();
  add_slice("b1", "pb", 1, 2, "n1", 1);
  add_request("q", kDriver);
  cluster_.advance(30s);
  EXPECT_FALSE(is_answered());
  cluster_.advance(2s);
  ASSERT_TRUE(is_answered());
  Json pool = status()["pools"].items().at(1);
  EXPECT_EQ(pool.text_at({"validationError"}),
            "pool d.example.com/pb is incomplete: observed 1/2 slices at generation 1");
  EXPECT_EQ(pool.find("totalDevices"), nullptr);
  EXPECT_EQ(message(), "Calculated status for 3 pools (1 incomplete)");
}

TEST_F(PoolStatusTest, DRA98_AnAnsweredRequestStaysAsItIs) {
  start();
  add_request("q", kDriver);
  cluster_.clear_records();
  add_slice("a2", "pa", 2, 1, "n1", 7);
  cluster_.advance(1min);
  EXPECT_THAT(cluster_.requests(), IsEmpty());
}

TEST_F(PoolStatusTest, DRA99_RequestsWhoseTimeIsOverAreDeleted) {
  const std::string done = R"(,"status":{"conditions":[{"type":"Complete","status":"True",
      "lastTransitionTime":")";
  const auto add = [&](const std::string& name, const std::string& created,
                       const std::string& answered) {
    Json request = Json::must(R"({"apiVersion":"resource.k8s.io/v1alpha3",
        "kind":"ResourcePoolStatusRequest","metadata":{"name":")" +
                              name + R"(","creationTimestamp":")" + created +
                              R"("},"spec":{"driver":"d.example.com"})" +
                              (answered.empty() ? "" : done + answered + R"("}]})") + "}");
    cluster_.add(request);
  };
  add("old", "2024-04-30T00:00:00Z", "2024-05-01T10:59:00Z");
  add("young", "2024-04-30T00:00:00Z", "2024-05-01T11:10:00Z");
  add("stuck", "2024-04-30T11:00:00Z", "");
  add("pending", "2024-04-30T13:00:00Z", "");
  add_slice("b1", "pb", 1, 2, "n1", 1);  // Nothing is answered at once.
  start();
  cluster_.advance(1s);
  std::set<std::string> left;
  for (const PoolRequest& each : cluster_.all<PoolRequest>()) left.emplace(each.name());
  EXPECT_EQ(left, (std::set<std::string>{"young", "pending"}));
}

TEST_F(PoolStatusTest, DRA100_StaleClaimsLeaveNoNegativeNumber) {
  for (const char* name : {"x", "y", "z"}) add_claim(name, "pa");
  start();
  add_request("q", kDriver);
  EXPECT_EQ(status()["pools"].items().at(0).text_at({"allocatedDevices"}), "4");
  EXPECT_EQ(status()["pools"].items().at(0).text_at({"availableDevices"}), "0");
}

TEST_F(PoolStatusTest, DRA101_AFailingWriteIsTriedSixTimes) {
  start();
  cluster_.fail_next({.verb = Verb::kPatch,
                      .resource = "resourcepoolstatusrequests",
                      .http_status = 409,
                      .reason = "Conflict",
                      .times = testing::Fault::kAlways});
  add_request("q", kDriver);
  cluster_.advance(10min);
  EXPECT_EQ(cluster_.writes().size(), 6U);
  double errors = 0;
  for (const testing::MetricSample& each : cluster_.metrics()) {
    if (each.name == "resourcepoolstatusrequest_controller_request_processing_errors_total") {
      errors += each.value;
    }
  }
  EXPECT_EQ(errors, 6);
}

TEST_F(PoolStatusTest, DRA102_NamesOfDriversAreBoundedAsLabels) {
  start();
  for (int i = 0; i < 1000; ++i) {
    add_request("q" + std::to_string(i), R"("driver":"d)" + std::to_string(i) + R"(.example.com")");
  }
  std::set<std::string> labels;
  for (const testing::MetricSample& each : cluster_.metrics()) {
    if (!each.labels.empty()) labels.insert(each.labels[0]);
  }
  EXPECT_EQ(labels.size(), 101U);
  EXPECT_TRUE(labels.contains("other"));
}

TEST_F(PoolStatusTest, WithoutTheGateItDoesNotRun) {
  const Status started = cluster_.start(kController, &PoolStatusRequests::open);
  EXPECT_EQ(started.code(), Code::kUnsupported);
}

}  // namespace
}  // namespace davit::resourceclaim
