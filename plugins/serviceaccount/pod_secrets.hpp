/// The names of the Secrets that a pod refers to. Pure;
/// kubernetes:pkg/api/v1/pod, VisitPodSecretNames.
#pragma once

#include <davit/kube/pod.hpp>
#include <string_view>
#include <vector>

namespace davit::serviceaccount {

/// The names stem from image pulls, the environment of all containers, and volumes. None is empty.
/// They live as long as the pod's value. Rule: docs/spec/serviceaccount.md, D1.
[[nodiscard]] std::vector<std::string_view> secrets_of(const Pod& pod);

}  // namespace davit::serviceaccount
