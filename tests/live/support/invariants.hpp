/// Watches a cluster while controllers work, for what must never be.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "host/base/mutex.hpp"
#include "host/object/object.hpp"
#include "host/object/object_space.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// Follows the pods and ReplicaSets of namespace `default` through watches of its own, and notes
/// each breach of
///   - a ReplicaSet never has more pods that are not being deleted than the most replicas it was
///   ever told to have;
///   - the ReplicaSets of one Deployment never want more than `most_wanted` replicas together.
/// Two threads; what they find is read under a lock.
class Invariants {
 public:
  Invariants(const ControlPlane& cluster, int most_wanted);
  ~Invariants();

  /// One line each; empty when all is well.
  [[nodiscard]] std::vector<std::string> breaches() const;
  /// Pods seen in all, to show that the watch was at work.
  [[nodiscard]] std::size_t pods_seen() const;

 private:
  void follow(const std::stop_token& stop, const std::string& resource);
  void on_pod(host::Value pod, bool gone);
  void on_replica_set(host::Value set, bool gone);
  void breach(const std::string& text);

  const ControlPlane& cluster_;
  const int most_wanted_;
  host::ObjectSpace space_;
  mutable host::Mutex mutex_;
  std::map<std::string, std::set<std::string>> pods_;  // UID of the owner → UIDs of its pods.
  std::map<std::string, int> most_told_;  // UID of a ReplicaSet → its largest spec.replicas.
  std::map<std::string, std::map<std::string, int>>
      wanted_;  // UID of a Deployment → its sets' replicas.
  std::set<std::string> seen_;
  std::vector<std::string> breaches_;
  std::vector<std::jthread> threads_;
};

}  // namespace davit::live
