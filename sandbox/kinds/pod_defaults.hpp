/// The defaults of pods and pod templates.
#pragma once

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// For the source of a pod's volume or of a PersistentVolume, which `volume` has as a member.
void set_volume_source_defaults(Json& volume);
/// For every PodSpec, in pods and in templates.
void set_pod_spec_defaults(Json& spec);
/// For the spec of a Pod itself, after set_pod_spec_defaults().
void set_pod_only_defaults(Json& spec);

}  // namespace davit::sandbox
