/// Policies: the ValidatingAdmissionPolicies in force, and what they say of writes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/policy/compiled_policy.hpp"
#include "sandbox/policy/write_view.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Thread-safe; takes no lock while it evaluates.
class Policies {
 public:
  /// Both must outlive it.
  Policies(const Store& store, const Resources& resources) : store_(store), resources_(resources) {}

  /// Refuses the write if a policy does. Policies and bindings count as they are stored now, in the
  /// order of their names.
  [[nodiscard]] ApiFailure judge(const JudgedWrite& write, const PolicyContext& context)
      EXCLUDES(mutex_);

 private:
  struct Binding {
    std::string name;
    Json spec;
  };
  /// A policy with bindings.
  struct Hook {
    std::shared_ptr<const CompiledPolicy> policy;
    std::vector<Binding> bindings;
  };
  using Hooks = std::vector<Hook>;
  /// The stored versions that hooks were made of.
  using Sources = std::vector<VersionPtr>;
  class Run;

  [[nodiscard]] std::shared_ptr<const Hooks> hooks() EXCLUDES(mutex_);
  [[nodiscard]] std::shared_ptr<const Hooks> make_hooks(const Sources& policies,
                                                        const Sources& bindings) REQUIRES(mutex_);

  const Store& store_;
  const Resources& resources_;
  Mutex mutex_;
  Sources policies_ GUARDED_BY(mutex_);
  Sources bindings_ GUARDED_BY(mutex_);
  std::vector<std::pair<VersionPtr, std::shared_ptr<const CompiledPolicy>>> compiled_
      GUARDED_BY(mutex_);
  std::shared_ptr<const Hooks> hooks_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox
