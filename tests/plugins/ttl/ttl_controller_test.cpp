/// Rows TT01 to TT12: the TTL controller in the in-memory cluster, under the rights of its note.
#include "plugins/ttl/ttl_controller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/ttl/note.hpp"
#include "plugins/ttl/ttl_plan.hpp"

namespace davit::ttl {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Json;
using testing::Verb;
using namespace std::chrono_literals;

constexpr const char* kController = "ttl-controller";

class TtlControllerTest : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_THAT(cluster_.violations(), IsEmpty()); }

  void start() {
    const Status started = cluster_.start(kController, &make<TtlController>);
    ASSERT_TRUE(started.ok()) << started.message();
    cluster_.run_until_idle();
  }
  static std::string name(std::size_t number) { return "n" + std::to_string(number); }
  /// Adds a Node; `ttl` is the value of its annotation.
  void add_node(const std::string& name, std::optional<std::string_view> ttl = std::nullopt) {
    Json node = Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{},"spec":{}})");
    node["metadata"]["name"] = name;
    if (ttl) node["metadata"]["annotations"][kTtlAnnotation] = *ttl;
    cluster_.add(node);
  }
  /// Adds n1 and on.
  void add_nodes(std::size_t count) {
    for (std::size_t i = 1; i <= count; ++i) add_node(name(i));
  }
  void delete_nodes(std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      ASSERT_TRUE(cluster_.erase<Node>({"", name(i)}));
    }
    cluster_.run_until_idle();
  }
  /// The kubelet reports that a Node is alive.
  void beat(const std::string& node) {
    cluster_.merge<Node>({"", node}, R"({"status":{"conditions":[{"type":"Ready","status":"True",
        "lastHeartbeatTime":")" + std::to_string(2000 + ++beats_) +
                                         R"(-01-01T00:00:00Z"}]}})");
    cluster_.run_until_idle();
  }
  void beat_all() {
    for (const Node& each : cluster_.all<Node>()) beat(std::string(each.name()));
  }
  [[nodiscard]] std::string ttl(const std::string& node) const {
    return cluster_.json<Node>({"", node}).text_at({"metadata", "annotations", kTtlAnnotation});
  }
  /// The Nodes with this value.
  [[nodiscard]] std::size_t count(std::string_view value) {
    std::size_t found = 0;
    for (const Node& each : cluster_.all<Node>()) {
      if (each.annotation(kTtlAnnotation) == value) ++found;
    }
    return found;
  }

  testing::Cluster cluster_{{.note = note_text<ttl::declare>()}};

 private:
  int beats_ = 0;
};

TEST_F(TtlControllerTest, TT01_ANewNodeGetsTheTtlOfASmallCluster) {
  start();
  add_node("n1");
  cluster_.run_until_idle();

  EXPECT_EQ(ttl("n1"), "0");
  ASSERT_EQ(cluster_.writes().size(), 1);
  const testing::RequestRecord write = cluster_.writes().front();
  EXPECT_EQ(write.text(), "patch nodes/n1 200");
  EXPECT_EQ(write.body, R"({"metadata":{"annotations":{"node.alpha.kubernetes.io/ttl":"0"}}})");
}

TEST_F(TtlControllerTest, TT02_TheNodeThatIsTooManyGetsTheNextTtlAndTheOthersFollowAtTheirUpdates) {
  add_nodes(100);
  start();
  ASSERT_EQ(count("0"), 100);

  add_node("n101");
  cluster_.run_until_idle();
  EXPECT_EQ(ttl("n101"), "15");
  EXPECT_EQ(count("0"), 100);

  beat("n7");
  EXPECT_EQ(ttl("n7"), "15");
  EXPECT_EQ(count("0"), 99);
}

TEST_F(TtlControllerTest, TT03_TT04_AShrinkingClusterKeepsItsTtlForAWhile) {
  add_nodes(101);
  start();
  ASSERT_EQ(count("15"), 101);

  delete_nodes(1, 11);
  beat_all();
  EXPECT_EQ(count("15"), 90);

  delete_nodes(12, 1);
  EXPECT_EQ(count("15"), 89) << "deletion alone touches no other node";
  beat_all();
  EXPECT_EQ(count("0"), 89);
}

TEST_F(TtlControllerTest, TT05_StepsUpAndDown) {
  add_nodes(500);
  start();
  EXPECT_EQ(count("15"), 500);

  add_node(name(501));
  cluster_.run_until_idle();
  beat_all();
  EXPECT_EQ(count("30"), 501);

  delete_nodes(1, 52);
  beat_all();
  EXPECT_EQ(count("15"), 449);
}

