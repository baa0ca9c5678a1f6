#include "plugins/storageversion/object_migrator.hpp"

#include <algorithm>
#include <chrono>
#include <davit/json_writer.hpp>
#include <davit/mutant.hpp>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "plugins/storageversion/migration_runner.hpp"

namespace davit::storageversion {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kManager = "storage-version-migrator-controller";
constexpr std::string_view kVerbs[] = {"update", "patch", "list"};
/// Objects of a page, as client-go lists them.
constexpr std::uint64_t kPageItems = 500;
/// The pause before discovery is asked again for a resource.
constexpr std::chrono::seconds kDiscoveryPause{5};

Resource resource_of(const ServedResource& served) {
  return {served.group(), served.version(), served.resource(), served.kind()};
}

/// "apps/v1, Resource=deployments"
std::string text_of(const ServedResource& served) {
  return std::string(served.group()) + "/" + std::string(served.version()) +
         ", Resource=" + std::string(served.resource());
}

/// Whether the server refused for good, as opposed to an error that the next attempt may not meet.
bool is_final(const Status& error) {
  constexpr int kTimeout = 408;
  constexpr int kExpired = 410;  // A list whose next page is asked for too late.
  constexpr int kTooMany = 429;
  constexpr int kServerErrors = 500;
  const ApiDetail* const detail = error.detail();
  if (detail == nullptr) return false;  // No response, or none that is one.
  const int status = detail->http_status;
  return status >= 400 && status < kServerErrors && status != kTimeout && status != kExpired &&
         status != kTooMany;
}

Result<Again> retry(const Status& error) {
  const ApiDetail* const detail = error.detail();
  if (detail == nullptr || detail->retry_after_ms == 0) return error;
  return Again::after(std::chrono::milliseconds(detail->retry_after_ms)).keeping_backoff();
}

}  // namespace

Result<ObjectMigrator::Found> ObjectMigrator::find(const Migration& migration) const {
  const Result<ServedResource> known =
      cluster_.discovery().find(migration.group(), "", migration.resource());
  if (known) return Found{*known};
  if (known.error().code() != Code::kNotFound) return known.error();
  if (may_come(migration)) return Found{std::nullopt, Absence::kMayEnd};
  // The last word: only a complete and fresh answer ends the migration.
  const Result<ServedCatalog> fresh = cluster_.discovery().fetch();
  if (!fresh) return fresh.error();
  for (const ServedResource& each : fresh->resources) {
    if (each.group() == migration.group() && each.resource() == migration.resource()) {
      return Found{each};
    }
  }
  for (const UnknownVersion& each : fresh->unknown) {
    if (each.group == migration.group()) {
      return Status(Code::kUnavailable, "discovery of " + std::string(each.group) + "/" +
                                            std::string(each.version) +
                                            " has failed: " + std::string(each.why));
    }
  }
  return Found{std::nullopt, Absence::kCertain};
}

bool ObjectMigrator::may_come(const Migration& migration) const {
  const std::optional<WallTime> created = migration.creation_time();
  return created && *created + kDiscoveryTime > cluster_.wall_now();
}

bool ObjectMigrator::is_unknown(const Migration& migration, const Status& error) const {
  return error.code() == Code::kNotFound && may_come(migration);
}

Result<Again> ObjectMigrator::look_again() const {
  cluster_.discovery().refresh();
  return Again::after(kDiscoveryPause);
}

Result<Again> ObjectMigrator::set_checkpoint(const Migration& migration) const {
  const Result<Found> found = find(migration);
  if (!found) return found.error();
  const std::optional<ServedResource>& served = found->resource;
  if (!served) {
    if (found->absence == Absence::kMayEnd) return look_again();
    return fail(migration, "resource does not exist in discovery");
  }
  const bool has_all =
      std::ranges::all_of(kVerbs, [&](std::string_view verb) { return served->has_verb(verb); });
  if (!has_all) {
    return fail(migration, "resource \"" + text_of(*served) +
                               "\" does not support discovery operations: [update patch list]");
  }
  Request list = Request::list(resource_of(*served), "", {.answer = Answer::kMetadata, .limit = 1});
  const Result<Value> page = cluster_.client().call(list);
  if (!page && is_unknown(migration, page.error())) return look_again();
  if (!page && is_final(page.error())) {
    return fail(migration, "error getting latest resourceVersion for " + text_of(*served) + ": " +
                               page.error().message());
  }
  if (!page) return retry(page.error());
  std::string checkpoint((*page)[&Names::metadata][&Names::resource_version].string());
  if (const std::string error = version_error(checkpoint); !error.empty()) {
    return fail(migration,
                "latest resourceVersion for " + text_of(*served) + " is not valid: " + error);
  }
  const Status written = write_status(cluster_, migration, {.checkpoint = std::move(checkpoint)});
  if (!written.ok()) return written;
  return Again::when_changed();
}

