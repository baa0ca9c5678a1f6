// k8s: ValidateResourceQuota and ValidateLimitRange of pkg/apis/core/validation.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/resource_names.hpp"

namespace davit::sandbox {

namespace {

/// The names and amounts of one list of a quota.
void check_quota_amounts(const Json& list, const FieldPath& path, FieldErrors& errors) {
  for (const Json::Member& each : list.members()) {
    const FieldPath at = path.key(each.key);
    check_any_resource_name(each.key, at, errors);
    if (each.key.find('/') == std::string::npos && !is_quota_resource(each.key)) {
      errors.push_back(field_invalid(at.text(), each.key, "must be a standard resource for quota"));
    }
    check_amount(each.key, each.value, at, errors);
  }
}

/// A scope, and the resources that it may bound.
struct QuotaScope {
  enum class Bounds : std::uint8_t { kPodCount, kPods, kClaims };

  std::string_view name;
  Bounds bounds;
  bool exists_only;  ///< In a selector: the operator must be Exists.
};
constexpr QuotaScope kScopes[] = {
    {"Terminating", QuotaScope::Bounds::kPods, true},
    {"NotTerminating", QuotaScope::Bounds::kPods, true},
    {"BestEffort", QuotaScope::Bounds::kPodCount, true},
    {"NotBestEffort", QuotaScope::Bounds::kPods, true},
    {"PriorityClass", QuotaScope::Bounds::kPods, false},
    {"CrossNamespacePodAffinity", QuotaScope::Bounds::kPods, true},
    {"VolumeAttributesClass", QuotaScope::Bounds::kClaims, false},
};

const QuotaScope* find_scope(std::string_view name) {
  const auto* const found = std::ranges::find(kScopes, name, &QuotaScope::name);
  return found == std::end(kScopes) ? nullptr : found;
}

bool may_bound(QuotaScope::Bounds bounds, std::string_view resource) {
  using Bounds = QuotaScope::Bounds;
  constexpr std::array<std::string_view, 6> kCompute = {
      "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"};
  if (bounds == Bounds::kClaims) {
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  }
  if (resource == "pods") return true;
  return bounds == Bounds::kPods && std::ranges::find(kCompute, resource) != kCompute.end();
}

/// Checks a scope against the resources of the quota. `shown` is the value of the errors.
void check_scope(const Json& spec, const std::string& name, const Json& shown,
                 const FieldPath& path, const FieldPath& name_path, FieldErrors& errors) {
  const QuotaScope* const scope = find_scope(name);
  if (scope == nullptr) {
    errors.push_back(field_invalid(name_path.text(), shown, "unsupported scope"));
    return;
  }
  for (const Json::Member& each : spec.get("hard").members()) {
    if (!is_quota_resource(each.key) || may_bound(scope->bounds, each.key)) continue;
    errors.push_back(field_invalid(path.text(), shown, "unsupported scope applied to resource"));
  }
}

void check_conflicts(const std::set<std::string>& scopes, const Json& shown, const FieldPath& path,
                     FieldErrors& errors) {
  for (const auto& [one, other] :
       {std::pair("BestEffort", "NotBestEffort"), std::pair("Terminating", "NotTerminating")}) {
    if (!scopes.contains(one) || !scopes.contains(other)) continue;
    errors.push_back(field_invalid(path.text(), shown, "conflicting scopes"));
  }
}

/// The operator of one requirement of a scope selector and its values. No path has an index.
void check_scope_operator(const Json& requirement, const FieldPath& path, FieldErrors& errors) {
  const Json& operation = requirement.get("operator");
  const Json& values = requirement.get("values");
  const QuotaScope* const scope = find_scope(requirement.get("scopeName").text());
  if (scope != nullptr && scope->exists_only && operation.text() != "Exists") {
    errors.push_back(field_invalid(
        path.text("operator"), operation,
        "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
        "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
        "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"));
  }
  if (operation.text() == "In" || operation.text() == "NotIn") {
    if (values.items().empty()) {
      errors.push_back(field_required(
          path.text("values"),
          "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
    }
  } else if (operation.text() == "Exists" || operation.text() == "DoesNotExist") {
    if (!values.items().empty()) {
      errors.push_back(field_invalid(
          path.text("values"), values,
          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"));
    }
  } else {
    errors.push_back(
        field_invalid(path.text("operator"), operation, "not a valid selector operator"));
  }
}

void check_scopes(const Json& spec, FieldErrors& errors) {
  const Json& scopes = spec.get("scopes");
  const FieldPath path = kSpec.child("scopes");
  std::set<std::string> seen;
  for (const Json& each : scopes.items()) {
    check_scope(spec, each.text(), scopes, path, path, errors);
    seen.insert(each.text());
  }
  check_conflicts(seen, scopes, path, errors);
}

void check_scope_selector(const Json& spec, FieldErrors& errors) {
  const FieldPath path("spec.scopeSelector.matchExpressions");
  std::set<std::string> seen;
  for (const Json& each : spec.get("scopeSelector").get("matchExpressions").items()) {
    const std::string& name = each.get("scopeName").text();
    check_scope(spec, name, each.get("scopeName"), path, path.child("scopeName"), errors);
    check_scope_operator(each, path, errors);
    seen.insert(name);
  }
  check_conflicts(seen, spec.get("scopes"), path, errors);
}

class QuotaRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_quota_amounts(spec.get("hard"), kSpec.child("hard"), errors);
    check_scopes(spec, errors);
    check_scope_selector(spec, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    check_immutable_fields("core.v1.ResourceQuotaSpec", object.get("spec"), old.get("spec"), kSpec,
                           errors);
  }
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    const FieldPath status("status");
    for (const char* each : {"hard", "used"}) {
      check_quota_amounts(value_at(object, {"status", each}), status.child(each), errors);
    }
  }
};

/// The amounts of one resource in the lists of a limit; null where a list has none.
class LimitBounds {
 public:
  /// Both are borrowed.
  LimitBounds(const Json& limit, std::string_view resource) : limit_(limit), resource_(resource) {}

  void check(const FieldPath& path, FieldErrors& errors) const {
    const auto compare = [&](std::string_view low, std::string_view high, std::string_view field,
                             const std::string& detail) {
      if (!has(low) || !has(high) || milli(low) <= milli(high)) return;
      refuse(path, field, detail, errors);
    };
    const std::string min = "min value " + text("min");
    const std::string request = "default request value " + text("defaultRequest");
    const std::string limit = "default value " + text("default");
    compare("min", "max", "min", min + " is greater than max value " + text("max"));
    compare("min", "defaultRequest", "defaultRequest", min + " is greater than " + request);
    compare("defaultRequest", "max", "defaultRequest",
            request + " is greater than max value " + text("max"));
    compare("defaultRequest", "default", "defaultRequest",
            request + " is greater than default limit value " + text("default"));
    compare("min", "default", "default", min + " is greater than " + limit);
    compare("default", "max", "default", limit + " is greater than max value " + text("max"));
    check_ratio(path, errors);
    if (allows_overcommit(resource_) || !has("default") || !has("defaultRequest") ||
        milli("default") == milli("defaultRequest")) {
      return;
    }
    refuse(path, "defaultRequest",
           limit + " must equal to defaultRequest value " + text("defaultRequest") + " in " +
               std::string(resource_),
           errors);
  }

 private:
  void check_ratio(const FieldPath& path, FieldErrors& errors) const {
    constexpr std::string_view kRatio = "maxLimitRequestRatio";
    constexpr std::int64_t kOne = 1'000;
    if (!has(kRatio)) return;
    if (milli(kRatio) < kOne) {
      refuse(path, kRatio, "ratio " + text(kRatio) + " is less than 1", errors);
    }
    if (!has("min") || !has("max")) return;
    const double most = static_cast<double>(milli("max")) / static_cast<double>(milli("min"));
    if (static_cast<double>(milli(kRatio)) / static_cast<double>(kOne) <= most) return;
    refuse(path, kRatio,
           "ratio " + text(kRatio) + " is greater than max/min = " + std::to_string(most), errors);
  }

  [[nodiscard]] const Json& amount(std::string_view list) const {
    // Upstream does not look at defaults of pods, which it refuses.
    const bool skipped = list.starts_with("default") && limit_.get("type").text() == "Pod";
    return limit_.get(skipped ? std::string_view() : list).get(resource_);
  }
  [[nodiscard]] bool has(std::string_view list) const { return !amount(list).is_null(); }
  [[nodiscard]] const std::string& text(std::string_view list) const { return amount(list).text(); }
  [[nodiscard]] std::int64_t milli(std::string_view list) const {
    return quantity_milli(text(list)).value_or(0);
  }
  void refuse(const FieldPath& path, std::string_view list, std::string_view detail,
              FieldErrors& errors) const {
    const FieldPath place = path.child(list);
    errors.push_back(field_invalid(place.key(resource_).text(), amount(list), detail));
  }

  const Json& limit_;
  const std::string_view resource_;
};

class LimitRangeRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  /// For containers, what is missing follows from what is there (k8s: SetDefaults_LimitRangeItem).
  void set_defaults(Json& object) const override {
    Json* limits = object.at({"spec", "limits"});
    if (limits == nullptr || !limits->is_array()) return;
    for (Json& item : limits->make_array()) {
      if (item.get("type").text() != "Container") continue;
      for (const auto& [from, to] :
           {std::pair("max", "default"), std::pair("default", "defaultRequest"),
            std::pair("min", "defaultRequest")}) {
        const Json source = item.get(from);
        for (const Json::Member& each : source.members()) {
          Json& target = object_member(item, to);
          if (!target.contains(each.key)) target.set(each.key, each.value);
        }
      }
    }
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec.limits");
    std::set<std::string_view> types;
    std::size_t index = 0;
    for (const Json& each : value_at(object, {"spec", "limits"}).items()) {
      const FieldPath at = path.index(index++);
      const Json& type = each.get("type");
      check_type(each, at, errors);
      if (!types.insert(type.text()).second) {
        errors.push_back(field_duplicate(at.text("type"), type));
      }
      check_limit(each, at, errors);
    }
  }

 private:
  static void check_type(const Json& limit, const FieldPath& path, FieldErrors& errors) {
    const std::string& type = limit.get("type").text();
    const std::size_t before = errors.size();
    check_fields("core.v1.LimitRangeItem", limit, path, errors);
    if (errors.size() != before || type.find('/') != std::string::npos) return;
    if (type == "Pod" || type == "Container" || type == "PersistentVolumeClaim") return;
    errors.push_back(
        field_invalid(path.text("type"), type, "must be a standard limit type or fully qualified"));
  }

  static void check_limit(const Json& limit, const FieldPath& path, FieldErrors& errors) {
    const std::string& type = limit.get("type").text();
    const bool of_pods = type == "Pod" || type == "Container";
    std::set<std::string_view> resources;
    for (const char* field : {"max", "min", "default", "defaultRequest", "maxLimitRequestRatio"}) {
      const std::string_view name = field;
      if (type == "Pod" && name.starts_with("default")) {
        if (limit.get(field).size() == 0) continue;
        errors.push_back(
            field_forbidden(path.text(field), "may not be specified when `type` is 'Pod'"));
        continue;
      }
      const FieldPath list = path.child(field);
      for (const Json::Member& each : limit.get(field).members()) {
        if (of_pods) {
          check_resource_name(each.key, list.key(each.key), errors);
        } else {
          check_any_resource_name(each.key, list.key(each.key), errors);
        }
        resources.insert(each.key);
      }
    }
    if (type == "PersistentVolumeClaim" && !limit.get("min").contains("storage") &&
        !limit.get("max").contains("storage")) {
      errors.push_back(field_required(
          path.text("limits"),
          "either minimum or maximum storage value is required, but neither was provided"));
    }
    for (const std::string_view each : resources) LimitBounds(limit, each).check(path, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> quota_rules(const KindFacts& facts) {
  return std::make_shared<QuotaRules>(facts);
}

std::shared_ptr<const KindRules> limit_range_rules(const KindFacts& facts) {
  return std::make_shared<LimitRangeRules>(facts);
}

}  // namespace davit::sandbox