TEST_F(TtlControllerTest, TT06_ALargeClusterGetsTheLongestTtlFromTheStart) {
  add_nodes(2001);
  start();
  EXPECT_EQ(count("300"), 2001) << "syncs wait for the handlers, so that nobody counts halfway";
}

TEST_F(TtlControllerTest, TT07_OtherValuesAreReset) {
  start();
  for (const char* wrong : {"7", "x", ""}) {
    add_node("n1", wrong);
    cluster_.run_until_idle();
    EXPECT_EQ(ttl("n1"), "0") << wrong;
  }
}

TEST_F(TtlControllerTest, TT08_TheSameNumberInAnotherFormIsLeftAlone) {
  start();
  add_node("n1", "00");
  cluster_.run_until_idle();
  EXPECT_EQ(ttl("n1"), "00");
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(TtlControllerTest, TT09_ARestartForgetsThatTheClusterWasLarger) {
  add_nodes(101);
  start();
  delete_nodes(1, 6);
  beat_all();
  ASSERT_EQ(count("15"), 95);

  cluster_.stop(kController);
  start();
  EXPECT_EQ(count("0"), 95);
}

TEST_F(TtlControllerTest, ASwapKnowsThatTheClusterWasLarger) {
  add_nodes(101);
  start();
  delete_nodes(1, 6);
  cluster_.clear_records();

  ASSERT_TRUE(cluster_.swap(kController, &make<TtlController>).ok());
  beat_all();
  EXPECT_EQ(count("15"), 95);
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(TtlControllerTest, AHandedStepFitsTheNodesThatThereAre) {
  add_nodes(3);
  start();
  ASSERT_TRUE(cluster_.give_state(kController, 1, R"({"step":4})").ok());
  beat_all();
  EXPECT_EQ(count("0"), 3);
}

TEST_F(TtlControllerTest, AStateThatIsNoStepIsRefused) {
  start();
  for (const char* wrong : {"{}", "[]", R"({"step":5})", R"({"step":-1})", R"({"step":"1"})"}) {
    EXPECT_FALSE(cluster_.give_state(kController, 1, wrong).ok()) << wrong;
  }
}

TEST_F(TtlControllerTest, TT10_HeartbeatsCauseNoWrite) {
  add_nodes(3);
  start();
  cluster_.clear_records();
  for (int i = 0; i < 3; ++i) beat_all();
  cluster_.resync("nodes");
  cluster_.run_until_idle();
  EXPECT_THAT(cluster_.writes(), IsEmpty());
}

TEST_F(TtlControllerTest, TT11_AFailedWriteIsRepeatedAndTouchesNothingElse) {
  start();
  cluster_.fail_next({.verb = Verb::kPatch, .resource = "nodes", .times = 2});
  Json node = Json::must(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1",
      "labels":{"a":"b"},"annotations":{"c":"d"}},"spec":{}})");
  cluster_.add(node);
  cluster_.advance(1s);

  EXPECT_EQ(ttl("n1"), "0");
  EXPECT_EQ(cluster_.requests_of(Verb::kPatch, "nodes").size(), 3);
  const Json now = cluster_.json<Node>({"", "n1"});
  EXPECT_EQ(now.text_at({"metadata", "labels", "a"}), "b");
  EXPECT_EQ(now.text_at({"metadata", "annotations", "c"}), "d");
}

TEST_F(TtlControllerTest, ANodeThatGoesBeforeItsWriteIsForgotten) {
  start();
  cluster_.hold("nodes");
  add_node("n1");
  cluster_.release_one("nodes");
  cluster_.erase<Node>({"", "n1"});
  cluster_.run_until_idle();
  ASSERT_THAT(cluster_.syncs().back().ok(), false) << "404 is an error like any other";

  cluster_.release("nodes");
  cluster_.advance(1s);
  EXPECT_TRUE(cluster_.syncs().back().ok());
}

TEST_F(TtlControllerTest, TT12_NoEventsAndNoRightThatIsNotUsed) {
  start();
  add_node("n1", "x");
  cluster_.run_until_idle();
  EXPECT_THAT(cluster_.events(), IsEmpty());
  EXPECT_THAT(cluster_.unused_declarations(), IsEmpty());
}

}  // namespace
}  // namespace davit::ttl
