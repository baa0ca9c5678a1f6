/// Watches a cluster while controllers work, for what must never be.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "host/object/object.hpp"
#include "host/object/object_space.hpp"
#include "lib/base/mutex.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// Follows the pods and ReplicaSets of namespace `default` through watches of its own, and notes
/// each breach of
///   - a ReplicaSet never has more pods that are not being deleted than the most replicas that its
///   spec ever had;
///   - the ReplicaSets of one Deployment never want more than `most_wanted` replicas together.
/// One of the two watches may come late, so pods and ReplicaSets are put in the order of their
/// resourceVersions, which etcd counts for all resources together, before they are judged.
/// Two threads; what they find is read under a lock.
class Invariants {
 public:
  Invariants(const ControlPlane& cluster, int most_wanted);
  ~Invariants();

  /// One line each; empty when all is well. Covers what has arrived so far: call it when idle.
  [[nodiscard]] std::vector<std::string> breaches() const;
  /// Pods seen in all, to show that the watch was at work.
  [[nodiscard]] std::size_t pods_seen() const;

 private:
  /// A write of a ReplicaSet or of one of its pods.
  struct Step {
    std::uint64_t version = 0;
    std::optional<int> told;  // Replicas; nothing: it is about the pod.
    std::string pod;          // UID.
    bool lives = false;       // The pod exists and is not being deleted.
  };

  void watch(const std::stop_token& stop, const std::string& resource);
  void on_pod(host::Value pod, std::uint64_t version, bool gone);
  void on_replica_set(host::Value set, std::uint64_t version, bool gone);
  void breach(const std::string& text);
  /// The first breach of the first of the two rules.
  [[nodiscard]] static std::optional<std::string> judge(std::vector<Step> steps);

  const ControlPlane& cluster_;
  const int most_wanted_;
  host::ObjectSpace space_;
  mutable Mutex mutex_;
  std::map<std::string, std::vector<Step>> steps_;  // The key is the UID of a ReplicaSet.
  std::map<std::string, std::map<std::string, int>>
      wanted_;  // UID of a Deployment → its sets' replicas.
  std::set<std::string> seen_;
  std::vector<std::string> breaches_;
  std::vector<std::jthread> threads_;
};

}  // namespace davit::live
