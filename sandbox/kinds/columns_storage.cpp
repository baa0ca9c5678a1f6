#include <algorithm>
#include <array>
#include <utility>

#include "sandbox/kinds/columns_cells.hpp"

namespace davit::sandbox {
namespace {

constexpr std::string_view kOldClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::array kDefaultClassAnnotations = {
    std::string_view("storageclass.kubernetes.io/is-default-class"),
    std::string_view("storageclass.beta.kubernetes.io/is-default-class")};

constexpr std::array kAccessModes = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"ReadWriteOnce", "RWO"},
    {"ReadOnlyMany", "ROX"},
    {"ReadWriteMany", "RWX"},
    {"ReadWriteOncePod", "RWOP"},
});

/// "RWO,ROX"
std::string access_modes(const Json& modes) {
  std::vector<std::string> out;
  for (const auto& [mode, shown] : kAccessModes) {
    const std::string_view wanted = mode;
    if (std::any_of(modes.items().begin(), modes.items().end(),
                    [wanted](const Json& each) { return each.text() == wanted; })) {
      out.emplace_back(shown);
    }
  }
  return join_texts(out, ",");
}

std::string phase_of(const Json& object) {
  const bool going = !object.text_at({"metadata", "deletionTimestamp"}).empty();
  return going ? "Terminating" : object.text_at({"status", "phase"});
}

std::string class_of(const Json& object) {
  const std::string& old = object.text_at({"metadata", "annotations", kOldClassAnnotation});
  return old.empty() ? object.text_at({"spec", "storageClassName"}) : old;
}

Json::Items claim_cells(const Json& object, WallTime now) {
  const std::string& volume = object.text_at({"spec", "volumeName"});
  return {
      name_of(object),
      phase_of(object),
      volume,
      volume.empty() ? std::string() : text_or(object, {"status", "capacity", "storage"}, "0"),
      volume.empty() ? std::string() : access_modes(value_at(object, {"status", "accessModes"})),
      class_of(object),
      text_or(object, {"spec", "volumeAttributesClassName"}, "<unset>"),
      age_of(object, now),
      text_or(object, {"spec", "volumeMode"}, "<unset>")};
}

std::string claim_text(const Json& volume) {
  const Json& claim = value_at(volume, {"spec", "claimRef"});
  if (!claim.is_object()) return "";
  return claim.get("namespace").text() + '/' + claim.get("name").text();
}

Json::Items volume_cells(const Json& object, WallTime now) {
  return {name_of(object),
          text_or(object, {"spec", "capacity", "storage"}, "0"),
          access_modes(value_at(object, {"spec", "accessModes"})),
          object.text_at({"spec", "persistentVolumeReclaimPolicy"}),
          phase_of(object),
          claim_text(object),
          class_of(object),
          text_or(object, {"spec", "volumeAttributesClassName"}, "<unset>"),
          object.text_at({"status", "reason"}),
          age_of(object, now),
          text_or(object, {"spec", "volumeMode"}, "<unset>")};
}

Json::Items storage_class_cells(const Json& object, WallTime now) {
  const Json& annotations = value_at(object, {"metadata", "annotations"});
  const bool is_default = std::any_of(
      kDefaultClassAnnotations.begin(), kDefaultClassAnnotations.end(),
      [&annotations](std::string_view key) { return annotations.get(key).text() == "true"; });
  return {name_of(object) + (is_default ? " (default)" : ""),
          object.get("provisioner").text(),
          text_or(object, {"reclaimPolicy"}, "Delete"),
          text_or(object, {"volumeBindingMode"}, "Immediate"),
          object.get("allowVolumeExpansion").boolean(),
          age_of(object, now)};
}

Json::Items csi_node_cells(const Json& object, WallTime now) {
  return {name_of(object), static_cast<std::int64_t>(value_at(object, {"spec", "drivers"}).size()),
          age_of(object, now)};
}

/// The texts at `member` of a list's elements, or the elements themselves; with commas between.
std::string comma_texts(const Json& list, std::string_view member = "") {
  std::vector<std::string> out;
  for (const Json& each : list.items()) {
    out.push_back(member.empty() ? each.text() : each.get(member).text());
  }
  return join_texts(out, ",");
}

Json::Items csi_driver_cells(const Json& object, WallTime now) {
  const Json& spec = object.get("spec");
  const Json& attach = spec.get("attachRequired");
  const Json& tokens = spec.get("tokenRequests");
  const std::string modes = comma_texts(spec.get("volumeLifecycleModes"));
  return {name_of(object),
          attach.is_null() || attach.boolean(),
          spec.get("podInfoOnMount").boolean(),
          spec.get("storageCapacity").boolean(),
          tokens.is_null() ? std::string("<unset>") : comma_texts(tokens, "audience"),
          spec.get("requiresRepublish").boolean(),
          modes.empty() ? std::string("<none>") : modes,
          age_of(object, now)};
}

Json::Items attachment_cells(const Json& object, WallTime now) {
  return {name_of(object),
          object.text_at({"spec", "attacher"}),
          object.text_at({"spec", "source", "persistentVolumeName"}),
          object.text_at({"spec", "nodeName"}),
          value_at(object, {"status", "attached"}).boolean(),
          age_of(object, now)};
}

constexpr std::array kStorageCells = std::to_array<KindCells>({
    {"", "persistentvolumeclaims", claim_cells},
    {"", "persistentvolumes", volume_cells},
    {"storage.k8s.io", "storageclasses", storage_class_cells},
    {"storage.k8s.io", "csinodes", csi_node_cells},
    {"storage.k8s.io", "volumeattachments", attachment_cells},
    {"storage.k8s.io", "csidrivers", csi_driver_cells},
});

}  // namespace

std::span<const KindCells> storage_cells() { return kStorageCells; }

}  // namespace davit::sandbox
