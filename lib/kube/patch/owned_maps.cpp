// An owned leaf that is a map by now: its owner has all of it.
#include <algorithm>

#include "lib/kube/patch/field_managers.hpp"
#include "lib/kube/patch/typed_walk.hpp"

namespace davit {

namespace {

constexpr std::string_view kMember = "f:";

/// The value that `key` of a set names in `live`; null for keys of list elements.
const Json* member_of(const Json& live, std::string_view key) {
  return key.starts_with(kMember) ? live.find(key.substr(kMember.size())) : nullptr;
}

/// Whether an owned leaf has something below it in `live`.
bool has_full_leaf(const Json& fields, const Json& live) {
  return std::ranges::any_of(fields.members(), [&live](const Json::Member& each) {
    const Json* value = member_of(live, each.key);
    if (value == nullptr || value->size() == 0) return false;
    return each.value.size() == 0 || has_full_leaf(each.value, *value);
  });
}

/// `all` is what there is to own at this place. Atomic values are leaves there, too.
void expand(Json& fields, const Json& all) {
  for (Json::Member& each : fields.make_object()) {
    const Json* whole = all.find(each.key);
    if (whole == nullptr || whole->size() == 0) continue;
    if (each.value.size() != 0) {
      expand(each.value, *whole);
      continue;
    }
    each.value = *whole;
    if (!each.value.contains(".")) {
      Json::Members& members = each.value.make_object();
      members.insert(members.begin(), {".", Json::object()});
    }
  }
}

}  // namespace

void expand_owned_maps(FieldManagers& managers, const Json& live, const Message* schema) {
  const auto& entries = managers.entries();
  const bool any = std::ranges::any_of(
      entries, [&live](const ManagerEntry& each) { return has_full_leaf(each.fields, live); });
  if (!any) return;
  const Json all = to_fields(fields_of(live, schema, {}));
  for (ManagerEntry& each : managers.entries()) {
    if (each.fields.is_object()) expand(each.fields, all);
  }
}

}  // namespace davit
