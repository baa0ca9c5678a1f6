#include "plugins/selinuxwarning/selinux_warning_controller.hpp"

#include <initializer_list>
#include <string>
#include <utility>

#include "plugins/selinuxwarning/mounted_volumes.hpp"
#include "plugins/shared/volumes/claim_pods.hpp"
#include "plugins/shared/volumes/pod_claims.hpp"

namespace davit::selinuxwarning {
namespace {

bool mounts_with_label(const volumes::CsiDriver& driver) {
  return driver.spec()["seLinuxMount"].is_true();
}

std::string_view claim_uid(const volumes::Volume& volume) {
  return volume.claim_ref()[&Names::uid].string();
}

}  // namespace

SelinuxWarningController::SelinuxWarningController(Context& cluster)
    : cluster_(cluster),
      conflicts_(
          cluster.open_metric({.type = MetricType::kGauge,
                               .name = "selinux_warning_controller_selinux_volume_conflict",
                               .help = "Conflict between two Pods using the same volume",
                               .labels = {"property", "pod1_namespace", "pod1_name", "pod1_value",
                                          "pod2_namespace", "pod2_name", "pod2_value"}})),
      queue_(cluster.open_queue({.name = "selinux_warning", .workers = 1},
                                [this](const Key& key) { return sync(key); })),
      pods_(cluster.open_informer<Pod>({.added = [this](const Pod& pod) { queue_.add(pod); },
                                        .updated =
                                            [this](const Pod& old, const Pod& pod) {
                                              // Nothing else that counts can change in a pod.
                                              const bool is_another = old.uid() != pod.uid();
                                              if (is_another || (pod.is_finished() &&
                                                                 old.phase() != pod.phase())) {
                                                queue_.add(pod);
                                              }
                                            },
                                        .deleted = [this](const Pod& pod) { queue_.add(pod); }})),
      claims_(cluster.open_informer<volumes::Claim>(
          {.added =
               [this](const volumes::Claim& claim) {
                 if (!claim.volume_name().empty()) add_pods_of_claim(claim.ns(), claim.name());
               },
           .updated =
               [this](const volumes::Claim& old, const volumes::Claim& claim) {
                 if (old.volume_name() != claim.volume_name()) {
                   add_pods_of_claim(claim.ns(), claim.name());
                 }
               }})),
      volumes_(cluster.open_informer<volumes::Volume>(
          {.added =
               [this](const volumes::Volume& volume) {
                 if (!claim_uid(volume).empty()) add_pods_of_volume(volume);
               },
           .updated =
               [this](const volumes::Volume& old, const volumes::Volume& volume) {
                 const std::string_view uid = claim_uid(volume);
                 if (!uid.empty() && uid != claim_uid(old)) add_pods_of_volume(volume);
               }})),
      drivers_(cluster.open_informer<volumes::CsiDriver>(
          {.any = [this](const Event<volumes::CsiDriver>& event) { on_driver(event); }})) {
  cluster.add_index(pods_, volumes::kByClaimName, volumes::kClaimNamePath);
}

void SelinuxWarningController::on_driver(const Event<volumes::CsiDriver>& event) const {
  using Type = Event<volumes::CsiDriver>::Type;
  const bool is_on = mounts_with_label(event.current);
  const bool has_changed =
      event.type == Type::kUpdated ? is_on != mounts_with_label(*event.old) : is_on;
  if (!has_changed) return;
  const std::string_view driver = event.current.name();
  for (const volumes::Volume& each : volumes_.list()) {
    const std::optional<volumes::Source> source = volumes::source_of_volume(each);
    if (source && source->driver == driver) add_pods_of_volume(each);
  }
  for (const Pod& pod : pods_.list()) {
    const auto is_its = [&](Value volume) {
      const std::optional<volumes::Source> source = volumes::source_of_inline(volume, pod.ns());
      return source && source->driver == driver;
    };
    if (volumes::any_volume(pod, is_its)) queue_.add(pod);
  }
}

void SelinuxWarningController::add_pods_of_claim(std::string_view ns, std::string_view name) const {
  volumes::each_pod_of_claim(pods_, ns, name, [this](const Pod& pod) { queue_.add(pod); });
}

void SelinuxWarningController::add_pods_of_volume(const volumes::Volume& volume) const {
  const Value claim = volume.claim_ref();
  add_pods_of_claim(claim[&Names::ns].string(), claim[&Names::name].string());
}

Result<Again> SelinuxWarningController::sync(const Key& key) {
  const Lookup<Pod> pod = pods_.get(key);
  if (!pod && !pod.error().ok()) return pod.error();
  if (!pod || pod->is_finished()) {
    show(ledger_.replace(key, {}));
    return Again::when_changed();
  }
  const PodVolumes found = volumes_of(*pod);
  for (const std::string& each : found.mixed) {
    cluster_.events().warning(*pod, "MultipleSELinuxLabels",
                              "Volume \"" + each +
                                  "\" is mounted twice with different SELinux labels inside this "
                                  "pod");
  }
  show(ledger_.replace(key, found.uses));
  if (found.is_waiting || !found.mixed.empty()) return Again::with_backoff();
  return Again::when_changed();
}

SelinuxWarningController::PodVolumes SelinuxWarningController::volumes_of(const Pod& pod) const {
  PodVolumes out;
  const MountLabels labels = mount_labels(pod);
  for (const Value each : pod.spec()["volumes"].elements()) {
    std::optional<volumes::Source> source;
    if (volumes::claim_name(pod, each).empty()) {
      source = volumes::source_of_inline(each, pod.ns());
    } else if (const std::optional<volumes::Volume> volume = bound_volume(pod, each)) {
      source = volumes::source_of_volume(*volume);
    } else {
      out.is_waiting = true;
      continue;
    }
    const auto mounted = labels.find(each[&Names::name].string());
    if (mounted == labels.end()) continue;
    if (mounted->second.size() > 1) {
      out.mixed.push_back(mounted->first);
      continue;
    }
    if (!source || !supports_labels(*source)) continue;
    std::string label;
    if (!mounted->second.empty() && !is_recursive(pod)) label = *mounted->second.begin();
    const ChangePolicy policy =
        label.empty() ? ChangePolicy::kRecursive : ChangePolicy::kMountOption;
    out.uses.push_back({std::move(source->name), std::move(label), policy});
  }
  return out;
}

std::optional<volumes::Volume> SelinuxWarningController::bound_volume(const Pod& pod,
                                                                      Value volume) const {
  const Lookup<volumes::Claim> claim = claims_.get(pod.ns(), volumes::claim_name(pod, volume));
  if (!claim || claim->phase() != "Bound" || claim->volume_name().empty()) return std::nullopt;
  if (volumes::is_ephemeral(volume) && !claim->is_controlled_by(pod)) return std::nullopt;
  const Lookup<volumes::Volume> bound = volumes_.get("", claim->volume_name());
  if (!bound || claim_uid(*bound) != claim->uid()) return std::nullopt;
  return *bound;
}

bool SelinuxWarningController::supports_labels(const volumes::Source& source) const {
  if (source.driver.empty()) return true;
  const Lookup<volumes::CsiDriver> driver = drivers_.get("", source.driver);
  return driver && mounts_with_label(*driver);
}

void SelinuxWarningController::show(const Changes& changes) const {
  const auto labels = [](const Conflict& of, const auto& visit) {
    visit({name_of(of.property), of.pod.ns, of.pod.name, of.value, of.other.ns, of.other.name,
           of.other_value});
  };
  using Values = std::initializer_list<std::string_view>;
  for (const Conflict& each : changes.ended) {
    labels(each, [this](Values values) { conflicts_.remove(values); });
  }
  for (const Conflict& each : changes.begun) {
    labels(each, [this](Values values) { conflicts_.record(1, values); });
  }
  for (const Conflict& each : changes.to_report) {
    const Lookup<Pod> pod = pods_.get(each.pod);
    if (!pod) return;  // The conflict has ended with it.
    cluster_.events().normal(*pod, reason_of(each.property), message_of(each));
  }
}

}  // namespace davit::selinuxwarning
