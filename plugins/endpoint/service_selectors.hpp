/// Finds the Services that may select a pod without looking through all of its namespace.
#pragma once

#include <davit/key.hpp>
#include <davit/kube/service.hpp>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/endpoint/pod_changes.hpp"

namespace davit::endpoint {

/// An index of Services by one label of their selector each, the one that the fewest others are
/// under. A pod that a Service selects has that label. Upstream looks through all Services of the
/// namespace for each change of a pod; with thousands of them that was most of a rollout's cost.
///
/// Filled by the handlers, so it may be behind the cache: the handler of the Service adds its key
/// then. Rebuilt from the first contents after a restart or swap. Thread-safe.
class ServiceSelectors {
 public:
  void put(const Service& service);
  void erase(const Service& service);

  /// All Services of `ns` that select a pod with `labels`, and others that have one of the labels
  /// in their selector.
  [[nodiscard]] std::set<Key> candidates(std::string_view ns, const Labels& labels) const;

 private:
  void erase_locked(const Key& key);

  mutable std::mutex mutex_;
  // Guarded by mutex_. The second one holds for each Service its place in the first one.
  std::map<std::string, std::set<Key>, std::less<>> places_;
  std::map<Key, std::string> place_of_;
};

}  // namespace davit::endpoint
