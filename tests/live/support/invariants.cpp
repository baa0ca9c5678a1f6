#include "tests/live/support/invariants.hpp"

#include <algorithm>

#include "host/api/rest_client.hpp"
#include "host/object/metadata.hpp"
#include "host/object/parse.hpp"
#include "host/object/watch_splitter.hpp"

namespace davit::live {

using host::MutexLock;
using host::Value;
using host::WatchType;

Invariants::Invariants(const ControlPlane& cluster, int most_wanted)
    : cluster_(cluster), most_wanted_(most_wanted) {
  for (const char* resource : {"replicasets", "pods"}) {
    threads_.emplace_back(
        [this, resource](const std::stop_token& stop) { follow(stop, resource); });
  }
}

Invariants::~Invariants() = default;

void Invariants::follow(const std::stop_token& stop, const std::string& resource) {
  host::ApiRequest request;
  request.verb = host::Verb::kWatch;
  request.path = {resource == "pods" ? "" : "apps", "v1", resource, "", "default", ""};
  host::Parser parser(space_);
  while (!stop.stop_requested()) {
    host::WatchSplitter splitter;
    (void)cluster_.client().stream(request, stop, [&](std::string_view chunk) {
      return splitter.feed(chunk, [&](WatchType type, std::string_view json) -> Status {
        const Result<host::ObjectRef> object = parser.parse(json);
        if (!object) return object.error();
        const bool gone = type == WatchType::kDeleted;
        if (resource == "pods") {
          on_pod(object->root(), gone);
        } else {
          on_replica_set(object->root(), gone);
        }
        return {};
      });
    });
  }
}

void Invariants::on_pod(Value pod, bool gone) {
  const std::string uid(pod["metadata"]["uid"].string());
  const std::string owner(pod["metadata"]["ownerReferences"].at(0)["uid"].string());
  if (owner.empty()) return;
  MutexLock lock(mutex_);
  seen_.insert(uid);
  std::set<std::string>& siblings = pods_[owner];
  if (gone || pod["metadata"]["deletionTimestamp"]) {
    siblings.erase(uid);
    return;
  }
  siblings.insert(uid);
  // The two watches are not ordered against each other: a set that is not known yet is judged when
  // it is.
  const auto told = most_told_.find(owner);
  if (told != most_told_.end() && static_cast<int>(siblings.size()) > told->second) {
    breach(owner + " has " + std::to_string(siblings.size()) + " pods, but was told to have " +
           std::to_string(told->second) + " at most");
  }
}

void Invariants::on_replica_set(Value set, bool gone) {
  const std::string uid(set["metadata"]["uid"].string());
  const std::string owner(set["metadata"]["ownerReferences"].at(0)["uid"].string());
  const int replicas = static_cast<int>(set["spec"]["replicas"].integer().value_or(0));
  MutexLock lock(mutex_);
  int& told = most_told_[uid];
  told = std::max(told, replicas);
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

std::vector<std::string> Invariants::breaches() const {
  MutexLock lock(mutex_);
  return breaches_;
}

std::size_t Invariants::pods_seen() const {
  MutexLock lock(mutex_);
  return seen_.size();
}

}  // namespace davit::live
