/// The controller's memory of the Services that it has synced.
#pragma once

#include <cstddef>
#include <davit/cloud_data.hpp>
#include <davit/key.hpp>
#include <davit/kube/service.hpp>
#include <davit/time.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/cloud/node_set.hpp"

namespace davit::cloud {

/// A Service as its last sync saw it, kept beyond its end: its load balancer has to be removed even
/// if nothing of the Service is left. Rule: docs/spec/cloud.md, A3. Lost at a restart and at a
/// swap, after which each Service is ensured once.
class ServiceMemory {
 public:
  /// `classes`: those of the provider.
  explicit ServiceMemory(LoadBalancerClasses classes) : classes_(std::move(classes)) {}

  /// The object of the last sync; absent: the Service is not known. The syncs and updates of one
  /// Service, which never run at once, may call it.
  [[nodiscard]] std::optional<Service> known(const Key& key) const;
  /// The Service as it is now; what else is known of it stays, unless it is another one.
  void remember(const Key& key, const Service& service);
  void forget(const Key& key);

  [[nodiscard]] bool is_known(const Key& key) const;
  [[nodiscard]] std::size_t size() const;

  // ---- Nodes

  /// The Nodes that the provider gets for it now.
  void set_nodes(const Key& key, NodeSet nodes);
  /// Whether it would get others than before.
  [[nodiscard]] bool has_other_nodes(const Key& key, const NodeSet& nodes) const;
  /// The known Services that want a load balancer and have got others than `nodes`.
  [[nodiscard]] std::vector<Key> stale(const NodeSet& nodes) const;

  // ---- Writes of others to the status (D3)

  /// The ingress that a sync is about to write, in comparable form, to a Service that has
  /// `present`.
  void expect_ingress(const Key& key, const std::string& ingress, std::string_view present);
  /// It may be anything.
  void expect_any_ingress(const Key& key);
  /// The Service has this ingress now. When its sync may put that right; nothing: it is what was
  /// written, or is not known to have been there yet.
  [[nodiscard]] std::optional<Time> foreign_ingress(const Key& key, const std::string& ingress,
                                                    Time now);

 private:
  struct Entry {
    Retained object;  // Changed by the syncs of the Service only.
    std::string uid;
    bool wants = false;
    std::optional<NodeSet> nodes;
    std::optional<std::string> ingress;
    bool is_seen = false;  // The cache has shown `ingress`.
    std::optional<Time> repaired;
  };
  [[nodiscard]] const Entry* find(const Key& key) const;

  const LoadBalancerClasses classes_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;  // The key's text; guarded.
};

}  // namespace davit::cloud
