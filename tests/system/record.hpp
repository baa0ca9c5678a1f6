/// The history of a cluster's workloads, from the server's own watches: the state, and every step
/// towards it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/kube/json.hpp"
#include "lib/net/http_message.hpp"
#include "sandbox/store/store.hpp"

namespace davit::test {

/// One event of a watch.
struct Step {
  sandbox::Revision revision = 0;
  std::string kind;  ///< "Pod", "ReplicaSet", "Endpoints", …
  bool deleted = false;
  Json object;
};

/// Follows Deployments, ReplicaSets, pods, Services, Endpoints, EndpointSlices and nodes. One
/// thread.
class Record {
 public:
  using Objects = std::map<std::string, Json>;  ///< The key is a UID.

  /// `server`, which must outlive it, is asked directly: no fault befalls the record.
  explicit Record(HttpHandler& server);

  /// Takes in what happened since.
  void read();

  [[nodiscard]] const Objects& deployments() const { return objects_.at("Deployment"); }
  [[nodiscard]] const Objects& replica_sets() const { return objects_.at("ReplicaSet"); }
  [[nodiscard]] const Objects& pods() const { return objects_.at("Pod"); }
  [[nodiscard]] const Objects& nodes() const { return objects_.at("Node"); }
  [[nodiscard]] const Objects& slices() const { return objects_.at("EndpointSlice"); }
  /// The object of that kind and name; null when there is none.
  [[nodiscard]] Json find(const std::string& kind, const std::string& name) const;
  [[nodiscard]] Json deployment(const std::string& name) const { return find("Deployment", name); }
  /// The steps so far, by revision.
  [[nodiscard]] std::vector<Step> steps() const;
  [[nodiscard]] sandbox::Revision revision() const;

 private:
  struct Watch {
    std::string kind;
    std::unique_ptr<HttpBodyStream> stream;
  };
  void read(Watch& watch);

  std::map<std::string, Objects> objects_;
  std::vector<Step> steps_;  // In the order of arrival.
  std::vector<Watch> watches_;
};

}  // namespace davit::test
