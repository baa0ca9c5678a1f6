/// The same scenarios with kube-controller-manager and with davit: the same end states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <map>
#include <memory>
#include <sstream>
#include <thread>

#include "tests/live/oracle/scenarios.hpp"
#include "tests/live/oracle/snapshot.hpp"

namespace davit::live {
namespace {

enum class Peer { kControllerManager, kDavit };

/// What the cluster needs beside the controllers under test, in both runs.
constexpr char kSurroundings[] = "garbagecollector,namespace,resourcequota";
/// With the default rate kube-controller-manager's events trail minutes behind.
const std::vector<std::string>& rate() {
  static const std::vector<std::string> flags = {"--kube-api-qps=500", "--kube-api-burst=1000"};
  return flags;
}

/// Plays every scenario in a namespace of its own, all at once, and tells how each ended.
std::map<std::string, std::string> play_all(Peer peer) {
  ControlPlane cluster;
  const auto kubelet = cluster.kubelet({std::string("--stuck=") + kStuckImage});
  std::unique_ptr<Process> controllers;
  std::unique_ptr<Process> surroundings;
  if (peer == Peer::kControllerManager) {
    controllers =
        cluster.controller_manager(std::string(kSurroundings) + ",deployment,replicaset", rate());
  } else {
    surroundings = cluster.controller_manager(kSurroundings, rate());
    controllers = cluster.davit(rate());
  }
  std::map<std::string, std::string> ends;
  for (const Scenario& scenario : scenarios()) {
    cluster.must({"create", "namespace", scenario.name});
    ends[scenario.name];
  }
  // The processes are shared; what takes long is waiting for rest, so the scenarios wait side by
  // side.
  std::vector<std::jthread> players;
  for (const Scenario& scenario : scenarios()) {
    players.emplace_back([&cluster, &scenario, &end = ends[scenario.name]] {
      scenario.play(Stage(cluster, scenario.name));
      end = snapshot(cluster, scenario.name);
    });
  }
  players.clear();
  controllers->signal(SIGTERM);
  return ends;
}

/// What is only in one of two snapshots.
std::string difference(const std::string& ours, const std::string& theirs, Compare compare) {
  std::string out;
  const auto missing = [&](const std::string& from, const std::string& in, const char* mark) {
    std::istringstream lines(from);
    for (std::string line; std::getline(lines, line);) {
      if (compare == Compare::kObjects && line.starts_with("1x Event")) continue;
      if (in.find(line + "\n") == std::string::npos) out += mark + line + "\n";
    }
  };
  missing(theirs, ours, "only kube-controller-manager: ");
  missing(ours, theirs, "only davit:                   ");
  return out;
}

TEST(OracleTest, EveryScenarioEndsAsWithKubeControllerManager) {
  if (assets().empty()) GTEST_SKIP() << "KUBEBUILDER_ASSETS is not set";
  const std::map<std::string, std::string> theirs = play_all(Peer::kControllerManager);
  const std::map<std::string, std::string> ours = play_all(Peer::kDavit);
  for (const Scenario& scenario : scenarios()) {
    EXPECT_EQ(difference(ours.at(scenario.name), theirs.at(scenario.name), scenario.compare), "")
        << scenario.name;
    EXPECT_FALSE(ours.at(scenario.name).empty()) << scenario.name;
  }
}

}  // namespace
}  // namespace davit::live
