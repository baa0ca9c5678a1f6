/// Who held a Lease, one after the other.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "host/object/object.hpp"
#include "host/object/object_space.hpp"
#include "lib/base/mutex.hpp"
#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// The time of one holder, from the Lease's own records.
struct Tenure {
  std::string holder;
  std::string acquired;      ///< "2026-11-23T00:12:01.123456Z"
  std::string last_renewed;  ///< The same; also the time at which it was given back.
  bool given_back = false;
};

/// Follows a Lease of kube-system from its first version. Has a thread of its own.
class LeaseHistory {
 public:
  LeaseHistory(const ControlPlane& cluster, std::string name);
  ~LeaseHistory();

  /// In the order of the Lease's versions. Covers what has arrived so far.
  [[nodiscard]] std::vector<Tenure> tenures() const;
  /// One line for each tenure.
  [[nodiscard]] std::string text() const;

 private:
  void watch(const std::stop_token& stop);
  void on_record(host::Value spec);

  const ControlPlane& cluster_;
  const std::string name_;
  host::ObjectSpace space_;
  mutable Mutex mutex_;
  std::vector<Tenure> tenures_ GUARDED_BY(mutex_);
  std::jthread thread_;
};

}  // namespace davit::live
