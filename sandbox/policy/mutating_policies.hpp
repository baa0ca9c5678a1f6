/// MutatingPolicies: the MutatingAdmissionPolicies in force, and how they change objects.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/policy/compiled_mutation.hpp"
#include "sandbox/policy/policy_hooks.hpp"
#include "sandbox/policy/reinvocation.hpp"
#include "sandbox/policy/write_view.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Thread-safe; takes no lock while it evaluates.
/// The rules of k8s.io/apiserver/pkg/admission/plugin/policy/mutating.
class MutatingPolicies {
 public:
  /// Both must outlive it.
  MutatingPolicies(const Store& store, const Resources& resources)
      : store_(store),
        resources_(resources),
        hooks_(store, "mutatingadmissionpolicies", "mutatingadmissionpolicybindings") {}

  /// Lets policies change `object`, which is that of `write`, or refuses the write because one
  /// failed. Policies and bindings count as they are stored now, in the order of their names.
  /// `round`: that of the write's policies, over both passes.
  [[nodiscard]] ApiFailure mutate(JudgedWrite write, Json& object, const PolicyContext& context,
                                  Reinvocation& round);

 private:
  class Run;

  const Store& store_;
  const Resources& resources_;
  PolicyHooks<CompiledMutation> hooks_;
};

}  // namespace davit::sandbox
