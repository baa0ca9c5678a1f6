/// The EndpointSlice that mirrors a part of an Endpoints object: whether its metadata is right, and
/// what to send. Rule: docs/spec/small-controllers.md, B5 and B6.
#pragma once

#include <davit/kube/endpoint_slice.hpp>
#include <davit/kube/endpoints.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/endpointslicemirroring/wanted_mirror.hpp"

namespace davit::endpointslicemirroring {

/// The value of EndpointSlice::kManagedByLabel on this controller's slices.
inline constexpr std::string_view kMirrorManager = "endpointslicemirroring-controller.k8s.io";

[[nodiscard]] inline bool is_managed(const EndpointSlice& slice) {
  return slice.manager() == kMirrorManager;
}

/// Whether slices mirror the object at all: it is not marked as one to skip, and is not a lock of a
/// leader election.
[[nodiscard]] bool should_mirror(const Endpoints& endpoints);

/// Whether labels, annotations and owner are those that the object asks for.
[[nodiscard]] bool has_metadata_of(const EndpointSlice& slice, const Endpoints& endpoints);

/// A slice to create, or to replace a stored one.
struct MirroredSlice {
  std::string name = {};  ///< Empty: the server names it.
  MirrorGroup group = {};
  std::vector<endpoint::SliceEndpoint> endpoints = {};
};

/// The whole slice, without a version, so that it replaces any slice of that name.
[[nodiscard]] std::string slice_body(const MirroredSlice& slice, const Endpoints& endpoints);

}  // namespace davit::endpointslicemirroring
