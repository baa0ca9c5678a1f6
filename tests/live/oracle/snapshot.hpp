/// What a namespace looks like, up to what may differ between two runs of one scenario.
#pragma once

#include <string>

#include "tests/live/support/control_plane.hpp"

namespace davit::live {

/// The Deployments, ReplicaSets and Pods of a namespace and the events about them, one JSON object
/// a line, sorted. Names that contain random parts or template hashes, UIDs, versions and times are
/// replaced by what they stand for: a ReplicaSet is named after its revision, a pod after its
/// ReplicaSet. What upstream has changed since the oracle's version is mapped to one form;
/// known_differences.md lists it.
[[nodiscard]] std::string snapshot(const ControlPlane& cluster, const std::string& ns);

/// Waits until nothing in the namespace has changed for a while; says whether that happened in
/// time.
[[nodiscard]] bool settle(const ControlPlane& cluster, const std::string& ns);

}  // namespace davit::live
