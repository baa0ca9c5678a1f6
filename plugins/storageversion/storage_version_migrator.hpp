/// The controller of StorageVersionMigrations: has every object of a resource written again, so
/// that all are stored in the present version.
#pragma once

#include <davit/context.hpp>
#include <davit/controller.hpp>

#include "plugins/storageversion/migration_plan.hpp"
#include "plugins/storageversion/migration_runner.hpp"
#include "plugins/storageversion/object_migrator.hpp"

namespace davit::storageversion {

/// Three loops over the same objects: one starts and ends them, one sets the checkpoint, one
/// migrates. Keeps nothing between syncs. Rule: docs/spec/cluster-controllers.md, part D.
class StorageVersionMigrator final : public Controller {
 public:
  /// Skipped unless its feature gate is on and the server has the resource.
  [[nodiscard]] static InitResult open(Context& cluster);

  explicit StorageVersionMigrator(Context& cluster);

 private:
  void add(const Migration& migration) const;
  void add_resource(const Migration& migration) const;
  [[nodiscard]] Result<Again> sync_checkpoint(const Key& key) const;
  [[nodiscard]] Result<Again> sync_objects(const Key& key) const;

  Queue runs_;
  Queue checkpoints_;
  Queue objects_;
  Informer<Migration> migrations_;
  MigrationRunner runner_;
  ObjectMigrator migrator_;
};

}  // namespace davit::storageversion
