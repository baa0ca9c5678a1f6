/// Nodes and Leases that violate the API: reported by name, judged by their readable parts,
/// and no harm to anybody else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/plugins/nodelifecycle/node_fixture.hpp"

namespace davit::nodelifecycle {
namespace {

class BadInputTest : public NodeTest {
 protected:
  BadInputTest() {
    // In a zone of their own, whatever becomes of the others.
    add_in_zone("ok", "z");
    add_in_zone("n1", "z");
  }

  /// Something is amiss when the controller starts; then n1 falls silent.
  void run() {
    start();
    live(2);
    stop("n1");
    outlive();
  }
  /// The usual care for the others continues.
  void expect_others_served() const {
    EXPECT_EQ(ready("n1"), "Unknown");
    EXPECT_TRUE(is_evicting("n1"));
    EXPECT_EQ(ready("ok"), "True");
  }
  void add_lease(const std::string& name, const std::string& spec) {
    cluster().add(Json::must(R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",
        "metadata":{"namespace":"kube-node-lease","name":")" +
                             name + R"("},"spec":)" + spec + "}"));
  }
  /// The number of warnings and errors in the log that name this node.
  [[nodiscard]] std::ptrdiff_t violations_of(const std::string& node) {
    const auto& log = cluster().log();
    return std::count_if(log.begin(), log.end(), [&](const testing::LogRecord& line) {
      return std::any_of(line.fields.begin(), line.fields.end(), [&](const auto& field) {
        return field.first == "node" && field.second == node;
      });
    });
  }
};

TEST_F(BadInputTest, NodesThatCannotBeReadAreReported) {
  constexpr const char* kNodes[] = {
      R"({"metadata":{"creationTimestamp":"soon"}})",
      R"({"metadata":{"creationTimestamp":7}})",
      R"({"metadata":{"creationTimestamp":"2150-01-01T00:00:00Z"}})",
      R"({"metadata":{"creationTimestamp":"9999-12-31T23:59:59Z"}})",
      R"({"status":{"conditions":{"type":"Ready"}}})",
      R"({"status":{"conditions":"Ready"}})",
      R"({"status":{"conditions":[5]}})",
      R"({"status":{"conditions":[{"status":"True"}]}})",
      R"({"status":{"conditions":[{"type":"Ready","status":true}]}})",
      R"({"status":{"conditions":[{"type":"Ready","status":"Maybe"}]}})",
      R"({"status":{"conditions":[{"type":"Ready"}]}})",
      R"({"spec":{"taints":"none"}})",
      R"({"spec":{"taints":{"key":"a"}}})",
  };
  int number = 0;
  for (const char* each : kNodes) add_node("odd-" + std::to_string(number++), each);
  run();

  for (int i = 0; i < number; ++i) {
    EXPECT_GE(violations_of("odd-" + std::to_string(i)), 1) << kNodes[i];
  }
  expect_others_served();
}

TEST_F(BadInputTest, NodesWithPartsMissingAreNone) {
  add_node("bare", R"({"spec":null,"status":null})");
  add_node("empty", R"({"status":{"conditions":null},"spec":{"taints":null}})");
  add_node("labels", R"({"metadata":{"labels":7}})");
  run();

  EXPECT_EQ(ready("bare"), "Unknown") << "it never posted its status";
  EXPECT_EQ(ready("empty"), "Unknown");
  EXPECT_EQ(ready("labels"), "") << "no server writes an object that it cannot read";
  expect_others_served();
}

TEST_F(BadInputTest, AConditionThatIsNeitherTrueNorFalseIsNotASignOfDeathUntilTheGraceEnds) {
  add_node("odd", R"({"status":{"conditions":[{"type":"Ready","status":"Maybe"}]}})");
  start();
  live(2);
  EXPECT_EQ(ready("odd"), "Maybe");
  EXPECT_FALSE(has("odd", kUnreachableKey, kNoExecute));
  outlive();

  EXPECT_EQ(ready("odd"), "Unknown");
  EXPECT_TRUE(is_evicting("odd"));
}

TEST_F(BadInputTest, ALeaseWithoutATimeIsNotASignOfLifeAndReportedOnce) {
  start();
  live(2);
  stop("n1");
  for (int i = 0; i < 8; ++i) {
    add_lease("n1", R"({"renewTime":"now","holderIdentity":")" + std::to_string(i) + R"("})");
    live(1);
  }

  EXPECT_EQ(violations_of("n1"), 1);
  expect_others_served();
}

TEST_F(BadInputTest, ALeaseOfTheFarFutureCountsOnceAndHarmsNoClock) {
  start();
  live(2);
  stop("n1");
  add_lease("n1", R"({"renewTime":"9999-12-31T23:59:59.000000Z"})");
  live(5);
  EXPECT_EQ(ready("n1"), "True");
  live(4);

  expect_others_served();
}

TEST_F(BadInputTest, ALeaseHeldBySomebodyElseIsASignOfLifeAsForUpstream) {
  start();
  live(2);
  stop("n1");
  for (int i = 0; i < 10; ++i) {
    add_lease("n1", R"({"holderIdentity":"another","renewTime":")" + format_time(now()) + "\"}");
    live(1);
  }

  EXPECT_EQ(ready("n1"), "True");
}

TEST_F(BadInputTest, ALabelThatTheServerRefusesToRepeatIsReportedAndTheTaintsAreSet) {
  const std::string too_long(64, 'x');
  add_ready("odd", R"({"metadata":{"labels":{"kubernetes.io/os":")" + too_long +
                       R"("}},"spec":{"unschedulable":true}})");
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "nodes",
                       .name = "odd",
                       .http_status = 422,
                       .reason = "Invalid",
                       .times = 1});
  run();

  EXPECT_GE(violations_of("odd"), 1);
  expect_others_served();
}

TEST_F(BadInputTest, AnErrorOnOneNodeStopsNoOther) {
  add_ready("odd");
  add_ready_pod("p");
  add_ready_pod("q", "odd");
  cluster().fail_next({.verb = testing::Verb::kPatch,
                       .resource = "nodes",
                       .name = "odd",
                       .http_status = 500,
                       .times = testing::Fault::kAlways});
  start();
  live(2);
  stop("n1");
  stop("odd");
  outlive();

  EXPECT_GE(violations_of("odd"), 1);
  EXPECT_EQ(condition(pod("p"), "Ready").text_at({"status"}), "False");
  EXPECT_EQ(condition(pod("q"), "Ready").text_at({"status"}), "True") << "its node is not written";
  expect_others_served();
}

}  // namespace
}  // namespace davit::nodelifecycle
