#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/conversion.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

class DisruptionBudgetRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"disruptionsAllowed", 0},
                                       {"currentHealthy", 0},
                                       {"desiredHealthy", 0},
                                       {"expectedPods", 0}}));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    if (is_set(spec, "minAvailable") && is_set(spec, "maxUnavailable")) {
      errors.push_back(
          field_invalid(kSpec.text(), spec, "minAvailable and maxUnavailable cannot be both set"));
    }
    check_fields("policy.v1.PodDisruptionBudgetSpec", spec, kSpec, errors);
    check_label_selector(spec.get("selector"), kSpec.child("selector"), errors);
  }
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    check_fields("policy.v1.PodDisruptionBudgetStatus", object.get("status"), FieldPath("status"),
                 errors);
  }
};

/// Utilization of the CPU in percent: what an autoscaler without metrics aims at.
constexpr std::int64_t kCpuPercent = 80;

/// autoscaling/v1 has the same requirements.
constexpr std::string_view kAutoscaler = "autoscaling.v2.HorizontalPodAutoscalerSpec";

class AutoscalerRules : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    set_default(spec, "minReplicas", 1);
    if (spec.get("metrics").items().empty()) {
      spec.set("metrics", Json::array({cpu_metric(kCpuPercent)}));
    }
  }
  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"desiredReplicas", 0}, {"currentMetrics", Json()}}));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    const std::int64_t min = number_at(spec, {"minReplicas"});
    const std::int64_t max = number_at(spec, {"maxReplicas"});
    check_fields(kAutoscaler, spec, {"minReplicas", "maxReplicas"}, kSpec, errors);
    if (max < min) {
      errors.push_back(field_invalid(kSpec.text("maxReplicas"), max,
                                     "must be greater than or equal to `minReplicas`"));
    }
    check_fields(kAutoscaler, spec, {"scaleTargetRef"}, kSpec, errors);
  }
};

class AutoscalerV1Rules final : public AutoscalerRules {
 public:
  using AutoscalerRules::AutoscalerRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    set_default(spec, "minReplicas", 1);
    set_default(spec, "targetCPUUtilizationPercentage", kCpuPercent);
  }
  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"currentReplicas", 0}, {"desiredReplicas", 0}}));
  }
};

/// Whether a quota may bound the resource by a short name; all others have a domain.
bool is_quota_resource(std::string_view name) {
  constexpr std::string_view kNames[] = {"cpu",
                                         "memory",
                                         "ephemeral-storage",
                                         "requests.cpu",
                                         "requests.memory",
                                         "requests.storage",
                                         "requests.ephemeral-storage",
                                         "limits.cpu",
                                         "limits.memory",
                                         "limits.ephemeral-storage",
                                         "pods",
                                         "resourcequotas",
                                         "services",
                                         "services.nodeports",
                                         "services.loadbalancers",
                                         "replicationcontrollers",
                                         "secrets",
                                         "persistentvolumeclaims",
                                         "configmaps"};
  return name.starts_with("hugepages-") || name.starts_with("requests.hugepages-") ||
         name.find('/') != std::string_view::npos ||
         std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// The names and amounts of one list of a quota.
void check_amounts(const Json& list, const FieldPath& path, FieldErrors& errors) {
  for (const Json::Member& each : list.members()) {
    const FieldPath at = path.key(each.key);
    add_invalid(check_qualified_name(each.key), each.key, at, errors);
    if (!is_quota_resource(each.key)) {
      add_invalid({"must be a standard resource type or fully qualified",
                   "must be a standard resource for quota"},
                  each.key, at, errors);
    }
    if (quantity_milli(each.value.text()).value_or(0) < 0) {
      errors.push_back(field_invalid(at.text(), each.value.text(), kNotNegative));
    }
  }
}

class QuotaRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_amounts(value_at(object, {"spec", "hard"}), kSpec.child("hard"), errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    check_immutable_fields("core.v1.ResourceQuotaSpec", object.get("spec"), old.get("spec"), kSpec,
                           errors);
  }
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    const FieldPath status("status");
    for (const char* each : {"hard", "used"}) {
      check_amounts(value_at(object, {"status", each}), status.child(each), errors);
    }
  }
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
    const Json::Items& limits = value_at(object, {"spec", "limits"}).items();
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const FieldPath at = path.index(i);
      check_fields("core.v1.LimitRangeItem", limits[i], at, errors);
      check_bounds(limits[i], at, errors);
    }
  }

 private:
  static void check_bounds(const Json& item, const FieldPath& path, FieldErrors& errors) {
    const FieldPath min_path = path.child("min");
    for (const Json::Member& each : item.get("min").members()) {
      const std::string& max = item.get("max").get(each.key).text();
      if (max.empty()) continue;
      if (quantity_milli(each.value.text()).value_or(0) <= quantity_milli(max).value_or(0)) {
        continue;
      }
      errors.push_back(
          field_invalid(min_path.key(each.key).text(), each.value,
                        "min value " + each.value.text() + " is greater than max value " + max));
    }
  }
};

}  // namespace

std::shared_ptr<const KindRules> disruption_budget_rules(const KindFacts& facts) {
  return std::make_shared<DisruptionBudgetRules>(facts);
}

std::shared_ptr<const KindRules> autoscaler_rules(const KindFacts& facts) {
  return std::make_shared<AutoscalerRules>(facts);
}

std::shared_ptr<const KindRules> autoscaler_v1_rules(const KindFacts& facts) {
  return std::make_shared<AutoscalerV1Rules>(facts);
}

std::shared_ptr<const KindRules> quota_rules(const KindFacts& facts) {
  return std::make_shared<QuotaRules>(facts);
}

std::shared_ptr<const KindRules> limit_range_rules(const KindFacts& facts) {
  return std::make_shared<LimitRangeRules>(facts);
}

}  // namespace davit::sandbox
