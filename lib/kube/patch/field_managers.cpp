#include "lib/kube/patch/field_managers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "lib/kube/patch/field_set.hpp"

namespace davit {

namespace {

constexpr std::string_view kOldUpdates = "ancient-changes";

auto identity(const ManagerEntry& entry) {
  return std::tie(entry.manager, entry.api_version, entry.subresource);
}

bool older(const ManagerEntry& a, const ManagerEntry& b) {
  if (a.time != b.time) return a.time < b.time;
  return identity(a) < identity(b);
}

Json to_json(ManagerEntry& entry) {
  Json::Members out;
  out.reserve(7);
  const auto add = [&](const char* key, Json value) { out.push_back({key, std::move(value)}); };
  if (!entry.manager.empty()) add("manager", std::move(entry.manager));
  add("operation", entry.operation == Operation::kApply ? "Apply" : "Update");
  add("apiVersion", std::move(entry.api_version));
  if (!entry.time.empty()) add("time", std::move(entry.time));
  add("fieldsType", "FieldsV1");
  add("fieldsV1", std::move(entry.fields));
  if (!entry.subresource.empty()) add("subresource", std::move(entry.subresource));
  return Json(std::move(out));
}

std::optional<ManagerEntry> parse_entry(const Json& json) {
  const std::string& operation = json.text_at({"operation"});
  const Json& fields = json.get("fieldsV1");
  if (operation != "Apply" && operation != "Update") return std::nullopt;
  if (json.text_at({"apiVersion"}).empty() || json.text_at({"fieldsType"}) != "FieldsV1") {
    return std::nullopt;
  }
  if (!fields.is_object() && !fields.is_null()) return std::nullopt;
  return ManagerEntry{
      json.text_at({"manager"}),    operation == "Apply" ? Operation::kApply : Operation::kUpdate,
      json.text_at({"apiVersion"}), json.text_at({"subresource"}),
      json.text_at({"time"}),       fields};
}

}  // namespace

bool ManagerEntry::same_manager(const ManagerEntry& other) const {
  return manager == other.manager && operation == other.operation &&
         subresource == other.subresource &&
         (operation == Operation::kApply || api_version == other.api_version);
}

std::string ManagerEntry::text() const {
  std::string out = to_text(Json(manager));
  if (!subresource.empty()) out += " with subresource " + to_text(Json(subresource));
  if (operation == Operation::kUpdate) out += " using " + api_version;
  return out;
}

std::optional<FieldManagers> FieldManagers::parse(const Json& managed_fields) {
  FieldManagers out;
  const Json::Items& items = managed_fields.items();
  if (items.size() == 1 && items[0].size() == 0) return out;
  out.entries_.reserve(items.size() + 1);
  for (const Json& each : items) {
    std::optional<ManagerEntry> entry = parse_entry(each);
    if (!entry) return std::nullopt;
    if (entry->fields.size() == 0) continue;
    if (ManagerEntry* same = out.find(*entry)) {
      *same = std::move(*entry);
    } else {
      out.entries_.push_back(std::move(*entry));
    }
  }
  return out;
}

bool FieldManagers::valid(const Json& managed_fields) {
  std::optional<FieldManagers> parsed = parse(managed_fields);
  return parsed && std::all_of(parsed->entries_.begin(), parsed->entries_.end(),
                               [](const ManagerEntry& each) {
                                 return parse_fields(each.fields).has_value();
                               });
}

ManagerEntry* FieldManagers::find(const ManagerEntry& like) {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const ManagerEntry& each) {
    return each.same_manager(like);
  });
  return found == entries_.end() ? nullptr : &*found;
}

void FieldManagers::merge_old_updates() {
  const auto is_update = [](const ManagerEntry& each) {
    return each.operation == Operation::kUpdate;
  };
  auto updates =
      static_cast<std::size_t>(std::count_if(entries_.begin(), entries_.end(), is_update));
  if (updates <= kUpdateEntriesMax) return;
  std::sort(entries_.begin(), entries_.end(), older);
  // The first entry of a version waits for a second one; both become the version's bucket.
  std::map<std::string, std::size_t> buckets;
  for (std::size_t i = 0; i < entries_.size() && updates > kUpdateEntriesMax; ++i) {
    ManagerEntry& entry = entries_[i];
    if (!is_update(entry)) continue;
    const auto [bucket, fresh] = buckets.emplace(entry.api_version, i);
    if (fresh) continue;
    ManagerEntry& oldest = entries_[bucket->second];
    if (const Result<FieldSet> set = parse_fields(entry.fields)) {
      add_to_fields(oldest.fields, *set);
    }
    oldest.manager = kOldUpdates;
    oldest.subresource.clear();
    oldest.time = entry.time;
    entry.fields = Json();
    --updates;
  }
  std::erase_if(entries_, [](const ManagerEntry& each) { return each.fields.is_null(); });
}

void FieldManagers::store(Json& object) {
  std::erase_if(entries_, [](const ManagerEntry& each) { return each.fields.size() == 0; });
  Json& metadata = object["metadata"];
  if (entries_.empty()) {
    metadata.erase("managedFields");
    return;
  }
  std::sort(entries_.begin(), entries_.end(), [](const ManagerEntry& a, const ManagerEntry& b) {
    if (a.operation != b.operation) return a.operation == Operation::kApply;
    return older(a, b);
  });
  Json::Items items;
  items.reserve(entries_.size());
  for (ManagerEntry& each : entries_) items.push_back(to_json(each));
  metadata.set("managedFields", Json(std::move(items)));
}

ManagerEntry entry_of(const FieldManager& manager, Operation operation) {
  return {manager.name, operation, manager.api_version, manager.subresource, manager.time, Json()};
}

}  // namespace davit
