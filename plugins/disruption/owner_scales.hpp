/// The scales of pods' owners: how many pods there should be.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/kube/deployment.hpp>
#include <davit/kube/owner_reference.hpp>
#include <davit/kube/pod.hpp>
#include <davit/kube/replica_set.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plugins/disruption/workloads.hpp"

namespace davit::disruption {

/// The group of "group/version"; empty for the core group. kInvalid for another form.
[[nodiscard]] Result<std::string_view> group_of(std::string_view api_version);

struct ScaleSum {
  std::int64_t total = 0;
  std::vector<std::string> unmanaged;  ///< Names of the pods without a controller.
};

/// Finds owners in the caches of the usual kinds, and reads the scale of all others from the
/// server. Keeps nothing between calls.
class OwnerScales {
 public:
  /// For a controller's constructor. `cluster` must outlive this.
  explicit OwnerScales(Context& cluster);

  /// The sum over the controllers of these pods, each counted once. For syncs. An error if one of
  /// them cannot be found or has no scale. Rule: docs/spec/disruption.md, section 6.
  [[nodiscard]] Result<ScaleSum> sum(std::span<const Pod> pods) const;

 private:
  struct Scale {
    std::string uid;
    std::int64_t replicas = 0;
  };
  /// Nothing if this source does not know the owner.
  using Found = Result<std::optional<Scale>>;

  [[nodiscard]] Found find(std::string_view ns, const OwnerReference& owner) const;
  [[nodiscard]] Found in_caches(std::string_view ns, const OwnerReference& owner,
                                std::string_view group) const;
  [[nodiscard]] Found of_replica_set(std::string_view ns, const OwnerReference& owner) const;
  /// The subresource "scale" of an owner of any kind.
  [[nodiscard]] Found on_server(std::string_view ns, const OwnerReference& owner) const;
  /// The resource of the owner's kind, if need be after the server was asked again what it has.
  [[nodiscard]] Result<ServedResource> resource_of(const OwnerReference& owner) const;

  Context& cluster_;
  const Informer<ReplicationController> replication_controllers_;
  const Informer<ReplicaSet> replica_sets_;
  const Informer<Deployment> deployments_;
  const Informer<StatefulSet> stateful_sets_;
};

}  // namespace davit::disruption
