#include "plugins/storageversion/storage_version_collector.hpp"

#include <algorithm>
#include <davit/options.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plugins/shared/gates/read_switch.hpp"

namespace davit::storageversion {
namespace {

constexpr std::string_view kGateSwitch = "storageVersionAPI";

}  // namespace

InitResult StorageVersionCollector::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_options(config, {kGateSwitch}); !s.ok()) return s;
  const Result<bool> on = gates::read_switch(config, kGateSwitch);
  if (!on) return on.error();
  if (!*on) return cluster.skip("the feature gate StorageVersionAPI is off");
  const Status served = cluster.client().resource_exists(StorageVersion::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  return make<StorageVersionCollector>(cluster);
}

StorageVersionCollector::StorageVersionCollector(Context& cluster)
    : cluster_(cluster),
      leases_queue_(cluster.open_queue({.name = "storage_version_garbage_collector_leases"},
                                       [this](const Key& key) { return sync_lease(key); })),
      versions_queue_(
          cluster.open_queue({.name = "storage_version_garbage_collector_storageversions"},
                             [this](const Key& key) { return sync_version(key); })),
      leases_(cluster.open_informer<Lease>({.deleted =
                                                [this](const Lease& lease) {
                                                  if (is_identity(lease)) leases_queue_.add(lease);
                                                }},
                                           {.label_selector = kIdentityLeases})),
      versions_(cluster.open_informer<StorageVersion>(
          {.added = [this](const StorageVersion& object) { add_version(object); },
           .updated = [this](const StorageVersion&,
                             const StorageVersion& object) { add_version(object); }})) {}

void StorageVersionCollector::add_version(const StorageVersion& object) const {
  for (const std::string& each : servers_of(object)) {
    const Lookup<Lease> lease = leases_.get(kIdentityNamespace, each);
    if (!lease || !is_identity(*lease)) return versions_queue_.add(object);
  }
}

Result<bool> StorageVersionCollector::is_gone(std::string_view server) const {
  const Result<Lease> lease =
      cluster_.client().get<Lease>({std::string(kIdentityNamespace), std::string(server)});
  if (lease) return !is_identity(*lease);
  if (lease.error().code() == Code::kNotFound) return true;
  return lease.error();  // It may be there: upstream takes it for gone (X5).
}

Result<Again> StorageVersionCollector::sync_lease(const Key& key) const {
  const Result<bool> is_over = is_gone(key.name);
  if (!is_over) return is_over.error();
  if (!*is_over) return Again::when_changed();
  const Result<std::vector<StorageVersion>> all = cluster_.client().list<StorageVersion>("");
  if (!all) return all.error();
  Status first;
  for (const StorageVersion& each : *all) {
    if (!servers_of(each).contains(key.name)) continue;
    const Status removed = remove_entries(each, {key.name});
    if (first.ok()) first = removed;
  }
  if (!first.ok()) return first;
  return Again::when_changed();
}

Result<Again> StorageVersionCollector::sync_version(const Key& key) const {
  const Result<StorageVersion> object = cluster_.client().get<StorageVersion>(key);
  if (!object) {
    const Status error = object.error().unless(Code::kNotFound);
    if (!error.ok()) return error;
    return Again::when_changed();
  }
  Servers gone;
  for (const std::string& each : servers_of(*object)) {
    const Result<bool> is_over = is_gone(each);
    if (!is_over) return is_over.error();
    if (*is_over) gone.insert(each);
  }
  if (gone.empty()) return Again::when_changed();
  if (Status s = remove_entries(*object, gone); !s.ok()) return s;
  return Again::when_changed();
}

Status StorageVersionCollector::remove_entries(const StorageVersion& object,
                                               const Servers& gone) const {
  const Servers all = servers_of(object);
  const bool any_left =
      std::ranges::any_of(all, [&](const std::string& each) { return !gone.contains(each); });
  if (!any_left) {
    // A server that has just added its entry keeps the object: 409.
    return cluster_.client()
        .remove<StorageVersion>(object.key(),
                                {.uid = std::string(object.uid()),
                                 .resource_version = std::string(object.resource_version())})
        .unless(Code::kNotFound);
  }
  return cluster_.client()
      .patch<StorageVersion>(object.key(), PatchType::kMerge,
                             patch_without(object, gone, cluster_.wall_now()),
                             {.subresource = "status", .answer = Answer::kMetadata})
      .error();
}

}  // namespace davit::storageversion
