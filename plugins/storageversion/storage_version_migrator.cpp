#include "plugins/storageversion/storage_version_migrator.hpp"

#include <davit/options.hpp>
#include <string>

#include "plugins/shared/gates/read_switch.hpp"

namespace davit::storageversion {
namespace {

constexpr std::string_view kMigratorSwitch = "storageVersionMigrator";
/// Two queues of upstream's share the name.
constexpr std::string_view kRunnerQueue = "resource-version-controller";
constexpr std::string_view kMigratorQueue = "storage-version-migrator-controller";

}  // namespace

InitResult StorageVersionMigrator::open(Context& cluster) {
  const Value config = cluster.config();
  if (Status s = check_options(config, {kMigratorSwitch}); !s.ok()) return s;
  const Result<bool> on = gates::read_switch(config, kMigratorSwitch);
  if (!on) return on.error();
  if (!*on) return cluster.skip("the feature gate StorageVersionMigrator is off");
  const Status served = cluster.client().resource_exists(Migration::kResource);
  if (served.code() == Code::kNotFound) return cluster.skip(served.message());
  return make<StorageVersionMigrator>(cluster);
}

StorageVersionMigrator::StorageVersionMigrator(Context& cluster)
    : runs_(cluster.open_queue({.name = kRunnerQueue, .workers = 1},
                               [this](const Key& key) { return runner_.run(key); })),
      checkpoints_(cluster.open_queue({.name = kRunnerQueue, .workers = 1},
                                      [this](const Key& key) { return sync_checkpoint(key); })),
      objects_(cluster.open_queue({.name = kMigratorQueue},
                                  [this](const Key& key) { return sync_objects(key); })),
      migrations_(cluster.open_informer<Migration>(
          {.added = [this](const Migration& migration) { add(migration); },
           .updated = [this](const Migration&, const Migration& migration) { add(migration); },
           .deleted = [this](const Migration& migration) { add_resource(migration); }})),
      runner_(cluster, migrations_),
      migrator_(cluster) {
  cluster.add_index(migrations_, MigrationRunner::kByResource, MigrationRunner::kResourcePath);
}

void StorageVersionMigrator::add(const Migration& migration) const {
  add_resource(migration);
  checkpoints_.add(migration);
  objects_.add(migration);
}

void StorageVersionMigrator::add_resource(const Migration& migration) const {
  runs_.add(Key{std::string(migration.group()), std::string(migration.resource())});
}

Result<Again> StorageVersionMigrator::sync_checkpoint(const Key& key) const {
  const Lookup<Migration> migration = migrations_.get(key);
  const bool is_due = migration && migration->is_running() && !migration->is_over() &&
                      migration->checkpoint().empty();
  return is_due ? migrator_.set_checkpoint(*migration) : Again::when_changed();
}

Result<Again> StorageVersionMigrator::sync_objects(const Key& key) const {
  const Lookup<Migration> migration = migrations_.get(key);
  const bool is_due = migration && migration->is_running() && !migration->is_over() &&
                      !migration->checkpoint().empty();
  return is_due ? migrator_.migrate(*migration) : Again::when_changed();
}

}  // namespace davit::storageversion
