#include "plugins/storageversion/definition_status.hpp"

#include <davit/json_writer.hpp>
#include <davit/kube/condition.hpp>
#include <davit/mutant.hpp>
#include <utility>

namespace davit::storageversion {
namespace {

constexpr std::string_view kMigrating = "StorageMigrating";
constexpr std::string_view kRunningReason = "MigrationRunning";

std::string running_message(std::string_view migration) {
  return "Migration " + std::string(migration) + " is running";
}

std::optional<ConditionView> find_migrating(const Definition& definition) {
  return find_condition(definition.status()[&Names::conditions], kMigrating);
}

/// Whether the condition says that the migration runs. That of its end, or of another migration,
/// names a generation that says nothing about this one.
bool shows_run(const ConditionView& condition, std::string_view migration) {
  return condition.is_true() && condition.reason() == kRunningReason &&
         condition.message() == running_message(migration);
}

/// Whether the definition is the one that the migration began with.
bool is_unchanged(const Definition& definition) {
  const auto found = find_migrating(definition);
  return found && found->observed_generation() == definition.generation();
}

struct Words {
  std::string_view reason;
  std::string message;
};

Words words_of(const Definition& definition, MigrationStep step, std::string_view migration) {
  if (step == MigrationStep::kStarts) {
    return {kRunningReason, running_message(migration)};
  }
  if (step == MigrationStep::kFails) return {"MigrationFailed", "The migration has failed"};
  const char* const rest =
      is_unchanged(definition)
          ? " and the stored versions have been updated"
          : " but the stored versions have not been updated due to a generation mismatch";
  return {"MigrationSucceeded", std::string("The migration has succeeded") + rest};
}

}  // namespace

std::optional<std::string> definition_status(const Definition& definition, MigrationStep step,
                                             std::string_view migration, WallTime now) {
  if (const auto shown = find_migrating(definition); step != MigrationStep::kStarts && shown &&
                                                     !shows_run(*shown, migration) &&
                                                     !mutant("shown-end")) {
    return std::nullopt;
  }
  const Words words = words_of(definition, step, migration);
  JsonWriter out;
  out.begin_object();
  out.member("apiVersion", Definition::kResource.api_version());
  out.member("kind", Definition::kResource.kind);
  out.key("metadata").begin_object().member("name", definition.name());
  out.member("resourceVersion", definition.resource_version()).end_object();
  out.key("status").begin_object().key("conditions").begin_array();
  Condition{.type = std::string(kMigrating),
            .status = step == MigrationStep::kStarts ? "True" : "False",
            .reason = std::string(words.reason),
            .message = words.message,
            .last_transition_time = now,
            .last_update_time = std::nullopt,
            .observed_generation = definition.generation()}
      .write(out);
  out.end_array();
  // A failed migration has left objects in older versions: upstream forgets these versions (X6).
  const bool is_done = step == MigrationStep::kSucceeds ||
                       (step == MigrationStep::kFails && mutant("failed-migration"));
  if (is_done && (is_unchanged(definition) || mutant("moved-definition"))) {
    out.key("storedVersions").begin_array().string(definition.storage_version()).end_array();
  } else if (!mutant("stored-versions")) {
    out.member("storedVersions", definition.status()["storedVersions"]);
  }
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::storageversion
