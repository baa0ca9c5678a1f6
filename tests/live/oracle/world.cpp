#include "tests/live/oracle/world.hpp"

#include <algorithm>

#include "tests/live/support/follow.hpp"

namespace davit::oracle {

namespace {

constexpr std::string_view kSlice = "endpointslice";
constexpr std::string_view kCronJob = "cronjob";
constexpr std::string_view kBudget = "poddisruptionbudget";
constexpr std::string_view kAutoscaler = "horizontalpodautoscaler";
constexpr std::string_view kServiceRange = "servicecidr";
constexpr std::string_view kServiceAddress = "ipaddress";
constexpr std::string_view kPolicy = "validatingadmissionpolicy";
constexpr std::string_view kDeviceClaim = "resourceclaim";
constexpr std::string_view kDeviceClaimTemplate = "resourceclaimtemplate";
constexpr std::string_view kDeviceSlice = "resourceslice";
constexpr std::string_view kTaintRule = "devicetaintrule";
constexpr std::string_view kAttributesClass = "volumeattributesclass";
constexpr std::string_view kLease = "lease";
constexpr std::string_view kStorageVersion = "storageversion";
constexpr std::string_view kStorageMigration = "storageversionmigration";
constexpr std::string_view kFollowed[] = {"deployment",
                                          "replicaset",
                                          "pod",
                                          "service",
                                          "endpoints",
                                          kSlice,
                                          "event",
                                          "node",
                                          "resourcequota",
                                          "configmap",
                                          "clusterrole",
                                          "job",
                                          kCronJob,
                                          "replicationcontroller",
                                          kBudget,
                                          kAutoscaler,
                                          "daemonset",
                                          "statefulset",
                                          "controllerrevision",
                                          "persistentvolumeclaim",
                                          "secret",
                                          "serviceaccount",
                                          "persistentvolume",
                                          "storageclass",
                                          kAttributesClass,
                                          "volumeattachment",
                                          "csidriver",
                                          kServiceRange,
                                          kServiceAddress,
                                          kPolicy,
                                          "certificatesigningrequest",
                                          kLease,
                                          kStorageVersion,
                                          kStorageMigration,
                                          kDeviceClaim,
                                          kDeviceClaimTemplate,
                                          kDeviceSlice,
                                          kTaintRule};
constexpr char kScenario[] = "scenario";

/// "$ns-a" is an object of $ns without a namespace.
std::string scenario_in(const std::string& name) { return name.substr(0, name.rfind('-')); }

std::string space_of(const Json& object) {
  constexpr std::string_view kRecycler = "recycler-for-";
  const std::string& about = object.text_at({"involvedObject", "kind"});
  const std::string& subject = object.text_at({"involvedObject", "name"});
  if (about == "Node" || about == "PersistentVolume") {
    return scenario_in(subject);  // In namespace default.
  }
  // The pods that empty volumes are in namespace default, too, and so are the Events about them.
  for (const std::string& name : {subject, object.text_at({"metadata", "name"})}) {
    if (name.starts_with(kRecycler)) return scenario_in(name.substr(kRecycler.size()));
  }
  if (object.text_at({"kind"}) == "VolumeAttachment") {
    return scenario_in(object.text_at({"spec", "nodeName"}));  // Made by a controller.
  }
  // Without a namespace, or in a second one of the scenario.
  const std::string& scenario = object.text_at({"metadata", "labels", kScenario});
  return scenario.empty() ? object.text_at({"metadata", "namespace"}) : scenario;
}

}  // namespace

World::World(host::RestClient& client, Slices slices) : client_(client), slices_(slices) {
  for (const std::string_view name : kFollowed) {
    // These came in the versions that davit writes with one release, autoscalers soon after.
    const bool is_new = name == kSlice || name == kCronJob || name == kBudget ||
                        name == kAutoscaler || name == kAttributesClass || name == kServiceRange ||
                        name == kServiceAddress || name == kPolicy || name == kStorageVersion ||
                        name == kStorageMigration || name == kDeviceClaim ||
                        name == kDeviceClaimTemplate || name == kDeviceSlice || name == kTaintRule;
    if (slices_ == Slices::kNone && is_new) continue;
    threads_.emplace_back(
        [this, kind = find_kind(name)](const std::stop_token& stop) { watch(stop, *kind); });
  }
}

World::~World() = default;

void World::watch(const std::stop_token& stop, const KindInfo& kind) {
  host::ResourcePath path;
  path.group = kind.group;
  path.version = kind.version;
  path.resource = kind.resource;
  live::follow(client_, path, stop,
               [&](host::WatchType type, std::string_view json) -> Result<std::string> {
                 if (type == host::WatchType::kError) {
                   MutexLock lock(mutex_);
                   losses_.push_back(std::string(kind.resource) + ": " + std::string(json));
                   return std::string();
                 }
                 Result<Json> object = parse_json(json);
                 if (!object) return object.error();
                 std::string version = object->text_at({"metadata", "resourceVersion"});
                 if (type != host::WatchType::kBookmark) {
                   note(kind, std::move(*object), type == host::WatchType::kDeleted);
                 }
                 return version;
               });
}

void World::note(const KindInfo& kind, Json object, bool gone) {
  if (Json* metadata = object.find("metadata")) metadata->erase("managedFields");
  const std::string ns = space_of(object);
  // Those of nodes and servers are renewed all the time.
  if (kind.name == kLease && object.text_at({"metadata", "labels", kScenario}).empty()) return;
  const std::string uid = object.text_at({"metadata", "uid"});
  const std::string name = object.text_at({"metadata", "name"});
  const std::string& version = object.text_at({"metadata", "resourceVersion"});
  MutexLock lock(mutex_);
  Space& space = spaces_[ns];
  const auto [at, is_new] = space.by_uid.try_emplace(uid, space.lives.size());
  if (is_new) space.lives.push_back({&kind, name, {}, false});
  Life& life = space.lives[at->second];
  const bool is_known =
      !life.versions.empty() && life.now().text_at({"metadata", "resourceVersion"}) == version;
  if (is_known && life.gone == gone) return;
  life.gone = gone;
  life.versions.push_back(std::make_shared<const Json>(std::move(object)));
  ++space.changes;
  ++changes_;
}

std::vector<std::string> World::losses() const {
  MutexLock lock(mutex_);
  return losses_;
}

std::vector<Life> World::lives(const std::string& ns) const {
  MutexLock lock(mutex_);
  const auto found = spaces_.find(ns);
  return found == spaces_.end() ? std::vector<Life>() : found->second.lives;
}

std::vector<Life> World::all_lives() const {
  MutexLock lock(mutex_);
  std::vector<Life> out;
  for (const auto& [ns, space] : spaces_) {
    out.insert(out.end(), space.lives.begin(), space.lives.end());
  }
  return out;
}

bool World::has_seen(const Json& object) const {
  const std::string& version = object.text_at({"metadata", "resourceVersion"});
  MutexLock lock(mutex_);
  const auto space = spaces_.find(space_of(object));
  if (space == spaces_.end()) return false;
  const auto found = space->second.by_uid.find(object.text_at({"metadata", "uid"}));
  if (found == space->second.by_uid.end()) return false;
  const Life& life = space->second.lives[found->second];
  return life.gone ||
         std::any_of(life.versions.begin(), life.versions.end(), [&version](const Version& each) {
           return each->text_at({"metadata", "resourceVersion"}) == version;
         });
}

std::uint64_t World::changes(const std::string& ns) const {
  MutexLock lock(mutex_);
  const auto found = spaces_.find(ns);
  return found == spaces_.end() ? 0 : found->second.changes;
}

std::uint64_t World::changes() const {
  MutexLock lock(mutex_);
  return changes_;
}

}  // namespace davit::oracle
