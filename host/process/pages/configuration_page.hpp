/// /configz: the settings in force, in the form of kube-controller-manager.
#pragma once

#include "host/process/pages/flags_in_force.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {

/// The document of kube-controller-manager v1.36, `kubecontrollermanager.config.k8s.io`, as far as
/// davit has its settings: sections of controllers that davit does not have are missing. Has no
/// secrets, only the names of files. Pure. Rule: docs/spec/host.md, 8.7.
[[nodiscard]] Json configuration_page(const SettingsInForce& settings);

}  // namespace davit::host
