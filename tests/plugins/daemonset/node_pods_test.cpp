/// The node that a pod is for, and the facts of pods.
#include "plugins/daemonset/node_pods.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <davit/testing/cluster.hpp>
#include <string>
#include <vector>

namespace davit::daemonset {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;
using namespace std::chrono_literals;

class NodePodsTest : public ::testing::Test {
 protected:
  [[nodiscard]] Pod pod(std::string_view json) { return cluster_.view_of<Pod>(json); }
  /// The node that a pod with these terms is for.
  [[nodiscard]] std::string target(const std::string& terms) {
    return std::string(target_node(
        pod(R"({"spec":{"affinity":{"nodeAffinity":{)"
            R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)" +
            terms + "}}}}}")));
  }
  [[nodiscard]] PodMeasure measure() {
    return {
        .revision = {.hash = "h", .generation = "3"}, .min_ready = 10s, .now = cluster_.wall_now()};
  }
  [[nodiscard]] DaemonPod facts(const std::string& labels) {
    const std::vector<Pod> pods = {
        pod(R"({"metadata":{"name":"p","labels":)" + labels + R"(},"spec":{"nodeName":"n"}})")};
    return group_by_node(pods, measure()).at("n").front();
  }

  testing::Cluster cluster_;
};

TEST_F(NodePodsTest, ABoundPodIsForItsNode) {
  EXPECT_EQ(target_node(pod(R"({"spec":{"nodeName":"n","affinity":{"nodeAffinity":{
      "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[
          {"key":"metadata.name","operator":"In","values":["m"]}]}]}}}}})")),
            "n");
  EXPECT_EQ(target_node(pod("{}")), "");
}

TEST_F(NodePodsTest, AnUnboundPodIsForTheFirstNodeThatItsTermsName) {
  const std::string n = R"({"key":"metadata.name","operator":"In","values":["n"]})";
  const std::string m = R"({"key":"metadata.name","operator":"In","values":["m"]})";
  EXPECT_EQ(target(R"([{"matchFields":[)" + n + "]}]"), "n");
  EXPECT_EQ(target(R"([{"matchExpressions":[]},{"matchFields":[)" + m + "," + n + "]}]"), "m");
  EXPECT_EQ(target(R"([{"matchFields":[{"key":"other","operator":"In","values":["x"]},)"
                   R"({"key":"metadata.name","operator":"NotIn","values":["x"]},)" +
                   n + "]}]"),
            "n");
  EXPECT_EQ(
      target(R"([{"matchFields":[{"key":"metadata.name","operator":"In","values":["a","b"]},)" + n +
             "]}]"),
      "")
      << "the first entry decides, and names two";
  EXPECT_EQ(target(R"([{"matchFields":"n"},7])"), "");
}

TEST_F(NodePodsTest, ThePodsOfANodeAreInTheOrderInWhichTheyAreKept) {
  const auto made = [](const char* name, const char* node, const char* created) {
    return R"({"metadata":{"name":")" + std::string(name) + R"(","creationTimestamp":")" + created +
           R"("},"spec":{"nodeName":")" + node +
           R"(","affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{
               "nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",
                   "values":["n"]}]}]}}}}})";
  };
  const std::vector<Pod> pods = {pod(made("waits", "", "2024-01-01T00:00:00Z")),
                                 pod(made("young", "n", "2024-03-01T00:00:00Z")),
                                 pod(made("b", "n", "2024-02-01T00:00:00Z")),
                                 pod(made("a", "n", "2024-02-01T00:00:00Z"))};
  const NodePods groups = group_by_node(pods, measure());
  std::vector<std::string> names;
  for (const DaemonPod& each : groups.at("n")) names.push_back(each.name);

  EXPECT_THAT(names, ElementsAre("a", "b", "young", "waits"));
}

TEST_F(NodePodsTest, APodThatHasEndedAndIsGoingIsLeftOutButItsRevisionLives) {
  const std::vector<Pod> pods = {
      pod(R"({"metadata":{"name":"a","deletionTimestamp":"2024-01-01T00:00:00Z",
              "labels":{"controller-revision-hash":"x"}},
              "spec":{"nodeName":"n"},"status":{"phase":"Failed"}})"),
      pod(R"({"metadata":{"name":"b","deletionTimestamp":"2024-01-01T00:00:00Z",
              "labels":{"controller-revision-hash":"y"}},"spec":{"nodeName":"n"}})"),
      pod(R"({"metadata":{"name":"c","labels":{"controller-revision-hash":"z"}}})")};

  ASSERT_EQ(group_by_node(pods, measure()).at("n").size(), 1U);
  EXPECT_TRUE(group_by_node(pods, measure()).at("n").front().is_terminating);
  EXPECT_THAT(live_hashes(pods), UnorderedElementsAre("x", "y")) << "c is for no node";
}

TEST_F(NodePodsTest, HashOrGenerationMakeAPodUpdated) {
  EXPECT_TRUE(facts(R"({"controller-revision-hash":"h"})").is_updated);
  EXPECT_TRUE(facts(R"({"pod-template-generation":"3"})").is_updated);
  EXPECT_FALSE(facts(R"({"pod-template-generation":"3"})").has_hash);
  EXPECT_FALSE(
      facts(R"({"controller-revision-hash":"g","pod-template-generation":"2"})").is_updated);
  EXPECT_FALSE(facts(R"({"pod-template-generation":3})").is_updated) << "not a string";
  EXPECT_FALSE(facts("{}").is_updated);
}

}  // namespace
}  // namespace davit::daemonset
