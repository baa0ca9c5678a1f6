/// Quota: refuses what would exceed a ResourceQuota of its namespace.
#pragma once

#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/admission/admission.hpp"

namespace davit::sandbox {

/// Counts the objects in the store at every write, so that it needs no controller. A real server
/// uses the status that a controller writes: it enforces nothing before status.hard is set.
///
/// Writes that are on their way are counted too, in the order in which they came: of two pods that
/// race for one place, the first gets it. Thread-safe.
class Quota {
 public:
  /// `objects` must outlive it.
  explicit Quota(const ObjectLookup& objects) : objects_(objects) {}

  /// For creating an object of any kind.
  [[nodiscard]] Reserved reserve(const WriteRequest& request, const Json& object) EXCLUDES(mutex_);

 private:
  /// A write between reserve() and the end of its reservation.
  struct Pending {
    std::string ns;
    Collection collection;
    std::string name;
    Json object;
  };
  using Pendings = std::list<Pending>;
  class Hold;

  /// The stored objects of a kind in the namespace of `mine`, and the pending ones before it.
  [[nodiscard]] std::vector<Json> others(const Collection& collection, const Pending& mine)
      EXCLUDES(mutex_);
  void forget(Pendings::iterator pending) EXCLUDES(mutex_);

  const ObjectLookup& objects_;
  Mutex mutex_;
  Pendings pending_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox
