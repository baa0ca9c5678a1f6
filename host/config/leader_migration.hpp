/// The configuration of leader migration: which component runs which controller.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/yaml.hpp"

namespace davit::host {

/// The lease under which a controller runs here, if it does. k8s.io/controller-manager/pkg/
/// leadermigration.FilterResult.
enum class ControllerLease { kMain, kMigration, kElsewhere };

/// `kind: LeaderMigrationConfiguration` of controllermanager.config.k8s.io, which several
/// controller managers share. Rule: docs/spec/host.md, section 7.
struct LeaderMigration {
  std::string leader_name;  ///< The lease of the migration.
  /// Keyed by the controller's name; "*" is any component. The last of several entries counts.
  std::map<std::string, std::string> components;

  /// `component` is this one, which is named as its main lease.
  [[nodiscard]] ControllerLease lease_of(std::string_view controller,
                                         std::string_view component) const;
  friend bool operator==(const LeaderMigration&, const LeaderMigration&) = default;
};

/// Either a configuration without mistakes, or all its mistakes.
struct LeaderMigrationResult {
  LeaderMigration migration;
  std::vector<Mistake> mistakes;
};

/// The configuration that applies without a file: controllers of clouds only.
[[nodiscard]] LeaderMigration default_leader_migration();

[[nodiscard]] LeaderMigrationResult load_leader_migration(const std::string& path);
/// As load_leader_migration(), for text that came from `path`.
[[nodiscard]] LeaderMigrationResult parse_leader_migration(std::string_view text,
                                                           const std::string& path);

}  // namespace davit::host
