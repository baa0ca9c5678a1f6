#include "nodes/storage_view.hpp"

#include <algorithm>
#include <utility>

#include "nodes/reflector.hpp"

namespace davit::sandbox {
namespace {

constexpr char kBetaClass[] = "volume.beta.kubernetes.io/storage-class";
constexpr char kBindCompleted[] = "pv.kubernetes.io/bind-completed";

const char* plural_of(StorageKind kind) {
  switch (kind) {
    case StorageKind::kClaim:
      return "persistentvolumeclaims";
    case StorageKind::kVolume:
      return "persistentvolumes";
    case StorageKind::kClass:
      return "storageclasses";
    case StorageKind::kDriver:
      return "csidrivers";
    case StorageKind::kCsiNode:
      return "csinodes";
    case StorageKind::kAttachment:
      return "volumeattachments";
    case StorageKind::kCapacity:
      return "csistoragecapacities";
    case StorageKind::kNode:
      break;
  }
  return "nodes";
}

std::string group_path(StorageKind kind) {
  const bool core =
      kind == StorageKind::kClaim || kind == StorageKind::kVolume || kind == StorageKind::kNode;
  return core ? "/api/v1/" : "/apis/storage.k8s.io/v1/";
}

}  // namespace

std::optional<StorageKind> storage_kind(const Json& object) {
  constexpr std::pair<const char*, StorageKind> kKinds[] = {
      {"PersistentVolumeClaim", StorageKind::kClaim},
      {"PersistentVolume", StorageKind::kVolume},
      {"StorageClass", StorageKind::kClass},
      {"CSIDriver", StorageKind::kDriver},
      {"CSINode", StorageKind::kCsiNode},
      {"VolumeAttachment", StorageKind::kAttachment},
      {"Node", StorageKind::kNode},
      {"CSIStorageCapacity", StorageKind::kCapacity}};
  for (const auto& [name, kind] : kKinds) {
    if (object.get("kind").text() == name) return kind;
  }
  return std::nullopt;
}

std::string storage_collection(StorageKind kind) { return group_path(kind) + plural_of(kind); }

std::string storage_target(StorageKind kind, const std::string& name) {
  const bool has_namespace = kind == StorageKind::kClaim || kind == StorageKind::kCapacity;
  if (!has_namespace) return storage_collection(kind) + "/" + name;
  const std::size_t slash = name.find('/');
  return group_path(kind) + "namespaces/" + name.substr(0, slash) + "/" + plural_of(kind) +
         name.substr(slash);
}

std::string storage_name(const Json& object) {
  std::string key = key_of(object);
  return key.front() == '/' ? key.substr(1) : key;
}

bool StorageView::put(StorageKind kind, Json object) {
  object["metadata"].erase("managedFields");
  if (kind == StorageKind::kNode) {  // Its status is long, and not needed here.
    object = Json::object({{"metadata", std::move(object["metadata"])}});
  }
  const auto [found, is_new] = all(kind).try_emplace(storage_name(object));
  if (!is_new && version_of(object) <= version_of(found->second)) return false;
  found->second = std::move(object);
  return true;
}

bool StorageView::refresh(StorageKind kind, Json object) {
  return find(kind, storage_name(object)) != nullptr && put(kind, std::move(object));
}

void StorageView::drop(StorageKind kind, const std::string& name) { all(kind).erase(name); }

const Json* StorageView::find(StorageKind kind, const std::string& name) const {
  const auto found = all(kind).find(name);
  return found == all(kind).end() ? nullptr : &found->second;
}

const std::string& annotation_of(const Json& object, std::string_view name) {
  return object.text_at({"metadata", "annotations", name});
}

bool has_finalizer(const Json& object, std::string_view finalizer) {
  const Json::Items& all = object.get("metadata").get("finalizers").items();
  return std::any_of(all.begin(), all.end(),
                     [&](const Json& each) { return each.text() == finalizer; });
}

bool is_deleting(const Json& object) {
  return object.get("metadata").contains("deletionTimestamp");
}

const std::string& storage_class_of(const Json& object) {
  const Json* beta = object.at({"metadata", "annotations", kBetaClass});
  return beta != nullptr ? beta->text() : object.text_at({"spec", "storageClassName"});
}

bool waits_for_consumer(const Json& storage_class) {
  return storage_class.text_at({"volumeBindingMode"}) == "WaitForFirstConsumer";
}

bool is_bound(const Json& claim) {
  return !claim.text_at({"spec", "volumeName"}).empty() &&
         !annotation_of(claim, kBindCompleted).empty();
}

bool belongs_to(const Json& volume, const Json& claim) {
  return volume.text_at({"spec", "claimRef", "uid"}) == claim.text_at({"metadata", "uid"}) &&
         claim_of(volume) == storage_name(claim);
}

std::string claim_of(const Json& volume) {
  return volume.text_at({"spec", "claimRef", "namespace"}) + "/" +
         volume.text_at({"spec", "claimRef", "name"});
}

std::vector<PodClaim> pod_claims(const Json& pod) {
  std::vector<PodClaim> out;
  const std::string ns = pod.text_at({"metadata", "namespace"}) + "/";
  for (const Json& each : pod.get("spec").get("volumes").items()) {
    if (const Json* claim = each.find("persistentVolumeClaim")) {
      out.push_back({each.get("name").text(), ns + claim->text_at({"claimName"}), false});
    } else if (each.contains("ephemeral")) {
      const std::string& name = each.get("name").text();
      out.push_back({name, ns + pod.text_at({"metadata", "name"}) + "-" + name, true});
    }
  }
  return out;
}

const Json* find_claim(const StorageView& view, const PodClaim& wanted, const Json& pod) {
  const Json* claim = view.find(StorageKind::kClaim, wanted.name);
  if (claim == nullptr || !wanted.of_the_pod) return claim;
  for (const Json& owner : claim->get("metadata").get("ownerReferences").items()) {
    if (!owner.get("controller").boolean()) continue;
    return owner.get("uid") == pod.get("metadata").get("uid") ? claim : nullptr;
  }
  return nullptr;
}

std::string attachable_name(const StorageView& view, const Json& volume) {
  const Json& csi = volume.get("spec").get("csi");
  const std::string& driver = csi.get("driver").text();
  if (driver.empty()) return "";
  const Json* known = view.find(StorageKind::kDriver, driver);
  const Json* required = known == nullptr ? nullptr : known->at({"spec", "attachRequired"});
  if (required != nullptr && !required->boolean()) return "";
  return "kubernetes.io/csi/" + driver + "^" + csi.get("volumeHandle").text();
}

bool is_attached(const StorageView& view, const Json& volume, const std::string& node) {
  const std::string name = storage_name(volume);
  const StorageView::Objects& all = view.all(StorageKind::kAttachment);
  return std::any_of(all.begin(), all.end(), [&](const auto& each) {
    const Json& spec = each.second.get("spec");
    return spec.get("nodeName").text() == node &&
           spec.text_at({"source", "persistentVolumeName"}) == name &&
           each.second.get("status").get("attached").boolean();
  });
}

}  // namespace davit::sandbox
