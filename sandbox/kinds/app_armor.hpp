/// AppArmor profiles in annotations, as clients before v1.30 set them.
#pragma once

#include <string>
#include <string_view>

#include "lib/kube/json.hpp"

namespace davit::sandbox {

/// The name of a container follows.
inline constexpr std::string_view kAppArmorPrefix =
    "container.apparmor.security.beta.kubernetes.io/";

/// The field that means the same; null if there is none. k8s: ApparmorFieldForAnnotation.
[[nodiscard]] Json app_armor_profile(const std::string& annotation);

/// Gives the containers of a new pod the profiles of its annotations unless they have one.
/// k8s: applyAppArmorVersionSkew.
void set_app_armor_profiles(Json& pod);

}  // namespace davit::sandbox
