#include "plugins/volumebinder/recycler.hpp"

#include <algorithm>
#include <cstdint>
#include <davit/json_writer.hpp>
#include <davit/kube/quantity.hpp>
#include <initializer_list>
#include <utility>

#include "plugins/shared/volumes/claim_pods.hpp"
#include "plugins/shared/volumes/storage_facts.hpp"
#include "plugins/volumebinder/names.hpp"
#include "plugins/volumebinder/phases.hpp"

namespace davit::volumebinder {
namespace {

constexpr std::string_view kPodPrefix = "recycler-for-";
constexpr std::string_view kFailedRecycle = "VolumeFailedRecycle";
constexpr std::string_view kRecyclerPod = "RecyclerPod";

/// The volume of the pod: the directory that is emptied.
void write_source(JsonWriter& out, std::string_view name, const volumes::Volume& volume) {
  out.begin_object().member("name", name);
  if (const Value host_path = volume.spec()["hostPath"]) {
    out.key("hostPath").begin_object().member("path", host_path["path"]).end_object();
  } else {
    const Value nfs = volume.spec()["nfs"];
    out.key("nfs").begin_object().member("server", nfs["server"]);
    out.member("path", nfs["path"]).end_object();
  }
  out.end_object();
}

std::int64_t seconds_for(const volumes::Volume& volume, const RecyclerTime& time) {
  constexpr double kGibibyte = 1024.0 * 1024 * 1024;
  constexpr double kMost = 1e15;  // Beyond any deadline, and exact.
  const double size = volumes::capacity_of(volume).value_or(Quantity()).approximate();
  const auto gibibytes = static_cast<std::int64_t>(std::min(size / kGibibyte, kMost / 1e9));
  return std::max(time.minimum, gibibytes * time.per_gibibyte);
}

/// Members of an object but for those of `without`.
void write_members(JsonWriter& out, Value object, std::initializer_list<std::string_view> without) {
  for (const auto& [key, value] : object.members()) {
    if (std::find(without.begin(), without.end(), key) == without.end()) out.member(key, value);
  }
}

/// The pod that an administrator has configured.
std::string pod_by(Value pod_template, const volumes::Volume& volume, const RecyclerTime& time) {
  JsonWriter out;
  out.begin_object().member("apiVersion", "v1").member("kind", "Pod");
  out.key("metadata").begin_object().member("name", recycler_pod_name(volume.name()));
  out.member("namespace", kRecyclerNamespace);
  write_members(out, pod_template[&Names::metadata],
                {"name", "namespace", "generateName", "uid", "resourceVersion"});
  out.end_object();
  const Value spec = pod_template[&Names::spec];
  out.key("spec").begin_object().member("activeDeadlineSeconds", seconds_for(volume, time));
  write_members(out, spec, {"activeDeadlineSeconds", "volumes"});
  out.key("volumes").begin_array();
  bool is_first = true;
  for (const Value each : spec["volumes"].elements()) {
    if (is_first) {
      write_source(out, each[&Names::name].string(), volume);
    } else {
      out.value(each);
    }
    is_first = false;
  }
  out.end_array().end_object().end_object();
  return std::move(out).text();
}

}  // namespace

std::string recycler_pod_name(std::string_view volume) {
  return std::string(kPodPrefix).append(volume);
}

std::string_view recycled_volume(const Pod& pod) {
  const std::string_view name = pod.name();
  if (pod.ns() != kRecyclerNamespace || !name.starts_with(kPodPrefix)) return {};
  return name.substr(kPodPrefix.size());
}

std::string recycler_pod(const volumes::Volume& volume, const RecyclerTime& time,
                         Value pod_template) {
  if (pod_template) return pod_by(pod_template, volume, time);
  JsonWriter out;
  out.begin_object().member("apiVersion", "v1").member("kind", "Pod");
  out.key("metadata").begin_object().member("name", recycler_pod_name(volume.name()));
  out.member("namespace", kRecyclerNamespace).end_object();
  out.key("spec").begin_object().member("restartPolicy", "Never");
  out.member("activeDeadlineSeconds", seconds_for(volume, time));
  out.key("volumes").begin_array();
  write_source(out, "vol", volume);
  out.end_array().key("containers").begin_array().begin_object();
  out.member("name", "pv-recycler");
  out.member("image", "registry.k8s.io/build-image/debian-base:bookworm-v1.0.6");
  out.key("command").begin_array().string("/bin/sh").end_array();
  out.key("args").begin_array().string("-c");
  out.string(
      "test -e /scrub && find /scrub -mindepth 1 -delete && test -z \"$(ls -A /scrub)\" || exit 1");
  out.end_array().key("volumeMounts").begin_array().begin_object();
  out.member("name", "vol").member("mountPath", "/scrub");
  out.end_object().end_array().end_object().end_array().end_object().end_object();
  return std::move(out).text();
}

Status Recycler::recycle(const Volume& volume) {
  if (const std::string pod_uid = pod_of(volume.name()); !pod_uid.empty()) {
    return follow(volume, pod_uid);
  }
  const std::string operation = Operations::name("recycle", volume.name(), volume.uid());
  if (!parts_.operations.try_now(operation, {}, parts_.cluster.now())) return {};
  const Result<bool> may = may_empty(volume);
  if (!may) return may.error();
  if (!*may || report_use(volume)) return {};
  if (!volume.spec()["hostPath"] && !volume.spec()["nfs"]) {
    return set_failed(parts_, volume, kFailedRecycle, "No recycler plugin found for the volume!");
  }
  return start(volume);
}

Status Recycler::stop(std::string_view volume) {
  const std::string pod_uid = pod_of(volume);
  if (pod_uid.empty()) return {};
  Status removed = remove_pod(volume, pod_uid);
  if (removed.ok()) forget(volume);
  return removed;
}

Result<bool> Recycler::may_empty(const Volume& volume) const {
  const Client client = parts_.cluster.client();
  const Result<Volume> live = client.get<Volume>(volume.key());
  if (!live && live.error().code() != Code::kNotFound) return live.error();
  if (!live || live->resource_version() != volume.resource_version()) return false;
  const Value owner = live->claim_ref();
  const std::string_view uid = owner[&Names::uid].string();
  if (uid.empty() || live->spec()["persistentVolumeReclaimPolicy"].string() != "Recycle") {
    return false;
  }
  const Result<volumes::Claim> claim = client.get<volumes::Claim>(
      {std::string(owner[&Names::ns].string()), std::string(owner[&Names::name].string())});
  if (!claim && claim.error().code() != Code::kNotFound) return claim.error();
  if (!claim || claim->uid() != uid) return true;
  const std::string_view other = claim->volume_name();
  return !other.empty() && other != live->name();
}

bool Recycler::report_use(const Volume& volume) const {
  const std::string_view ns = volume.claim_ref()[&Names::ns].string();
  const std::string_view name = volume.claim_ref()[&Names::name].string();
  if (parts_.claims.get(ns, name)) return false;  // Its pods use the volume of that claim.
  std::string pods;
  for (const Pod& each : volumes::pods_of_claim(parts_.pods, ns, name)) {
    pods.append(pods.empty() ? "" : ",").append(each.key().text());
  }
  if (pods.empty()) return false;
  parts_.cluster.events().normal(volume, kFailedRecycle, "Volume is used by pods: " + pods);
  return true;
}

Status Recycler::start(const Volume& volume) {
  const bool is_host_path = static_cast<bool>(volume.spec()["hostPath"]);
  const RecyclerTime& time = is_host_path ? parts_.options.host_path : parts_.options.nfs;
  const Value pod_template =
      parts_.cluster.config()[is_host_path ? kHostPathTemplate : kNfsTemplate];
  const Client client = parts_.cluster.client();
  const Result<Pod> made = client.create<Pod>(
      kRecyclerNamespace, recycler_pod(volume, time, pod_template), {.answer = Answer::kMetadata});
  if (made) {
    const std::lock_guard lock(mutex_);
    works_[std::string(volume.name())] = Work{std::string(made->uid()), {}};
    return {};
  }
  const Status refused = made.error();
  if (refused.code() == Code::kCancelled) return refused;
  if (refused.code() != Code::kAlreadyExists) {
    return fail(volume, "unexpected error creating recycler pod:  " + refused.message());
  }
  // A pod of an earlier process, or of a request whose response was lost.
  const Result<Pod> old =
      client.get<Pod>({std::string(kRecyclerNamespace), recycler_pod_name(volume.name())});
  Status removed = old ? remove_pod(volume.name(), std::string(old->uid()))
                       : old.error().unless(Code::kNotFound);
  if (removed.code() == Code::kCancelled) return removed;
  if (removed.ok()) return fail(volume, "old recycler pod found, will retry later");
  return fail(volume, "failed to delete old recycler pod " + std::string(kRecyclerNamespace) + '/' +
                          recycler_pod_name(volume.name()) + ": " + removed.message());
}

Status Recycler::follow(const Volume& volume, const std::string& pod_uid) {
  copy_events(volume, pod_uid);
  const Lookup<Pod> pod = parts_.pods.get(kRecyclerNamespace, recycler_pod_name(volume.name()));
  const bool is_gone = !pod || pod->uid() != pod_uid;
  if (!is_gone && !pod->is_finished()) return {};
  const Status removed = is_gone ? Status() : remove_pod(volume.name(), pod_uid);
  if (removed.code() == Code::kCancelled) return removed;
  constexpr std::string_view kContext = "failed to recycle volume: ";
  if (is_gone) return fail(volume, std::string(kContext) + "recycler pod was deleted");
  if (pod->phase() == "Failed") {
    const std::string_view message = pod->status()[&Names::message].string();
    return fail(volume, std::string(kContext).append(
                            message.empty() ? "pod failed, pod.Status.Message unknown" : message));
  }
  if (!removed.ok()) return fail(volume, "failed to delete recycler pod: " + removed.message());
  forget(volume.name());
  parts_.cluster.events().normal(volume, "VolumeRecycled", "Volume recycled");
  return unbind(parts_, volume);
}

void Recycler::copy_events(const Volume& volume, std::string_view pod_uid) {
  const std::string selector = "involvedObject.name=" + recycler_pod_name(volume.name());
  const Result<Value> list = parts_.cluster.client().call(
      Request::list<PodEvent>(kRecyclerNamespace, {.field_selector = selector}));
  if (!list) return;
  for (const Value each : (*list)[&Names::items].elements()) {
    const Value about = each["involvedObject"];
    const std::string_view of = about[&Names::uid].string();
    // Another attempt had a pod of the same name.
    if (about[&Names::kind].string() != "Pod" || (!of.empty() && of != pod_uid)) continue;
    {
      const std::lock_guard lock(mutex_);
      const auto work = works_.find(volume.name());
      if (work == works_.end()) return;
      if (!work->second.copied.emplace(PodEvent(each).uid()).second) continue;
    }
    const bool warns = each[&Names::type].string() == "Warning";
    parts_.cluster.events().record(
        Volume::kResource, volume, warns ? "Warning" : "Normal", kRecyclerPod,
        std::string("Recycler pod: ").append(each[&Names::message].string()));
  }
}

Status Recycler::remove_pod(std::string_view volume, const std::string& pod_uid) const {
  return parts_.cluster.client()
      .remove<Pod>({std::string(kRecyclerNamespace), recycler_pod_name(volume)}, {.uid = pod_uid})
      .unless(Code::kNotFound)
      .unless(Code::kConflict);  // Another pod of this name.
}

Status Recycler::fail(const Volume& volume, std::string_view text) {
  forget(volume.name());
  parts_.operations.failed(Operations::name("recycle", volume.name(), volume.uid()),
                           parts_.cluster.now());
  return set_failed(parts_, volume, kFailedRecycle, "Recycle failed: " + std::string(text));
}

std::string Recycler::pod_of(std::string_view volume) const {
  const std::lock_guard lock(mutex_);
  const auto found = works_.find(volume);
  return found == works_.end() ? std::string() : found->second.pod_uid;
}

void Recycler::forget(std::string_view volume) {
  const std::lock_guard lock(mutex_);
  if (const auto found = works_.find(volume); found != works_.end()) works_.erase(found);
}

}  // namespace davit::volumebinder
