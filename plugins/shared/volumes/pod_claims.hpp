/// The claims that a pod's volumes refer to. Rules: docs/spec/volumes.md, B2 and C3.
#pragma once

#include <davit/kube/pod.hpp>
#include <string>
#include <string_view>

namespace davit::volumes {

/// Whether a volume of a pod is a generic ephemeral one, whose claim is made for the pod.
[[nodiscard]] inline bool is_ephemeral(Value volume) { return !volume["ephemeral"].is_absent(); }

/// The name of the claim of a generic ephemeral volume.
[[nodiscard]] inline std::string ephemeral_claim_name(const Pod& pod, Value volume) {
  return std::string(pod.name()) + "-" + std::string(volume[&Names::name].string());
}

/// The claim that a volume refers to, in the namespace of the pod; empty: none.
[[nodiscard]] inline std::string claim_name(const Pod& pod, Value volume) {
  if (is_ephemeral(volume)) return ephemeral_claim_name(pod, volume);
  return std::string(volume["persistentVolumeClaim"]["claimName"].string());
}

/// Whether any volume of the pod satisfies `predicate(Value)`.
template <typename Predicate>
[[nodiscard]] bool any_volume(const Pod& pod, const Predicate& predicate) {
  for (const Value each : pod.spec()["volumes"].elements()) {
    if (predicate(each)) return true;
  }
  return false;
}

/// Whether the kubelet has finished with the pod, although finalizers keep the object.
[[nodiscard]] inline bool is_shut_down(const Pod& pod) {
  return pod.is_being_deleted() && pod.metadata()["deletionGracePeriodSeconds"].integer_or(1) == 0;
}

}  // namespace davit::volumes
