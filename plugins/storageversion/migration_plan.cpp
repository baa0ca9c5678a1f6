#include "plugins/storageversion/migration_plan.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <utility>

namespace davit::storageversion {
namespace {

bool is_older(const Migration& a, const Migration& b) {
  const std::optional<WallTime> left = a.creation_time();
  const std::optional<WallTime> right = b.creation_time();
  return left != right ? left < right : a.name() < b.name();
}

bool is_number(std::string_view text) {
  return !text.empty() && text.front() != '0' &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

RunnerPlan plan_run(const std::vector<Migration>& migrations) {
  RunnerPlan out;
  bool any_runs = false;
  for (const Migration& each : migrations) {
    const bool is_running = each.is_running();
    const bool is_over = each.is_over();
    if (is_running && is_over) {
      out.to_finish.push_back(each);
    } else if (is_running) {
      any_runs = true;
    } else if (!is_over && (!out.to_start || is_older(each, *out.to_start))) {
      out.to_start = each;
    }
  }
  if (any_runs) out.to_start.reset();
  return out;
}

std::optional<std::strong_ordering> compare_versions(std::string_view a, std::string_view b) {
  if (!is_number(a) || !is_number(b)) return std::nullopt;
  return a.size() != b.size() ? a.size() <=> b.size() : a.compare(b) <=> 0;
}

std::string version_error(std::string_view version) {
  if (is_number(version)) return {};
  return "resource version is not well formed: " + std::string(version);
}

std::string status_patch(const Migration& migration, const StatusChange& change, WallTime now) {
  ConditionList conditions(migration.status()[&Names::conditions]);
  if (change.ends_run) {
    // Servers count no generations of migrations, and then upstream names none.
    const std::int64_t generation = migration.generation();
    conditions.replace(
        {.type = std::string(kRunning),
         .status = "False",
         .reason = "MigrationCompleted",
         .message = "Migration completed",
         .last_transition_time = now,
         .last_update_time = std::nullopt,
         .observed_generation = generation == 0 ? std::nullopt : std::optional(generation)});
  }
  if (!change.condition.empty()) {
    const Condition* const old = conditions.find(change.condition);
    if (old == nullptr || (old->status != "True" && old->status != "False")) {
      conditions.replace({.type = std::string(change.condition),
                          .status = "True",
                          .reason = std::string(change.reason),
                          .message = change.message,
                          .last_transition_time = now,
                          .last_update_time = std::nullopt});
    }
  }
  JsonWriter out;
  out.begin_object().key("metadata").begin_object();
  out.member("uid", migration.uid()).member("resourceVersion", migration.resource_version());
  out.end_object().key("status").begin_object();
  out.key("conditions");
  conditions.write(out);
  if (!change.checkpoint.empty()) out.member("resourceVersion", change.checkpoint);
  out.end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::storageversion
