/// Policies: the ValidatingAdmissionPolicies in force, and what they say of writes.
#pragma once

#include "sandbox/kinds/api_error.hpp"
#include "sandbox/policy/compiled_policy.hpp"
#include "sandbox/policy/policy_hooks.hpp"
#include "sandbox/policy/write_view.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Thread-safe; takes no lock while it evaluates.
class Policies {
 public:
  /// Both must outlive it.
  Policies(const Store& store, const Resources& resources)
      : store_(store),
        resources_(resources),
        hooks_(store, "validatingadmissionpolicies", "validatingadmissionpolicybindings") {}

  /// Refuses the write if a policy does. Policies and bindings count as they are stored now, in the
  /// order of their names.
  [[nodiscard]] ApiFailure judge(const JudgedWrite& write, const PolicyContext& context);

 private:
  class Run;

  const Store& store_;
  const Resources& resources_;
  PolicyHooks<CompiledPolicy> hooks_;
};

}  // namespace davit::sandbox
