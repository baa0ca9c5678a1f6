/// The part of the migrator that lets the migrations of a resource run one after the other.
#pragma once

#include <davit/context.hpp>
#include <string_view>

#include "plugins/storageversion/definition_status.hpp"
#include "plugins/storageversion/migration_plan.hpp"

namespace davit::storageversion {

/// Keeps nothing between calls. Rule: docs/spec/cluster-controllers.md, D1 and D4.
class MigrationRunner {
 public:
  /// Borrows both.
  MigrationRunner(Context& cluster, const Informer<Migration>& migrations)
      : cluster_(cluster), migrations_(migrations) {}

  /// The index of migrations by resource that run() reads, and its path.
  static constexpr std::string_view kByResource = "resource";
  static constexpr std::string_view kResourcePath = "spec.resource.resource";

  /// `key`: group and resource.
  [[nodiscard]] Result<Again> run(const Key& key) const;

 private:
  [[nodiscard]] Status finish(const Migration& migration) const;
  [[nodiscard]] Status start(const Migration& migration) const;
  /// Shows the step in the resource's definition, if it has one.
  [[nodiscard]] Status mark(const Migration& migration, MigrationStep step) const;

  Context& cluster_;
  const Informer<Migration>& migrations_;
};

/// The patch of a migration's status.
[[nodiscard]] Status write_status(const Context& cluster, const Migration& migration,
                                  const StatusChange& change);

}  // namespace davit::storageversion
