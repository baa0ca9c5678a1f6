#include "tests/live/oracle/converged.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davit::oracle {
namespace {

Life life(const char* kind, const std::string& json) {
  Life out;
  out.kind = find_kind(kind);
  out.versions.push_back(std::make_shared<Json>(json_literal(json)));
  out.name = out.now().text_at({"metadata", "name"});
  return out;
}

std::string why_not(const std::vector<Life>& lives) {
  return why_not_converged(lives, Slices::kServed);
}

/// `reason`: of the condition Progressing.
Life deployment(const std::string& reason, int history_limit) {
  return life("deployment", R"({"kind":"Deployment",
    "metadata":{"name":"web","uid":"d","generation":1},
    "spec":{"replicas":1,"progressDeadlineSeconds":600,"revisionHistoryLimit":)" +
                                std::to_string(history_limit) + R"(},
    "status":{"observedGeneration":1,"replicas":1,"updatedReplicas":1,"availableReplicas":1,
      "conditions":[{"type":"Progressing","status":"True","reason":")" +
                                reason + R"("}]}})");
}

Life replica_set(const std::string& name, int replicas) {
  const std::string count = std::to_string(replicas);
  return life("replicaset", R"({"kind":"ReplicaSet","metadata":{"name":")" + name + R"(","uid":")" +
                                name + R"(","generation":1,
      "ownerReferences":[{"uid":"d","controller":true}]},"spec":{"replicas":)" +
                                count + R"(},"status":{"observedGeneration":1,"replicas":)" +
                                count + R"(,"readyReplicas":)" + count +
                                R"(,"availableReplicas":)" + count + "}}");
}

std::vector<Life> with_pod(std::vector<Life> lives) {
  lives.push_back(life("pod", R"({"kind":"Pod","metadata":{"name":"web-2-x",
    "ownerReferences":[{"uid":"web-2","controller":true}]},"spec":{"nodeName":"n"},
    "status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})"));
  return lives;
}

TEST(ConvergedTest, ADeploymentRestsOnceItSaysThatItsRolloutIsComplete) {
  EXPECT_EQ(why_not(with_pod({deployment("NewReplicaSetAvailable", 1), replica_set("web-2", 1)})),
            "");
  EXPECT_EQ(why_not(with_pod({deployment("ReplicaSetUpdated", 1), replica_set("web-2", 1)})),
            "deployment web does not say that it is complete");
}

TEST(ConvergedTest, ADeploymentRestsOnceItsOldReplicaSetsAreGone) {
  const std::vector<Life> lives = with_pod(
      {deployment("NewReplicaSetAvailable", 0), replica_set("web-1", 0), replica_set("web-2", 1)});
  EXPECT_EQ(why_not(lives), "deployment web keeps old ReplicaSets");
  std::vector<Life> after = lives;
  after[1].gone = true;
  EXPECT_EQ(why_not(after), "");
}

Life revision(const char* owner, int number) {
  const std::string hash = "h" + std::to_string(number);
  return life("controllerrevision", R"({"kind":"ControllerRevision","metadata":{"name":"db-)" +
                                        hash + R"(","labels":{"controller-revision-hash":")" +
                                        hash + R"("},"ownerReferences":[{"uid":")" + owner +
                                        R"(","controller":true}]}})");
}

TEST(ConvergedTest, SetsRestOnceTheirOldRevisionsAreGone) {
  const Life stateful = life("statefulset", R"({"kind":"StatefulSet",
    "metadata":{"name":"db","uid":"s","generation":1},
    "spec":{"replicas":0,"revisionHistoryLimit":1},
    "status":{"observedGeneration":1,"currentRevision":"db-h3","updateRevision":"db-h3"}})");
  EXPECT_EQ(why_not({stateful, revision("s", 2), revision("s", 3)}), "");
  EXPECT_EQ(why_not({stateful, revision("s", 1), revision("s", 2), revision("s", 3)}),
            "statefulset db keeps old revisions");
  const Life daemon = life("daemonset", R"({"kind":"DaemonSet",
    "metadata":{"name":"log","uid":"l","generation":1},"spec":{"revisionHistoryLimit":0},
    "status":{"observedGeneration":1}})");
  EXPECT_EQ(why_not({daemon, revision("l", 2)}), "");
  EXPECT_EQ(why_not({daemon, revision("l", 1), revision("l", 2)}),
            "daemonset log keeps old revisions");
}

Life finished_job(const std::string& uid) {
  return life("job", R"({"kind":"Job","metadata":{"name":")" + uid + R"(","uid":")" + uid +
                         R"(","ownerReferences":[{"uid":"c","controller":true}]},
    "status":{"conditions":[{"type":"Complete","status":"True"}]}})");
}

TEST(ConvergedTest, ACronJobRestsOnceItListsNoEndedJobAndKeepsNoneTooMany) {
  const auto cron_job = [](const std::string& active) {
    return life("cronjob", R"({"kind":"CronJob","metadata":{"name":"c","uid":"c"},
      "spec":{"successfulJobsHistoryLimit":1},"status":{"active":[)" +
                               active + "]}}");
  };
  EXPECT_EQ(why_not({cron_job(""), finished_job("a")}), "");
  EXPECT_EQ(why_not({cron_job(R"({"uid":"a"})"), finished_job("a")}),
            "cronjob c lists a Job that has ended");
  EXPECT_EQ(why_not({cron_job(""), finished_job("a"), finished_job("b")}),
            "cronjob c keeps old Jobs");
}

}  // namespace
}  // namespace davit::oracle
