#include <gtest/gtest.h>

#include <chrono>
#include <davit/kube/condition.hpp>
#include <davit/kube/deployment.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <davit/kube/time.hpp>
#include <davit/testing/cluster.hpp>
#include <string>

namespace davit {
namespace {

using namespace std::chrono_literals;

WallTime at(std::string_view text) { return parse_time(text).value(); }

Condition condition(std::string status, std::string reason, std::string message, WallTime now) {
  return {"Progressing", std::move(status), std::move(reason), std::move(message), now, now};
}

TEST(ConditionListTest, SameStatusAndReasonLeaveThePresentOneUntouched) {
  const WallTime then = at("2024-05-01T12:00:00Z");
  ConditionList list;
  list.set(condition("True", "R", "old", then));

  list.set(condition("True", "R", "new", then + 1h));

  EXPECT_EQ(list.find("Progressing")->message, "old");
  EXPECT_EQ(list.find("Progressing")->last_update_time, then);
}

TEST(ConditionListTest, AnotherReasonKeepsTheTransitionTimeAndMovesToTheEnd) {
  const WallTime then = at("2024-05-01T12:00:00Z");
  ConditionList list;
  list.set(condition("True", "R", "", then));
  list.append({"Available", "True", "", "", then, std::nullopt});

  list.set(condition("True", "S", "", then + 1h));

  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list.begin()->type, "Available");
  EXPECT_EQ(list.find("Progressing")->last_transition_time, then);
  EXPECT_EQ(list.find("Progressing")->last_update_time, then + 1h);
  list.set(condition("False", "S", "", then + 2h));
  EXPECT_EQ(list.find("Progressing")->last_transition_time, then + 2h);
}

TEST(ConditionListTest, ListsSurviveReadingAndWriting) {
  testing::Cluster cluster;
  const Value json = cluster.value(R"([{"type":"A","status":"True",
    "lastUpdateTime":"2024-05-01T12:00:00Z","lastTransitionTime":"2024-05-01T11:00:00Z",
    "reason":"R","message":"M"},{"type":"B","status":"False"}])");
  ConditionList list(json);
  JsonWriter out;
  list.write(out);

  EXPECT_EQ(cluster.value(out.text()), json);
  EXPECT_EQ(list, ConditionList(cluster.value(out.text())));
  list.remove("A");
  EXPECT_EQ(list.find("A"), nullptr);
}

class PodTest : public ::testing::Test {
 protected:
  testing::Cluster cluster_;
  const WallTime now_ = cluster_.wall_now();
};

TEST_F(PodTest, FinishedAndDeletedPodsAreNotActive) {
  const auto pod = [this](const char* phase, const char* deleted) {
    return cluster_.view_of<Pod>(std::string(R"({"metadata":{)") + deleted +
                                 R"(},"status":{"phase":")" + phase + "\"}}");
  };
  constexpr const char* kDeleted = R"("deletionTimestamp":"2024-05-01T12:00:00Z")";

  EXPECT_TRUE(pod("Running", "").is_active());
  EXPECT_TRUE(pod("", "").is_active());
  EXPECT_FALSE(pod("Failed", "").is_active());
  EXPECT_FALSE(pod("Succeeded", "").is_active());
  EXPECT_FALSE(pod("Running", kDeleted).is_active());
  EXPECT_TRUE(pod("Running", kDeleted).is_terminating());
  EXPECT_FALSE(pod("Failed", kDeleted).is_terminating());
  EXPECT_FALSE(pod("Running", "").is_terminating());
}

TEST_F(PodTest, AvailableFromTheVeryInstantOn) {
  cluster_.add(testing::PodBuilder("web").ready(now_));
  const Pod pod = cluster_.find<Pod>({"default", "web"}).value();

  EXPECT_TRUE(pod.is_available(0s, now_));
  EXPECT_FALSE(pod.is_available(10s, now_ + 9999ms));
  EXPECT_TRUE(pod.is_available(10s, now_ + 10s));
}

TEST_F(PodTest, ReadyWithoutATimeIsAvailableOnlyWhenNoneIsAsked) {
  const Pod pod =
      cluster_.view_of<Pod>(R"({"status":{"conditions":[{"type":"Ready","status":"True"}]}})");

  EXPECT_TRUE(pod.is_ready());
  EXPECT_TRUE(pod.is_available(0s, now_));
  EXPECT_FALSE(pod.is_available(1s, now_));
}

TEST_F(PodTest, OnlyTheFirstReadyConditionCounts) {
  const Pod pod = cluster_.view_of<Pod>(R"({"status":{"conditions":[
    {"type":"Ready","status":"False"},{"type":"Ready","status":"True"}]}})");

  EXPECT_FALSE(pod.is_ready());
}

TEST_F(PodTest, RestartsCountRegularContainersAndSidecarsApart) {
  const Pod pod = cluster_.view_of<Pod>(R"({"spec":{"initContainers":[
      {"name":"side","restartPolicy":"Always"},{"name":"once"}]},
    "status":{"containerStatuses":[{"name":"a","restartCount":2},{"name":"b","restartCount":5}],
      "initContainerStatuses":[{"name":"side","restartCount":3},
        {"name":"once","restartCount":9}]}})");

  EXPECT_EQ(pod.restarts().containers, 5);
  EXPECT_EQ(pod.restarts().sidecars, 3);
}

TEST(ReplicaSetTest, MissingFieldsReadAsTheirDefaults) {
  testing::Cluster cluster;
  const ReplicaSet set = cluster.view_of<ReplicaSet>(R"({"spec":{},"status":{"replicas":2}})");

  EXPECT_EQ(set.replicas(), 1);
  EXPECT_EQ(set.min_ready(), 0s);
  EXPECT_EQ(set.status_replicas(), 2);
  EXPECT_EQ(set.ready_replicas(), 0);
  EXPECT_EQ(set.terminating_replicas(), std::nullopt);
  EXPECT_TRUE(set.selector().is_absent());
}

TEST(DeploymentTest, ReadsWhatTheBuilderSets) {
  testing::Cluster cluster;
  cluster.add(testing::DeploymentBuilder("web").replicas(3).rolling("1", "\"50%\"").paused());
  const Deployment web = cluster.find<Deployment>({"default", "web"}).value();

  EXPECT_EQ(web.replicas(), 3);
  EXPECT_TRUE(web.is_paused());
  EXPECT_EQ(web.strategy_type(), "RollingUpdate");
  EXPECT_EQ(*IntOrPercent::parse(web.max_surge()), IntOrPercent::of(1));
  EXPECT_EQ(*IntOrPercent::parse(web.max_unavailable()), IntOrPercent::percent(50));
  EXPECT_EQ(web.progress_deadline(), 600s);
  EXPECT_EQ(web.revision_history_limit(), 10);
  EXPECT_EQ(web.collision_count(), std::nullopt);
  EXPECT_EQ(web.selector()[&Names::match_labels]["app"].string(), "web");
}

}  // namespace
}  // namespace davit