Result<Again> ObjectMigrator::migrate(const Migration& migration) const {
  const Result<Found> found = find(migration);
  if (!found) return found.error();
  constexpr std::string_view kFailure = "migration encountered unhandled error: ";
  if (!found->resource) {
    if (found->absence == Absence::kMayEnd) return look_again();
    return fail(migration, std::string(kFailure) + "unable to obtain GVR from discovery");
  }
  std::string failure;
  const Status done = migrate_all(resource_of(*found->resource), migration, failure);
  if (failure.empty() && is_unknown(migration, done)) return look_again();
  if (failure.empty() && is_final(done)) failure = done.message();
  if (!failure.empty()) return fail(migration, std::string(kFailure) + failure);
  if (!done.ok()) return retry(done);
  const Status written = write_status(
      cluster_, migration,
      {.condition = kSucceeded, .reason = "StorageVersionMigrationSucceeded", .message = ""});
  if (!written.ok()) return written;
  return Again::when_changed();
}

Status ObjectMigrator::migrate_all(const Resource& resource, const Migration& migration,
                                   std::string& failure) const {
  const std::string checkpoint(migration.checkpoint());
  // An apply that changes nothing leaves the version of its object, so a list that restarts
  // would have all of these applied again, and might never come to its end.
  std::unordered_set<std::string> applied;
  const auto migrate_page = [&](const Page& page) -> Status {
    for (const Value each : page.items()) {
      const ObjectView object(each);
      const auto order = compare_versions(object.resource_version(), checkpoint);
      if (!order) {
        failure = version_error(object.resource_version());
        if (failure.empty()) failure = version_error(checkpoint);
        return Status(Code::kInvalid, failure);
      }
      if (std::is_gt(*order) || !applied.emplace(object.uid()).second) continue;
      const Status migrated = migrate_one(resource, object);
      if (migrated.ok()) continue;
      if (is_final(migrated)) failure = migrated.message();
      return migrated;
    }
    return {};
  };
  Request request = Request::list(
      resource, "", {.answer = Answer::kMetadata, .limit = kPageItems, .priority = Priority::kLow});
  bool has_more = true;
  // Pages since the list began, and the most of an earlier list. One that expires before it has
  // come further than that may never come to its end: the next attempt comes after a pause.
  std::size_t pages = 0;
  std::size_t furthest = 0;
  // Client::list_pages would take all objects at once after a 410.
  return cluster_.client().fan_out(
      [&](std::size_t) {
        return std::exchange(has_more, false) ? std::optional(request) : std::nullopt;
      },
      [&](std::size_t, const Result<Value>& list) -> Status {
        const bool is_expired = !list && list.error().code() == Code::kExpired;
        if (!list && (!is_expired || request.continue_token.empty())) return list.error();
        if (is_expired) {
          if (pages <= furthest && !mutant("endless-list")) return list.error();
          furthest = std::exchange(pages, 0);
        } else {
          ++pages;
        }
        Status status = list ? migrate_page({*list}) : Status();
        request.continue_token =
            list ? (*list)[&Names::metadata]["continue"].string() : std::string_view();
        has_more = is_expired || !request.continue_token.empty();
        return status;
      },
      1);
}

Status ObjectMigrator::migrate_one(const Resource& resource, const ObjectView& object) const {
  JsonWriter body;
  body.begin_object();
  body.member("kind", resource.kind).member("apiVersion", resource.api_version());
  body.key("metadata").begin_object();
  // Without them the server would recreate an object that is gone.
  if (!mutant("migrated-object")) {
    body.member("uid", object.uid()).member("resourceVersion", object.resource_version());
  }
  body.end_object().end_object();
  return cluster_.client()
      .call(Request::patch(
          resource, object.key(), PatchType::kApply, std::move(body).text(),
          {.answer = Answer::kMetadata, .field_manager = kManager, .priority = Priority::kLow}))
      .error()
      .unless(Code::kConflict);  // Changed, deleted, or recreated since: it needs nothing.
}

Result<Again> ObjectMigrator::fail(const Migration& migration, std::string message) const {
  const Status written = write_status(cluster_, migration,
                                      {.condition = kFailed,
                                       .reason = "StorageVersionMigrationFailed",
                                       .message = std::move(message)});
  if (!written.ok()) return written;
  return Again::when_changed();
}

}  // namespace davit::storageversion
