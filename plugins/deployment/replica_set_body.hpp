/// The ReplicaSet for a Deployment's current template, as a request body.
#pragma once

#include <cstdint>
#include <davit/kube/deployment.hpp>
#include <string>
#include <string_view>

namespace davit::deployment {

struct NewReplicaSet {
  std::string_view name;
  std::string_view hash;
  std::int64_t size = 0;
  std::int64_t revision = 0;
  std::int64_t replicas_max = 0;  ///< For the max-replicas annotation.
};

/// The body of its POST. Template and selector are spliced from the Deployment's own text, so that
/// fields unknown here survive; a pod-template-hash label of the user's is replaced.
[[nodiscard]] std::string new_replica_set_body(const Deployment& deployment,
                                               const NewReplicaSet& wanted);

/// A template's text without the hash label, for a Deployment that goes back to a ReplicaSet's.
[[nodiscard]] std::string template_without_hash(const Value& pod_template);

}  // namespace davit::deployment
