#include "sandbox/controllers/object_meta.hpp"

#include <algorithm>

namespace davit::sandbox {

bool ObjectMeta::has_finalizer(std::string_view finalizer) const {
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

ObjectMeta object_meta(const Version& version) {
  ObjectMeta out;
  const auto mentions = [&](std::string_view key) {
    return version.text.find(key) != std::string::npos;
  };
  if (!mentions("\"ownerReferences\"") && !mentions("\"deletionTimestamp\"")) return out;
  const Json object = version.json();
  const Json& metadata = object.get("metadata");
  out.deleting = !metadata.get("deletionTimestamp").empty();
  for (const Json& each : metadata.get("finalizers").items()) {
    out.finalizers.push_back(each.text());
  }
  for (const Json& each : metadata.get("ownerReferences").items()) {
    out.owners.push_back({each.text_at({"apiVersion"}), each.text_at({"kind"}),
                          each.text_at({"name"}), each.text_at({"uid"}),
                          each.get("blockOwnerDeletion").boolean()});
  }
  return out;
}

}  // namespace davit::sandbox
