/// The claim of a generic ephemeral volume. Pure. Rule: docs/spec/volumes.md, part F.
#pragma once

#include <davit/kube/pod.hpp>
#include <string>

namespace davit::ephemeralvolume {

/// The JSON text of the claim that `volume` of the pod asks for: labels, annotations and spec of
/// its template, unknown fields included, and the pod as its controller.
[[nodiscard]] std::string claim_body(const Pod& pod, Value volume);

}  // namespace davit::ephemeralvolume
