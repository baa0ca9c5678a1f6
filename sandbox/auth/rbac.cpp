#include "sandbox/auth/rbac.hpp"

#include <array>
#include <atomic>

#include "lib/base/mutex.hpp"
#include "sandbox/auth/policy.hpp"

namespace davit::sandbox {
namespace {

constexpr const char* kRbacGroup = "rbac.authorization.k8s.io";

PolicyRule everything() { return {{"*"}, {"*"}, {"*"}, {}, {}}; }
PolicyRule every_path() { return {{"*"}, {}, {}, {}, {"*"}}; }

std::vector<Json> all_of(const Store& store, const char* resource) {
  std::vector<Json> out;
  for (const VersionPtr& each : store.list({kRbacGroup, resource}, "").objects) {
    out.push_back(each->json());
  }
  return out;
}

/// The defaults of kube-apiserver's --authorization-always-allow-paths.
bool always_allowed(const AccessAttributes& what) {
  return !what.resource &&
         (what.path == "/healthz" || what.path == "/livez" || what.path == "/readyz");
}

class RbacAuthorizer final : public Authorizer {
 public:
  explicit RbacAuthorizer(Store& store) : store_(store) {
    constexpr const char* kKinds[] = {"roles", "clusterroles", "rolebindings",
                                      "clusterrolebindings"};
    // A change marks the policy as old before its writer continues, so that it sees its own change.
    const auto changed = [this] { stale_.store(true, std::memory_order_release); };
    for (std::size_t i = 0; i < subscriptions_.size(); ++i) {
      subscriptions_[i] = store.subscribe({kRbacGroup, kKinds[i]}, changed);
    }
  }

  [[nodiscard]] Access authorize(const UserInfo& who, const AccessAttributes& what) const override {
    if (who.in_group(kMastersGroup) || always_allowed(what)) return {Decision::kAllow, ""};
    return policy()->authorize(who, what);
  }

  [[nodiscard]] std::vector<PolicyRule> rules(const UserInfo& who,
                                              std::string_view ns) const override {
    std::vector<PolicyRule> bound = policy()->rules(who, ns);
    if (!who.in_group(kMastersGroup)) return bound;
    // Bootstrap policy says the same of this group, which clients must not see twice.
    std::erase_if(bound, [](const PolicyRule& each) {
      return each.verbs == everything().verbs &&
             (each.groups == everything().groups || each.urls == every_path().urls);
    });
    bound.insert(bound.begin(), {everything(), every_path()});
    return bound;
  }

  [[nodiscard]] std::optional<std::vector<PolicyRule>> rules_of(
      const RoleReference& role) const override {
    return policy()->rules_of(role);
  }

 private:
  /// The current policy. Callers wait while it is reloaded, because the change may affect them.
  [[nodiscard]] std::shared_ptr<const Policy> policy() const EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    if (stale_.exchange(false, std::memory_order_acquire)) {
      policy_ = std::make_shared<const Policy>(
          PolicyObjects{all_of(store_, "roles"), all_of(store_, "clusterroles"),
                        all_of(store_, "rolebindings"), all_of(store_, "clusterrolebindings")});
    }
    return policy_;
  }

  const Store& store_;
  mutable std::atomic<bool> stale_ = true;  // Set after a change, cleared before it is read.
  mutable Mutex mutex_;
  mutable std::shared_ptr<const Policy> policy_ GUARDED_BY(mutex_);
  std::array<std::unique_ptr<Store::Subscription>, 4> subscriptions_;  // Last: they set stale_.
};

class PermissiveAuthorizer final : public Authorizer {
 public:
  [[nodiscard]] Access authorize(const UserInfo&, const AccessAttributes&) const override {
    return {Decision::kAllow, ""};
  }
  [[nodiscard]] std::vector<PolicyRule> rules(const UserInfo&, std::string_view) const override {
    return {everything(), every_path()};
  }
  [[nodiscard]] std::optional<std::vector<PolicyRule>> rules_of(
      const RoleReference&) const override {
    return std::nullopt;
  }
};

}  // namespace

std::unique_ptr<Authorizer> make_rbac_authorizer(Store& store) {
  return std::make_unique<RbacAuthorizer>(store);
}

std::unique_ptr<Authorizer> make_permissive_authorizer() {
  return std::make_unique<PermissiveAuthorizer>();
}

}  // namespace davit::sandbox
