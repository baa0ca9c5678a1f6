/// PolicyHooks: the policies of one kind that are in force, compiled.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/mutex.hpp"
#include "sandbox/policy/policy_uses.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// `Policy` is made of a stored policy. Thread-safe.
template <typename Policy>
class PolicyHooks {
 public:
  /// A policy with bindings.
  struct Hook {
    std::shared_ptr<const Policy> policy;
    std::vector<PolicyBinding> bindings;
  };
  using List = std::vector<Hook>;

  /// `policies` and `bindings`: literals, the resources. `store` must outlive it.
  PolicyHooks(const Store& store, std::string_view policies, std::string_view bindings)
      : store_(store), policies_name_(policies), bindings_name_(bindings) {}

  /// As policies and bindings are stored now, in the order of their names. Null: there are none.
  [[nodiscard]] std::shared_ptr<const List> now() EXCLUDES(mutex_) {
    const Sources bindings = stored(bindings_name_);
    if (bindings.empty()) return nullptr;
    const Sources policies = stored(policies_name_);
    const MutexLock lock(mutex_);
    if (list_ == nullptr || policies != policies_ || bindings != bindings_) {
      list_ = made_of(policies, bindings);
      policies_ = policies;
      bindings_ = bindings;
    }
    return list_;
  }

 private:
  /// The stored versions that hooks were made of.
  using Sources = std::vector<VersionPtr>;

  [[nodiscard]] Sources stored(std::string_view name) const {
    return store_.list({std::string(kAdmissionGroup), std::string(name)}, "").objects;
  }

  [[nodiscard]] std::shared_ptr<const List> made_of(const Sources& policies,
                                                    const Sources& bindings) REQUIRES(mutex_) {
    std::map<std::string, std::vector<PolicyBinding>> by_policy;
    for (const VersionPtr& each : bindings) {
      const Json binding = each->json();
      by_policy[binding.text_at({"spec", "policyName"})].push_back(
          {each->name, binding.get("spec")});
    }
    auto out = std::make_shared<List>();
    decltype(compiled_) compiled;
    for (const VersionPtr& each : policies) {
      const auto found = by_policy.find(each->name);
      if (found == by_policy.end()) continue;
      const auto known = std::find_if(compiled_.begin(), compiled_.end(),
                                      [&each](const auto& pair) { return pair.first == each; });
      compiled.emplace_back(each, known != compiled_.end()
                                      ? known->second
                                      : std::make_shared<const Policy>(each->json()));
      out->push_back({compiled.back().second, std::move(found->second)});
    }
    compiled_ = std::move(compiled);
    return out;
  }

  const Store& store_;
  const std::string_view policies_name_;
  const std::string_view bindings_name_;
  Mutex mutex_;
  Sources policies_ GUARDED_BY(mutex_);
  Sources bindings_ GUARDED_BY(mutex_);
  std::vector<std::pair<VersionPtr, std::shared_ptr<const Policy>>> compiled_ GUARDED_BY(mutex_);
  std::shared_ptr<const List> list_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox
