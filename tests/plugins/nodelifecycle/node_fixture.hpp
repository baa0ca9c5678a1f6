/// The node lifecycle controller with nodes that live as long as the test says.
#pragma once

#include <davit/kube/lease.hpp>
#include <davit/kube/taint.hpp>
#include <set>
#include <string>
#include <string_view>

#include "tests/plugins/nodelifecycle/fixture.hpp"

namespace davit::nodelifecycle {

/// The flags that the specification suggests: a pass each second, grace 6 s, at startup 8 s, rate
/// 100. Nodes that are alive renew their Leases each second.
class NodeTest : public ClusterTest {
 protected:
  static constexpr std::string_view kNotReadyKey = "node.kubernetes.io/not-ready";
  static constexpr std::string_view kUnreachableKey = "node.kubernetes.io/unreachable";

  void start(std::string_view more_config = "");
  void restart(std::string_view more_config = "");
  /// Runs so many seconds of the cluster's life.
  void live(int seconds);
  /// One step of it: those alive renew their Leases, then time continues.
  void live_for(Duration step);
  /// Past the grace period and one pass.
  void outlive() { live(8); }

  /// Adds a node with Ready=True that is alive; changed by a JSON merge patch.
  void add_ready(const std::string& name, std::string_view patch = "{}");
  /// The same in a zone of its own labels.
  void add_in_zone(const std::string& name, const std::string& zone);
  void stop(const std::string& name) { alive_.erase(name); }
  void revive(const std::string& name, std::string_view ready = "True");
  void renew(const std::string& name);
  /// Writes a condition with a heartbeat of now.
  void set_condition(const std::string& name, std::string_view type, std::string_view status);
  void add_ready_pod(const std::string& name, const std::string& node = "n1");

  [[nodiscard]] bool has(const std::string& node, std::string_view key,
                         std::string_view effect) const;
  [[nodiscard]] bool is_evicting(const std::string& node) const {
    return has(node, kUnreachableKey, kNoExecute);
  }
  [[nodiscard]] std::string time_added(const std::string& node, std::string_view key) const;
  /// Status of a node's Ready; empty when there is none.
  [[nodiscard]] std::string ready(const std::string& node) const {
    return condition(this->node(node), "Ready").text_at({"status"});
  }
  [[nodiscard]] int count_events(std::string_view text) const;

 private:
  std::set<std::string> alive_;
};

}  // namespace davit::nodelifecycle
