#include "plugins/storageversion/migration_runner.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace davit::storageversion {
namespace {

constexpr int kAttemptsMax = 5;
constexpr std::chrono::milliseconds kPause{10};  // Between attempts.

}  // namespace

Result<Again> MigrationRunner::run(const Key& key) const {
  std::vector<Migration> all;
  for (const Migration& each : migrations_.by_index(kByResource, key.name)) {
    if (each.group() == key.ns) all.push_back(each);
  }
  const RunnerPlan plan = plan_run(all);
  for (const Migration& each : plan.to_finish) {
    if (Status s = finish(each); !s.ok()) return s;
  }
  if (plan.to_start) {
    if (Status s = start(*plan.to_start); !s.ok()) return s;
  }
  return Again::when_changed();
}

Status MigrationRunner::finish(const Migration& migration) const {
  const MigrationStep step =
      migration.has(kSucceeded) ? MigrationStep::kSucceeds : MigrationStep::kFails;
  if (Status s = mark(migration, step); !s.ok()) return s;
  return write_status(cluster_, migration, {.ends_run = true});
}

Status MigrationRunner::start(const Migration& migration) const {
  if (Status s = mark(migration, MigrationStep::kStarts); !s.ok()) return s;
  return write_status(
      cluster_, migration,
      {.condition = kRunning, .reason = "MigrationRunning", .message = "The migration is running"});
}

Status MigrationRunner::mark(const Migration& migration, MigrationStep step) const {
  const Key key{"", std::string(migration.resource()) + "." + std::string(migration.group())};
  if (migration.group().empty()) return {};  // Built in.
  for (int attempt = 1;; ++attempt) {
    const Result<Definition> definition = cluster_.client().get<Definition>(key);
    if (!definition) return definition.error().unless(Code::kNotFound);
    std::optional<std::string> status =
        definition_status(*definition, step, migration.name(), cluster_.wall_now());
    if (!status) return {};
    const Status applied = cluster_.client()
                               .patch<Definition>(key, PatchType::kApply, *std::move(status),
                                                  {.subresource = "status",
                                                   .answer = Answer::kMetadata,
                                                   .field_manager = "migration-runner-controller",
                                                   .force = true})
                               .error();
    if (applied.code() != Code::kConflict || attempt == kAttemptsMax) return applied;
    if (Status s = cluster_.pause(kPause); !s.ok()) return s;
  }
}

Status write_status(const Context& cluster, const Migration& migration,
                    const StatusChange& change) {
  return cluster.client()
      .patch<Migration>(migration.key(), PatchType::kMerge,
                        status_patch(migration, change, cluster.wall_now()),
                        {.subresource = "status", .answer = Answer::kMetadata})
      .error();
}

}  // namespace davit::storageversion
