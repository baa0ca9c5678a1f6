#include "sandbox/rest/meta.hpp"

#include <davit/kube/safe_text.hpp>
#include <davit/kube/time.hpp>

#include "lib/base/uuid.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kDeletionTimestamp = "deletionTimestamp";
constexpr std::string_view kDeletionGrace = "deletionGracePeriodSeconds";

void raise_generation(Json& metadata) {
  metadata.set("generation", metadata.get("generation").integer_or(0) + 1);
}

/// `next[key]` becomes what `old` has, or goes.
void restore(Json& next, const Json& old, std::string_view key) {
  if (const Json* value = old.find(key)) {
    next.set(key, *value);
  } else {
    next.erase(key);
  }
}

void restore_if_missing(Json& next, const Json& old, std::string_view key) {
  const Json* value = old.find(key);
  if (value != nullptr && next.get(key).is_null()) next.set(key, *value);
}

}  // namespace

std::size_t bytes_of(const Json& json) {
  std::size_t out = json.text().size() + 2;
  for (const Json& each : json.items()) out += bytes_of(each) + 1;
  for (const Json::Member& each : json.members()) out += each.key.size() + bytes_of(each.value) + 4;
  return out;
}

std::string time_text(const Clock& clock) { return format_time(clock.wall_now()); }

std::string generate_name(std::string_view base, Random& random) {
  constexpr std::size_t kBaseMax = 58;
  return std::string(base.substr(0, kBaseMax)) +
         random_safe_text(kGeneratedSuffixBytes, [&random] { return random.next(); });
}

void stamp_new(Json& object, const Resource& resource, Clock& clock, Random& random) {
  Json& metadata = object["metadata"];
  metadata.make_object();
  for (const std::string_view key : {kDeletionTimestamp, kDeletionGrace}) metadata.erase(key);
  metadata.erase("selfLink");
  metadata.set("uid", random_uuid(random));
  metadata.set("creationTimestamp", time_text(clock));
  if (resource.has_generation) metadata.set("generation", 1);
}

ApiFailure fill_namespace(Json& object, std::string_view ns) {
  Json& metadata = object["metadata"];
  const std::string& given = metadata.get("namespace").text();
  if (given == ns) return std::nullopt;
  if (ns.empty()) {
    metadata.erase("namespace");  // Cluster-scoped, whatever the client believes.
  } else if (given.empty()) {
    metadata.set("namespace", ns);
  } else {
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  return std::nullopt;
}

void keep_system_metadata(Json& object, const Json& old) {
  Json& metadata = object["metadata"];
  const Json& before = old.get("metadata");
  metadata.erase("selfLink");
  restore_if_missing(metadata, before, "uid");
  restore(metadata, before, "creationTimestamp");
  restore(metadata, before, "generation");
  if (before.contains(kDeletionTimestamp)) restore(metadata, before, kDeletionTimestamp);
  restore_if_missing(metadata, before, kDeletionGrace);
}

bool forgets_managers(const Json& object) {
  const Json::Items& managers = object.get("metadata").get("managedFields").items();
  return managers.size() == 1 && managers.front().is_object() && managers.front().size() == 0;
}

void update_generation(Json& object, const Json& old, const Resource& resource) {
  if (!resource.has_generation || resource.rules == nullptr) return;
  if (resource.rules->raises_generation(object, old)) raise_generation(object["metadata"]);
}

bool is_being_deleted(const Json& object) {
  return !object.text_at({"metadata", kDeletionTimestamp}).empty();
}

bool has_finalizers(const Json& object) {
  return !object.get("metadata").get("finalizers").items().empty();
}

std::optional<std::int64_t> grace_seconds(const Json& object) {
  return object.get("metadata").get(kDeletionGrace).integer();
}

void mark_deleted(Json& object, std::string_view since, std::optional<std::int64_t> grace) {
  const bool first = !is_being_deleted(object);
  Json& metadata = object["metadata"];
  metadata.set(kDeletionTimestamp, since);
  if (grace) metadata.set(kDeletionGrace, *grace);
  if (first && metadata.get("generation").integer_or(0) > 0) raise_generation(metadata);
}

}  // namespace davit::sandbox
