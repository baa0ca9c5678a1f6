/// Stable names for values that differ from run to run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "tests/live/oracle/world.hpp"

namespace davit::oracle {

/// Names with random parts or template hashes. The second ReplicaSet of Deployment web is
/// `web-#2` and its hash `HASH-web-#2`, its pods are `web-#2-POD`; "second" by appearance. A
/// DaemonSet's revisions are `web-REVISION-1` and on. An EndpointSlice of Service web is
/// `web-SLICE`. The claim that a pod `p` gets for its `g` is
/// `p-g-CLAIM`. A Job that begins now is `cron-NOW`, one of a yearly schedule `cron-NEW-YEAR`. A
/// UID is "UID of pod web-#2-POD", or of "service web, life 2" when a name had several lives.
class Names {
 public:
  /// From every object that a namespace ever had.
  explicit Names(const std::vector<Life>& lives);

  /// `text` with every name in it replaced.
  [[nodiscard]] std::string replaced(std::string text) const;

 private:
  /// Jobs of CronJobs, and their starts: one after the creation of the CronJob is at another minute
  /// in each run, one of a yearly schedule in another year.
  void add_starts(const std::vector<Life>& lives);
  /// DaemonSets, and their revisions, whose names end with a hash.
  void add_daemon_sets(const std::vector<Life>& lives);

  /// ResourceClaims that were made for pods, and those that were to be made.
  void add_claims(const std::vector<Life>& lives);

  /// A ReplicaSet's name holds its hash, a pod's that of its ReplicaSet.
  struct LongerFirst {
    bool operator()(const std::string& a, const std::string& b) const {
      return a.size() != b.size() ? a.size() > b.size() : a < b;
    }
  };

  std::map<std::string, std::string, LongerFirst> tokens_;
  std::map<std::string, std::string> uids_;
  /// Beginnings of generated names, with a placeholder for the rest.
  std::map<std::string, std::string> generated_;
};

}  // namespace davit::oracle
