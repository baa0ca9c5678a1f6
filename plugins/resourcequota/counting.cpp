#include "plugins/resourcequota/counting.hpp"

#include <davit/kube/quota_scopes.hpp>
#include <davit/kube/quota_usage.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace davit::resourcequota {
namespace {

/// Counts for one quota.
class Counter {
 public:
  Counter(const Registry& registry, const ResourceQuota& quota, WallTime now)
      : registry_(registry),
        ns_(quota.ns()),
        terms_(quota::scope_terms(quota.value())),
        now_(now),
        classes_(registry.read_device_classes()) {}

  [[nodiscard]] const quota::DeviceClasses& classes() const { return classes_; }

  /// The usage of `names` by the objects of one resource.
  [[nodiscard]] Result<Amounts> count(const std::string& qualified, const Evaluator& evaluator,
                                      const std::set<std::string>& names) const {
    Amounts sum;
    for (const std::string& each : names) sum.emplace(each, Amount());
    if (evaluator.is_gone) return sum;
    const Result<List<ObjectView>> objects = list(evaluator);
    if (!objects) return objects.error();
    const Counting counting = counting_of(qualified);
    if (counting == Counting::kObjects) {
      if (!terms_.empty()) return sum;
      for (auto& [name, amount] : sum) {
        amount = Amount::whole(static_cast<std::int64_t>(objects->size()));
      }
      return sum;
    }
    for (const ObjectView& each : *objects) {
      const quota::Scoped scoped = scope(counting, each);
      if (scoped == quota::Scoped::kUndecided) break;
      if (scoped == quota::Scoped::kOutside) continue;
      const Result<Amounts> usage = usage_of(counting, each, *objects);
      if (!usage) return usage.error();
      for (auto& [name, amount] : sum) {
        if (const auto found = usage->find(name); found != usage->end()) amount += found->second;
      }
    }
    return sum;
  }

 private:
  [[nodiscard]] Result<List<ObjectView>> list(const Evaluator& evaluator) const {
    if (!evaluator.informer || !(evaluator.is_filled || evaluator.informer->synced().ok())) {
      return Status(Code::kUnavailable,
                    "failed to list content: " + evaluator.id.text() + " not yet synced");
    }
    List<ObjectView> out = evaluator.informer->in_namespace(ns_);
    if (!out.error().ok()) return out.error().with_context("failed to list content");
    return out;
  }

  [[nodiscard]] quota::Scoped scope(Counting counting, const ObjectView& object) const {
    if (counting == Counting::kPods) return quota::scope_of_pod(terms_, object.value());
    if (counting == Counting::kVolumeClaims) {
      return quota::scope_of_volume_claim(terms_, object.value());
    }
    return quota::scope_of_other(terms_);
  }

  [[nodiscard]] Result<Amounts> usage_of(Counting counting, const ObjectView& object,
                                         const List<ObjectView>& siblings) const {
    if (counting == Counting::kPods) return quota::pod_usage(object.value(), now_);
    if (counting == Counting::kServices) return quota::service_usage(object.value());
    if (counting == Counting::kVolumeClaims) return quota::volume_claim_usage(object.value());
    return quota::device_claim_usage(object.value(), classes_, usage_of_owner(object, siblings));
  }

  /// The usage that the pod of a claim has already.
  [[nodiscard]] Amounts usage_of_owner(const ObjectView& claim,
                                       const List<ObjectView>& claims) const {
    const std::string_view name = quota::extended_owner(claim.value());
    const auto pods = registry_.evaluators.find("pods");
    if (name.empty() || pods == registry_.evaluators.end() || !pods->second.informer) return {};
    const Lookup<ObjectView> found = pods->second.informer->get(ns_, name);
    if (!found) return {};
    const Value pod = found->value();
    const bool is_own = quota::is_extended_claim_of(claim.value(), pod, values_of(claims));
    return is_own ? quota::pod_usage(pod, now_) : Amounts();
  }

  const Registry& registry_;
  const std::string ns_;
  const std::vector<quota::ScopeTerm> terms_;
  const WallTime now_;
  const quota::DeviceClasses classes_;
};

}  // namespace

NamespaceUsage count_usage(const Registry& registry, const ResourceQuota& quota, WallTime now) {
  const Counter counter(registry, quota, now);
  NamespaceUsage out;
  std::set<std::string> failed;
  for (const auto& [qualified, evaluator] : registry.evaluators) {
    std::set<std::string> names;
    for (const Member& each : quota.hard().members()) {
      if (counts_for(qualified, each.key, counter.classes())) names.emplace(each.key);
    }
    if (names.empty()) continue;
    const Result<Amounts> usage = counter.count(qualified, evaluator, names);
    if (usage) {
      add_resources(out.used, *usage);
    } else {
      out.errors.push_back(usage.error());
      failed.merge(names);
    }
  }
  for (const std::string& each : failed) out.used.erase(each);
  return out;
}

}  // namespace davit::resourcequota
