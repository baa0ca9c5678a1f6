#include "tests/live/resilience/lease_history.hpp"

#include <utility>

#include "host/object/parse.hpp"
#include "tests/live/support/follow.hpp"

namespace davit::live {

using host::Value;
using host::WatchType;

LeaseHistory::LeaseHistory(const ControlPlane& cluster, std::string name)
    : cluster_(cluster),
      name_(std::move(name)),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

LeaseHistory::~LeaseHistory() = default;

void LeaseHistory::watch(const std::stop_token& stop) {
  host::Parser parser(space_);
  const host::ResourcePath path = {"coordination.k8s.io", "v1", "leases", "", "kube-system", ""};
  follow(cluster_.client(), path, stop,
         [&](WatchType type, std::string_view json) -> Result<std::string> {
           if (type == WatchType::kError) return std::string();
           const Result<host::ObjectRef> lease = parser.parse(json);
           if (!lease) return lease.error();
           const Value meta = lease->root()["metadata"];
           if (type != WatchType::kBookmark && meta["name"].string() == name_) {
             on_record(lease->root()["spec"]);
           }
           return std::string(meta["resourceVersion"].string());
         });
}

void LeaseHistory::on_record(Value spec) {
  const std::string holder(spec["holderIdentity"].string());
  MutexLock lock(mutex_);
  if (holder.empty()) {
    if (!tenures_.empty()) tenures_.back().given_back = true;
  } else if (tenures_.empty() || tenures_.back().holder != holder) {
    tenures_.push_back({.holder = holder,
                        .acquired = std::string(spec["acquireTime"].string()),
                        .last_renewed = {}});
  }
  if (!tenures_.empty()) tenures_.back().last_renewed = spec["renewTime"].string();
}

std::vector<Tenure> LeaseHistory::tenures() const {
  MutexLock lock(mutex_);
  return tenures_;
}

std::string LeaseHistory::text() const {
  std::string out;
  for (const Tenure& each : tenures()) {
    out += name_ + ": " + each.holder + " from " + each.acquired +
           (each.given_back ? ", given back at " : ", last renewed at ") + each.last_renewed + "\n";
  }
  return out;
}

}  // namespace davit::live
