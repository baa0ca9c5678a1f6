// RFC 7386.
#include <algorithm>

#include "lib/kube/patch/patch.hpp"

namespace davit {

namespace {

/// A null asks for removal, and there is nothing to remove in a value that is new.
void drop_nulls(Json& json) {
  if (json.is_array()) {
    for (Json& each : json.make_array()) drop_nulls(each);
  } else if (json.is_object()) {
    Json::Members& members = json.make_object();
    std::erase_if(members, [](const Json::Member& each) { return each.value.is_null(); });
    for (Json::Member& each : members) drop_nulls(each.value);
  }
}

void merge(Json& object, const Json& patch) {
  for (const auto& [key, value] : patch.members()) {
    if (value.is_null()) {
      object.erase(key);
      continue;
    }
    Json& present = object[key];
    if (present.is_object() && value.is_object()) {
      merge(present, value);
    } else {
      present = value;
      drop_nulls(present);
    }
  }
}

}  // namespace

PatchOutcome apply_merge_patch(Json& object, const Json& patch) {
  if (!patch.is_object()) {
    return PatchError{reason::kBadRequest, "error decoding patch: a merge patch must be an object"};
  }
  merge(object, patch);
  return std::nullopt;
}

}  // namespace davit
