#include "sandbox/controllers/claim_binder.hpp"

#include <algorithm>
#include <utility>

#include "sandbox/controllers/object_meta.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kProtection = "kubernetes.io/pvc-protection";
const std::string kVolumes = "/api/v1/persistentvolumes";

bool is_core(const Collection& collection, std::string_view resource) {
  return collection.group.empty() && collection.resource == resource;
}

std::string claim_path(const Version& claim) {
  return "/api/v1/namespaces/" + claim.ns + "/persistentvolumeclaims/" + claim.name;
}

std::string volume_of(const Version& claim) { return "pvc-" + claim.uid; }

/// The host's path of the volumes made here. The simulated CSI driver knows them by it.
std::string host_path(const std::string& volume) { return "/tmp/" + volume; }

/// Whether the claim asks for any volume of its size.
bool wants_any_volume(const Json& claim) {
  const Json& spec = claim.get("spec");
  const bool names_no_class =
      spec.contains("storageClassName") && spec.text_at({"storageClassName"}).empty();
  return spec.text_at({"volumeName"}).empty() && !spec.contains("selector") && !names_no_class;
}

Json volume_for(const Version& claim, const Json& object) {
  const Json& spec = object.get("spec");
  const Json& size = spec.get("resources").get("requests").get("storage");
  Json volume = Json::object({{"capacity", Json::object({{"storage", size}})},
                              {"accessModes", spec.get("accessModes")},
                              {"volumeMode", spec.get("volumeMode")},
                              {"persistentVolumeReclaimPolicy", "Delete"}});
  if (spec.contains("storageClassName")) {
    volume.set("storageClassName", spec.get("storageClassName"));
  }
  volume.set("claimRef", Json::object({{"apiVersion", "v1"},
                                       {"kind", "PersistentVolumeClaim"},
                                       {"namespace", claim.ns},
                                       {"name", claim.name},
                                       {"uid", claim.uid}}));
  volume.set("hostPath", Json::object({{"path", host_path(volume_of(claim))}}));
  return Json::object({{"apiVersion", "v1"},
                       {"kind", "PersistentVolume"},
                       {"metadata", Json::object({{"name", volume_of(claim)}})},
                       {"spec", std::move(volume)}});
}

}  // namespace

void ClaimBinder::on_relist(const Collection& collection) {
  if (!is_core(collection, "persistentvolumeclaims")) return;
  queue_.clear();
  deleting_.clear();
}

void ClaimBinder::observe(const Collection& collection, const Change& change) {
  const Version& object = *change.object;
  if (is_core(collection, "persistentvolumeclaims")) {
    const Place place{object.ns, object.name};
    if (change.type == ChangeType::kDeleted) {
      deleting_.erase(place);
      orphaned_.insert(volume_of(object));
    } else {
      queue_.insert(place);
    }
  } else if (is_core(collection, "pods")) {
    for (const Place& each : deleting_) {
      if (each.ns == object.ns) queue_.insert(each);
    }
  }
}

Time ClaimBinder::act(Time now) {
  writer_.begin_round(now);
  for (auto each = retries_.begin(); each != retries_.end();) {
    const bool due = each->second <= now;
    if (due) queue_.insert(each->first);
    each = due ? retries_.erase(each) : std::next(each);
  }
  for (const Place& each : std::exchange(queue_, {})) {
    if (!serve(each)) retries_[each] = now + writer_.retry_after();
  }
  for (auto each = orphaned_.begin(); each != orphaned_.end();) {
    each = remove_volume(*each) ? orphaned_.erase(each) : std::next(each);
  }
  Time next = orphaned_.empty() ? Time::max() : now + writer_.retry_after();
  next = std::min(next, writer_.next_round());
  for (const auto& [place, due] : retries_) next = std::min(next, due);
  return next;
}

bool ClaimBinder::serve(const Place& claim) {
  const VersionPtr found = parts_.store.get({"", "persistentvolumeclaims"}, claim.ns, claim.name);
  if (found == nullptr) return true;
  if (object_meta(*found).deleting) return release(*found);
  return bind(*found);
}

bool ClaimBinder::bind(const Version& claim) {
  const Json object = claim.json();
  const bool is_ours = object.text_at({"spec", "volumeName"}) == volume_of(claim);
  if (object.text_at({"status", "phase"}) == "Bound") return true;
  if (!is_ours && !wants_any_volume(object)) return true;
  if (!provide_volume(claim, object)) return false;
  const Json annotations = Json::object({{"pv.kubernetes.io/bind-completed", "yes"},
                                         {"pv.kubernetes.io/bound-by-controller", "yes"}});
  const Json spec = Json::object({{"metadata", Json::object({{"annotations", annotations}})},
                                  {"spec", Json::object({{"volumeName", volume_of(claim)}})}});
  const Json status = Json::object(
      {{"status",
        Json::object({{"phase", "Bound"},
                      {"accessModes", object.get("spec").get("accessModes")},
                      {"capacity", object.get("spec").get("resources").get("requests")}})}});
  if (!is_ours && !is_done(writer_.merge(claim_path(claim), spec, claim.uid))) return false;
  // The last write: a claim that is Bound is not looked at again.
  return is_done(writer_.merge(claim_path(claim) + "/status", status, claim.uid));
}

bool ClaimBinder::provide_volume(const Version& claim, const Json& object) {
  const std::string name = volume_of(claim);
  const VersionPtr found = parts_.store.get({"", "persistentvolumes"}, "", name);
  if (found != nullptr && found->json().text_at({"status", "phase"}) == "Bound") return true;
  if (found == nullptr &&
      writer_.create(kVolumes, volume_for(claim, object)) == ApiWriter::Outcome::kFailed) {
    return false;
  }
  const Json bound = Json::object({{"status", Json::object({{"phase", "Bound"}})}});
  return is_done(writer_.merge(kVolumes + '/' + name + "/status", bound));
}

bool ClaimBinder::release(const Version& claim) {
  const ObjectMeta meta = object_meta(claim);
  if (!meta.has_finalizer(kProtection)) return true;
  const Place place{claim.ns, claim.name};
  deleting_.insert(place);
  if (is_used(place)) return true;  // The end of the pod queues it.
  Json others = Json::array();
  for (const std::string& each : meta.finalizers) {
    if (each != kProtection) others.push_back(each);
  }
  return is_done(writer_.merge(
      claim_path(claim),
      Json::object({{"metadata", Json::object({{"finalizers", std::move(others)}})}}), claim.uid));
}

bool ClaimBinder::remove_volume(const std::string& name) {
  const VersionPtr found = parts_.store.get({"", "persistentvolumes"}, "", name);
  if (found == nullptr) return true;
  // External provisioners call theirs the same.
  if (found->json().text_at({"spec", "hostPath", "path"}) != host_path(name)) return true;
  const std::string path = kVolumes + '/' + name;
  return is_done(writer_.remove(path, Json::object())) &&
         is_done(writer_.merge(
             path, Json::object({{"metadata", Json::object({{"finalizers", Json()}})}})));
}

bool ClaimBinder::is_used(const Place& claim) const {
  for (const VersionPtr& each : parts_.store.list({"", "pods"}, claim.ns).objects) {
    const Json pod = each->json();
    const std::string& phase = pod.text_at({"status", "phase"});
    if (phase == "Succeeded" || phase == "Failed") continue;
    for (const Json& volume : pod.get("spec").get("volumes").items()) {
      if (volume.text_at({"persistentVolumeClaim", "claimName"}) == claim.name) return true;
    }
  }
  return false;
}

}  // namespace davit::sandbox
