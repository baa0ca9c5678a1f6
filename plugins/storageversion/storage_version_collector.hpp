/// The garbage collector of StorageVersions: removes the entries of API servers that are gone.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>
#include <davit/kube/lease.hpp>
#include <string_view>

#include "plugins/storageversion/status_plan.hpp"
#include "plugins/storageversion/views.hpp"

namespace davit::storageversion {

/// The caches only say where to look: every decision reads the server. Keeps nothing between syncs.
/// Rule: docs/spec/cluster-controllers.md, part C.
class StorageVersionCollector final : public Controller {
 public:
  /// Skipped unless its feature gate is on and the server has the resource.
  [[nodiscard]] static InitResult open(Context& cluster);

  explicit StorageVersionCollector(Context& cluster);

 private:
  void add_version(const StorageVersion& object) const;

  [[nodiscard]] Result<Again> sync_lease(const Key& key) const;
  [[nodiscard]] Result<Again> sync_version(const Key& key) const;
  /// Whether the server is gone, as the API server says now.
  [[nodiscard]] Result<bool> is_gone(std::string_view server) const;
  [[nodiscard]] Status remove_entries(const StorageVersion& object, const Servers& gone) const;

  Context& cluster_;
  Queue leases_queue_;
  Queue versions_queue_;
  Informer<Lease> leases_;
  Informer<StorageVersion> versions_;
};

}  // namespace davit::storageversion
