/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controllers under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/lease.hpp>

#include "plugins/storageversion/definition_status.hpp"
#include "plugins/storageversion/migration_plan.hpp"
#include "plugins/storageversion/storage_version_collector.hpp"
#include "plugins/storageversion/storage_version_migrator.hpp"
#include "plugins/storageversion/views.hpp"

namespace davit::storageversion {

/// The server sends only Leases that API servers hold. A migration may be of any resource.
constexpr void declare(Note& note) {
  note.plugin("storageversion", "0.1.0")
      .needs("davit.discovery/1")
      .controller({.name = "storageversion-garbage-collector-controller",
                   .factory = &StorageVersionCollector::open,
                   .aliases = {"storage-version-gc"},
                   .client_name = "storage-version-garbage-collector"})
      .rule<Lease>({"get"}, {.namespaces = {kIdentityNamespace}})
      .rule<StorageVersion>({"get", "list", "delete"})
      .rule<StorageVersion>({"patch"}, {.subresource = "status"})
      .watch<Lease>({"metadata.labels"}, {.label_selector = kIdentityLeases})
      .watch<StorageVersion>({"status.storageVersions"})
      .controller({.name = "storage-version-migrator-controller",
                   .factory = &StorageVersionMigrator::open,
                   .aliases = {"svm"},
                   .workers = 5})
      .rule(kEveryResource, {"list", "patch"})
      .rule<Definition>({"get"})
      .rule<Definition>({"patch"}, {.subresource = "status"})
      .rule<Migration>({"patch"}, {.subresource = "status"})
      .watch<Migration>(
          {"metadata.creationTimestamp", "metadata.generation", "spec.resource", "status"});
}

}  // namespace davit::storageversion
