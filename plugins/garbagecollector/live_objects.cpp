#include "plugins/garbagecollector/live_objects.hpp"

#include <algorithm>
#include <davit/mutant.hpp>
#include <utility>

#include "plugins/garbagecollector/attempt_plan.hpp"
#include "plugins/garbagecollector/patch_plan.hpp"

namespace davit::garbage {
namespace {

constexpr int kUnsupportedMediaType = 415;

bool is_unsupported(const Status& status) {
  return status.detail() != nullptr && status.detail()->http_status == kUnsupportedMediaType;
}

Resource resource_of(const Location& location) {
  return {location.id.group, location.id.version, location.id.resource, {}};
}

Key key_of(const Location& location) { return {location.ns, location.name}; }

Request get_request(const Location& location) {
  return Request::get(resource_of(location), key_of(location), Answer::kMetadata);
}

Request patch_request(const Location& location, PatchType type, std::string body) {
  return Request::patch(resource_of(location), key_of(location), type, std::move(body),
                        {.answer = Answer::kMetadata});
}

Status other_object() { return {Code::kNotFound, "another object has its name"}; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

}  // namespace

Result<Location> LiveObjects::location_of(const Identity& object) const {
  const Result<ServedResource> found = find_kind(object.api_version, object.kind);
  if (!found) {
    if (found.error().code() == Code::kCancelled) return found.error();
    return Status(Code::kConflict, "no resource for " + object.api_version + ", " + object.kind +
                                       ": " + found.error().message());
  }
  if (found->is_namespaced() && object.ns.empty()) {
    return Status(Code::kWrongType, "cluster-scoped objects cannot refer to namespaced owners");
  }
  Location location;
  location.id = {std::string(found->group()), std::string(found->version()),
                 std::string(found->resource())};
  if (found->is_namespaced()) location.ns = object.ns;
  location.name = object.name;
  return location;
}

Result<LiveObject> LiveObjects::get(const Location& location) const {
  const Result<Value> object = client_.call(get_request(location));
  if (!object) return object.error();
  return read_live(ObjectView(*object));
}

Status LiveObjects::remove(const Location& location, const LiveObject& read,
                           Propagation policy) const {
  Request request = Request::remove(
      resource_of(location), key_of(location),
      {.propagation = policy, .uid = read.uid, .resource_version = read.resource_version});
  const Status removed = client_.call(request).error();
  if (removed.code() != Code::kConflict) return removed;
  const Result<LiveObject> now = get(location);
  if (!now) return now.error().code() == Code::kNotFound ? now.error() : removed;
  if (!is_same_but_newer(read, *now)) return removed;
  request.deletion.resource_version.clear();
  return client_.call(request).error();
}

std::vector<Status> LiveObjects::patch(const std::vector<OwnersPatch>& patches) const {
  // Upstream sends all at once. So many exhaust every rate limit, and the bodies of more would fill
  // the memory.
  constexpr std::size_t kAtOnce = 500;
  std::vector<Status> statuses;
  const std::span<const OwnersPatch> all(patches);
  for (std::size_t i = 0; i < all.size(); i += kAtOnce) {
    patch_some(all.subspan(i, std::min(kAtOnce, all.size() - i)), statuses);
  }
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].code() == Code::kNotFound) statuses[i] = confirm_absence(patches[i]);
  }
  return statuses;
}

Status LiveObjects::confirm_absence(const OwnersPatch& patch) const {
  if (mutant("patch-absence")) return other_object();
  const Result<LiveObject> live = get(patch.location);
  if (!live) return live.error();
  if (live->uid != patch.uid) return other_object();
  return {Code::kUnavailable,
          "the server did not find " + patch.location.name + " to patch it, but still has it"};
}

void LiveObjects::patch_some(std::span<const OwnersPatch> patches,
                             std::vector<Status>& statuses) const {
  const std::size_t before = statuses.size();
  std::vector<Request> requests;
  for (const OwnersPatch& each : patches) {
    requests.push_back(patch_request(each.location, PatchType::kStrategic, each.strategic));
  }
  std::vector<std::size_t> unsupported;
  for (const Result<Value>& each : client_.batch(requests)) {
    if (is_unsupported(each.error())) unsupported.push_back(statuses.size() - before);
    statuses.push_back(each.error());
  }
  if (unsupported.empty()) return;
  patch_by_merge(patches, unsupported, std::span(statuses).subspan(before));
}

void LiveObjects::patch_by_merge(std::span<const OwnersPatch> patches,
                                 const std::vector<std::size_t>& unsupported,
                                 std::span<Status> statuses) const {
  std::vector<Request> reads;
  for (const std::size_t each : unsupported) {
    reads.push_back(get_request(patches[each].location));
  }
  const std::vector<Result<Value>> objects = client_.batch(reads);
  std::vector<Request> writes;
  std::vector<std::size_t> written;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const OwnersPatch& patch = patches[unsupported[i]];
    Status& status = statuses[unsupported[i]];
    status = objects[i].error();
    if (!status.ok()) continue;
    const LiveObject live = read_live(ObjectView(*objects[i]));
    if (live.uid != patch.uid) {
      status = other_object();
      continue;
    }
    writes.push_back(patch_request(patch.location, PatchType::kMerge, patch.merge(live)));
    written.push_back(unsupported[i]);
  }
  const std::vector<Result<Value>> results = client_.batch(writes);
  for (std::size_t i = 0; i < results.size(); ++i) statuses[written[i]] = results[i].error();
}

Status LiveObjects::drop_finalizer(const Location& location, std::string_view uid,
                                   std::string_view finalizer) const {
  constexpr int kTries = 4;
  Status last;
  for (int i = 0; i < kTries; ++i) {
    const Result<LiveObject> live = get(location);
    if (!live) return live.error().unless(Code::kNotFound);
    if (live->uid != uid || !live->has_finalizer(finalizer)) return {};
    last = client_
               .call(patch_request(location, PatchType::kMerge,
                                   drop_finalizer_merge(*live, finalizer)))
               .error();
    const bool is_absent = last.code() == Code::kNotFound;
    if (!is_absent && last.code() != Code::kConflict) return last;
    // The next get says whether it is.
    if (is_absent) last = Status(Code::kUnavailable, last.message());
  }
  return last.with_context("updateMaxRetries(4) has reached. The garbage collector will retry");
}

Result<ServedResource> LiveObjects::find_kind(std::string_view api_version,
                                              std::string_view kind) const {
  const Result<ServedResource> exact = discovery_.find_kind(api_version, kind);
  // RESTMapper also knows each kind in small letters.
  if (exact.error().code() != Code::kNotFound || kind != lower(kind)) return exact;
  const Result<ServedCatalog> catalog = discovery_.catalog();
  if (!catalog) return catalog.error();
  for (const ServedResource& each : catalog->resources) {
    if (lower(each.kind()) == kind && each.api_version() == api_version) return each;
  }
  return exact;
}

}  // namespace davit::garbage
