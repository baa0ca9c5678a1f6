/// The plugin's controllers in the in-memory cluster, under the rights and projections of its note.
#pragma once

#include <gtest/gtest.h>

#include <davit/kube/node.hpp>
#include <davit/kube/pod.hpp>
#include <davit/testing/cluster.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/nodelifecycle/note.hpp"

namespace davit::nodelifecycle {

using Json = davit::testing::Json;

/// Pods are in the namespace "ns" and on the node "n1" unless a patch says otherwise.
class ClusterTest : public ::testing::Test {
 protected:
  ClusterTest() : cluster_({.note = note_text<nodelifecycle::declare>()}) {}

  void TearDown() override { EXPECT_EQ(cluster_.violations(), std::vector<std::string>()); }

  [[nodiscard]] testing::Cluster& cluster() { return cluster_; }
  [[nodiscard]] WallTime now() const { return cluster_.wall_now(); }

  void start_eviction();
  void restart_eviction();
  void run_until_idle() { cluster_.run_until_idle(); }
  void advance(Duration duration) { cluster_.advance(duration); }

  /// Adds a node without taints and conditions, changed by a JSON merge patch.
  void add_node(const std::string& name, std::string_view patch = "{}");
  void edit_node(const std::string& name, std::string_view patch);
  /// Replaces the node's taints; `taints` is the inside of a JSON array.
  void taint(std::string_view taints, const std::string& name = "n1");
  /// Adds a pod; `tolerations` is the inside of a JSON array.
  void add_pod(const std::string& name, std::string_view tolerations = "",
               std::string_view patch = "{}");
  void edit_pod(const std::string& name, std::string_view patch);
  void tolerate(const std::string& name, std::string_view tolerations);

  [[nodiscard]] Json node(const std::string& name = "n1") const;
  [[nodiscard]] Json pod(const std::string& name) const;
  [[nodiscard]] bool is_evicted(const std::string& name) const;
  /// The condition of this type in an object's status; null when there is none.
  [[nodiscard]] static Json condition(const Json& object, std::string_view type);
  /// "Normal NodeNotReady …", of every event so far.
  [[nodiscard]] std::vector<std::string> events() const { return cluster_.event_texts(); }
  [[nodiscard]] static std::string marking(const std::string& pod) {
    return "Normal TaintManagerEviction Marking for deletion Pod ns/" + pod;
  }
  [[nodiscard]] static std::string cancelling(const std::string& pod) {
    return "Normal TaintManagerEviction Cancelling deletion of Pod ns/" + pod;
  }

  static constexpr std::string_view kX = R"({"key":"example.com/x","effect":"NoExecute"})";
  static constexpr std::string_view kY = R"({"key":"example.com/y","effect":"NoExecute"})";
  /// A toleration of kX; with seconds unless they are empty.
  [[nodiscard]] static std::string tolerates_x(std::string_view seconds = "");
  [[nodiscard]] static std::string tolerates(std::string_view key, std::string_view seconds = "");

 private:
  testing::Cluster cluster_;
};

}  // namespace davit::nodelifecycle
