/// The part of the migrator that has the server write every object of a resource again.
#pragma once

#include <cstdint>
#include <davit/context.hpp>
#include <davit/discovery.hpp>
#include <davit/kube/resource.hpp>
#include <optional>
#include <string>

#include "plugins/storageversion/migration_plan.hpp"

namespace davit::storageversion {

/// Keeps nothing between calls: the status of a migration has all that the next host needs. Rule:
/// docs/spec/cluster-controllers.md, D2 and D3.
class ObjectMigrator {
 public:
  /// Borrows the context.
  explicit ObjectMigrator(Context& cluster) : cluster_(cluster) {}

  /// Writes the checkpoint of a migration that runs.
  [[nodiscard]] Result<Again> set_checkpoint(const Migration& migration) const;
  /// Migrates the objects that are not newer.
  [[nodiscard]] Result<Again> migrate(const Migration& migration) const;

 private:
  /// A resource that discovery lacks: whether it may come, or a complete and fresh response says
  /// that it is not there.
  enum class Absence : std::uint8_t { kMayEnd, kCertain };
  struct Found {
    std::optional<ServedResource> resource;
    Absence absence = Absence::kMayEnd;  ///< Without a resource.
  };

  /// The resource as the server offers it.
  [[nodiscard]] Result<Found> find(const Migration& migration) const;
  /// A resource that is missing in discovery for less than a minute may be a new one.
  [[nodiscard]] bool may_come(const Migration& migration) const;
  /// Whether a list that met `error` may succeed when the server has learnt a new resource.
  [[nodiscard]] bool is_unknown(const Migration& migration, const Status& error) const;
  /// Asks discovery again, and repeats the sync after a pause.
  [[nodiscard]] Result<Again> look_again() const;
  /// The error that the migration is tried again after; ok: it is complete, or has failed and
  /// `failure` says why.
  [[nodiscard]] Status migrate_all(const Resource& resource, const Migration& migration,
                                   std::string& failure) const;
  [[nodiscard]] Status migrate_one(const Resource& resource, const ObjectView& object) const;
  [[nodiscard]] Result<Again> fail(const Migration& migration, std::string message) const;

  Context& cluster_;
};

}  // namespace davit::storageversion
