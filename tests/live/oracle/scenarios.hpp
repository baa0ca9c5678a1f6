/// The scenarios that kube-controller-manager and davit both play.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// Runs kubectl in the scenario's namespace, and waits for the controllers to come to rest.
class Stage {
 public:
  Stage(const ControlPlane& cluster, std::string ns) : cluster_(cluster), ns_(std::move(ns)) {}

  /// kubectl ARGS in the namespace; ends the test program when it fails. Does not wait.
  void act(std::vector<std::string> args, const std::string& input = "") const;
  /// Waits until nothing changes any more.
  void rest() const;
  /// Waits until `jsonpath` of the object reads `value`.
  void wait_for(const std::string& object, const std::string& jsonpath,
                const std::string& value) const;

  [[nodiscard]] const ControlPlane& cluster() const { return cluster_; }
  [[nodiscard]] const std::string& ns() const { return ns_; }

 private:
  const ControlPlane& cluster_;
  const std::string ns_;
};

/// Where the user is faster than the controllers, it is chance which steps happen; the end is the
/// same.
enum class Compare { kObjectsAndEvents, kObjects };

struct Scenario {
  std::string name;  ///< Also the namespace: lower case and dashes.
  std::function<void(const Stage&)> play;
  Compare compare = Compare::kObjectsAndEvents;
};

/// The image that never becomes ready.
inline constexpr char kStuckImage[] = "nginx:stuck";

[[nodiscard]] const std::vector<Scenario>& scenarios();

}  // namespace davit::live
