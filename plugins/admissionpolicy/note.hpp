/// The plugin's declarations, which the host reads before any of its code runs. Tests run the
/// controller under the same rights and projections.
#pragma once

#include <davit/entry.hpp>
#include <davit/options.hpp>

#include "plugins/admissionpolicy/admission_policy_controller.hpp"
#include "plugins/admissionpolicy/views.hpp"

namespace davit::admissionpolicy {

constexpr void declare(Note& note) {
  note.plugin("admissionpolicy", "0.1.0")
      .needs("davit.discovery/1")
      .controller({.name = "validatingadmissionpolicy-status-controller",
                   .factory = &make_without_options<AdmissionPolicyController>,
                   .workers = 5})
      .rule<ValidatingAdmissionPolicy>({"patch"}, {.subresource = "status"})
      .rule<CustomResourceDefinition>({"get"})
      .watch<ValidatingAdmissionPolicy>({"metadata.generation", "spec.paramKind",
                                         "spec.matchConstraints.resourceRules", "spec.validations",
                                         "spec.variables", "status.observedGeneration"});
}

}  // namespace davit::admissionpolicy
