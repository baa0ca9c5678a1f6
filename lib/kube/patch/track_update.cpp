#include <utility>

#include "lib/kube/patch/apply.hpp"
#include "lib/kube/patch/field_managers.hpp"
#include "lib/kube/patch/typed_walk.hpp"
#include "lib/kube/patch/version_changes.hpp"

namespace davit {

namespace {

const Json* managed_fields_of(const Json& object) {
  return object.at({"metadata", "managedFields"});
}

/// The entries that this write starts from: those that the client sent, if it may set them and they
/// are valid, else the stored ones. A client that does not know the member must not lose it.
const Json* starting_entries(const Json& object, const Json& old, const FieldManager& manager) {
  const Json* stored = managed_fields_of(old);
  const Json* sent = managed_fields_of(object);
  if (sent == nullptr || sent->is_null() || !manager.subresource.empty()) return stored;
  if (stored != nullptr && *sent == *stored) return stored;
  return FieldManagers::valid(*sent) ? sent : stored;
}

void keep_entries(Json& object, const Json* entries) {
  if (entries == nullptr) {
    if (Json* metadata = object.find("metadata")) metadata->erase("managedFields");
  } else if (const Json* present = managed_fields_of(object); present != entries) {
    if (present != nullptr && *present == *entries) return;
    object["metadata"].set("managedFields", *entries);
  }
}

}  // namespace

void track_update(Json& object, const Json& old, const Message* schema,
                  const FieldManager& manager) {
  const Json* start = starting_entries(object, old, manager);
  VersionChanges versions(old, object, schema, manager);
  const Comparison& changes = versions.own();
  const bool stored_entries = start == managed_fields_of(old);
  if (changes.same() && stored_entries) return keep_entries(object, start);

  std::optional<FieldManagers> managers =
      start == nullptr ? FieldManagers() : FieldManagers::parse(*start);
  if (!managers) managers.emplace();
  // An object without tracking stays so until the first apply.
  if (managers->empty() && !old.is_null()) return keep_entries(object, nullptr);

  expand_owned_maps(*managers, old, schema);
  const ManagerEntry mine = entry_of(manager, Operation::kUpdate);
  bool found = false;
  for (ManagerEntry& each : managers->entries()) {
    if (!each.same_manager(mine)) {
      const Result<const Comparison*> theirs = versions.in(each.api_version);
      if (!theirs)
        return keep_entries(object, nullptr);  // As upstream: better none than wrong ones.
      if (*theirs == nullptr) each.fields = Json();
      if (*theirs == nullptr || each.fields.is_null()) continue;
      subtract_from_fields(each.fields, (*theirs)->removed);
      if (!each.fields.is_null()) subtract_from_fields(each.fields, (*theirs)->changed);
      continue;
    }
    subtract_from_fields(each.fields, changes.removed);
    found = true;
    if (changes.changed.empty()) continue;
    if (each.fields.is_null()) each.fields = Json::object();
    if (each.fields.size() == 0) {
      each.fields = to_fields(changes.changed);
    } else {
      add_to_fields(each.fields, changes.changed);
    }
    each.time = manager.time;
  }
  if (!found && !changes.changed.empty()) {
    managers->entries().push_back(mine);
    managers->entries().back().fields = to_fields(changes.changed);
  }
  managers->merge_old_updates();
  managers->store(object);
}

bool same_but_for_times(const Json& a, const Json& b) {
  const Json* left = managed_fields_of(a);
  const Json* right = managed_fields_of(b);
  if (left == nullptr || right == nullptr) return a == b;
  const auto same_members = [](const Json& x, const Json& y, std::string_view skipped) {
    if (x.size() != y.size()) return false;
    for (const auto& [key, value] : x.members()) {
      if (key == skipped) continue;
      const Json* other = y.find(key);
      if (other == nullptr || *other != value) return false;
    }
    return true;
  };
  if (!same_members(a, b, "metadata")) return false;
  if (!same_members(a.get("metadata"), b.get("metadata"), "managedFields")) return false;
  if (left->size() != right->size()) return false;
  for (std::size_t i = 0; i < left->items().size(); ++i) {
    const Json& x = left->items()[i];
    const Json& y = right->items()[i];
    if (!same_members(x, y, "time") || x.contains("time") != y.contains("time")) return false;
  }
  return true;
}

}  // namespace davit
