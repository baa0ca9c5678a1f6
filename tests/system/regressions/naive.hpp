/// Controllers with the faults that others were reported for. A regression test that passes with
/// davit has to fail with one of these in its place.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/system/world.hpp"

namespace davit::test {

/// A host with these controllers and no other.
[[nodiscard]] WorldOptions only(std::vector<std::string> controllers);
/// A host without the ReplicaSet controller.
[[nodiscard]] WorldOptions without_replica_sets();

/// Pods of `app` that are not being deleted.
[[nodiscard]] Record::Objects live_pods(const World& world, const std::string& app);

/// Makes the pods that the ReplicaSets of `app` want, and none that they have too many.
class NaiveReplicaSets {
 public:
  explicit NaiveReplicaSets(std::string app) : app_(std::move(app)) {}

  /// From now on it sees these pods and no other, and remembers for `memory` that it made some.
  void stall(Record::Objects pods, host::Duration memory);
  void operator()(World& world);
  static void make_pod(World& world, const sandbox::Json& set);

 private:
  const std::string app_;
  std::optional<Record::Objects> stalled_;  // What it saw last.
  host::Duration memory_{0};
  host::Time forgets_{};
};

}  // namespace davit::test
