/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/kube/lease.hpp>

#include "plugins/storageversion/storage_version_collector.hpp"
#include "plugins/storageversion/views.hpp"

namespace davit::storageversion {

/// The server sends only Leases that API servers hold.
constexpr void declare(Note& note) {
  note.plugin("storageversion", "0.1.0")
      .controller({.name = "storageversion-garbage-collector-controller",
                   .factory = &StorageVersionCollector::open,
                   .aliases = {"storage-version-gc"},
                   .client_name = "storage-version-garbage-collector"})
      .rule<Lease>({"get"}, {.namespaces = {kIdentityNamespace}})
      .rule<StorageVersion>({"get", "list", "delete"})
      .rule<StorageVersion>({"patch"}, {.subresource = "status"})
      .watch<Lease>({"metadata.labels"}, {.label_selector = kIdentityLeases})
      .watch<StorageVersion>({"status.storageVersions"});
}

}  // namespace davit::storageversion
