#include "tests/live/support/invariants.hpp"

#include <algorithm>

#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "tests/live/support/follow.hpp"

namespace davit::live {

using host::Value;
using host::WatchType;

Invariants::Invariants(const ControlPlane& cluster, int most_wanted)
    : cluster_(cluster), most_wanted_(most_wanted) {
  for (const char* resource : {"replicasets", "pods"}) {
    threads_.emplace_back([this, resource](const std::stop_token& stop) { watch(stop, resource); });
  }
}

Invariants::~Invariants() = default;

void Invariants::watch(const std::stop_token& stop, const std::string& resource) {
  host::Parser parser(space_);
  const bool is_pods = resource == "pods";
  const host::ResourcePath path = {is_pods ? "" : "apps", "v1", resource, "", "default", ""};
  follow(cluster_.client(), path, stop,
         [&](WatchType type, std::string_view json) -> Result<std::string> {
           if (type == WatchType::kError) {
             MutexLock lock(mutex_);
             breach("the watch of " + resource + " has lost its place: " + std::string(json));
             return std::string();
           }
           const Result<host::ObjectRef> object = parser.parse(json);
           if (!object) return object.error();
           std::string version(object->root()["metadata"]["resourceVersion"].string());
           if (type == WatchType::kBookmark) return version;
           const bool gone = type == WatchType::kDeleted;
           if (is_pods) {
             on_pod(object->root(), std::stoull(version), gone);
           } else {
             on_replica_set(object->root(), std::stoull(version), gone);
           }
           return version;
         });
}

void Invariants::on_pod(Value pod, std::uint64_t version, bool gone) {
  const std::string uid(pod["metadata"]["uid"].string());
  const std::string owner(pod["metadata"]["ownerReferences"].at(0)["uid"].string());
  if (owner.empty()) return;
  const bool lives = !gone && !pod["metadata"]["deletionTimestamp"];
  MutexLock lock(mutex_);
  seen_.insert(uid);
  steps_[owner].push_back({.version = version, .told = std::nullopt, .pod = uid, .lives = lives});
}

void Invariants::on_replica_set(Value set, std::uint64_t version, bool gone) {
  const std::string uid(set["metadata"]["uid"].string());
  const std::string owner(set["metadata"]["ownerReferences"].at(0)["uid"].string());
  const int replicas = static_cast<int>(set["spec"]["replicas"].integer().value_or(0));
  MutexLock lock(mutex_);
  steps_[uid].push_back({.version = version, .told = replicas, .pod = {}, .lives = false});
  std::map<std::string, int>& sets = wanted_[owner];
  if (gone) {
    sets.erase(uid);
    return;
  }
  sets[uid] = replicas;
  int sum = 0;
  for (const auto& [name, each] : sets) sum += each;
  if (sum > most_wanted_) {
    breach("the ReplicaSets of " + owner + " want " + std::to_string(sum) +
           " replicas, more than " + std::to_string(most_wanted_));
  }
}

void Invariants::breach(const std::string& text) { breaches_.push_back(text); }

std::optional<std::string> Invariants::judge(std::vector<Step> steps) {
  std::stable_sort(steps.begin(), steps.end(),
                   [](const Step& a, const Step& b) { return a.version < b.version; });
  int most_told = 0;
  std::set<std::string> pods;
  for (const Step& each : steps) {
    if (each.told) {
      most_told = std::max(most_told, *each.told);
    } else if (!each.lives) {
      pods.erase(each.pod);
    } else if (pods.insert(each.pod).second && static_cast<int>(pods.size()) > most_told) {
      return " has " + std::to_string(pods.size()) + " pods at version " +
             std::to_string(each.version) + ", but was told to have " + std::to_string(most_told) +
             " at most";
    }
  }
  return std::nullopt;
}

std::vector<std::string> Invariants::breaches() const {
  MutexLock lock(mutex_);
  std::vector<std::string> out = breaches_;
  for (const auto& [owner, steps] : steps_) {
    if (std::optional<std::string> found = judge(steps)) out.push_back(owner + *found);
  }
  return out;
}

std::size_t Invariants::pods_seen() const {
  MutexLock lock(mutex_);
  return seen_.size();
}

}  // namespace davit::live
