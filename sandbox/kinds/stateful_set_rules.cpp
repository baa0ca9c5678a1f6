#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/claim_checks.hpp"
#include "sandbox/kinds/kind_gates.hpp"
#include "sandbox/kinds/workload_checks.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kStatefulSetSpec = "apps.v1.StatefulSetSpec";
constexpr std::int64_t kRevisionsKept = 10;
constexpr std::string_view kChangeable[] = {"replicas",
                                            "ordinals",
                                            "template",
                                            "updateStrategy",
                                            "minReadySeconds",
                                            "revisionHistoryLimit",
                                            "persistentVolumeClaimRetentionPolicy"};

void set_claim_defaults(Json& spec) {
  Json* claims = spec.find("volumeClaimTemplates");
  if (claims == nullptr || !claims->is_array()) return;
  for (Json& each : claims->make_array()) {
    replace_empty(each, "kind", "PersistentVolumeClaim");
    replace_empty(each, "apiVersion", "v1");
    set_default(object_member(each, "spec"), "volumeMode", "Filesystem");
    replace_empty(object_member(each, "status"), "phase", "Pending");
  }
}

void check_update_strategy(const Json& strategy, const FieldPath& path, FieldErrors& errors) {
  const std::string& type = strategy.get("type").text();
  const Json& rolling = strategy.get("rollingUpdate");
  const FieldPath rolling_path = path.child("rollingUpdate");
  if (type.empty()) {
    errors.push_back(field_required(path.text()));
  } else if (type == "OnDelete") {
    if (!rolling.is_null()) {
      errors.push_back(field_invalid(rolling_path.text(), rolling,
                                     "only allowed for updateStrategy 'RollingUpdate'"));
    }
  } else if (type == "RollingUpdate") {
    check_fields("apps.v1.RollingUpdateStatefulSetStrategy", rolling, rolling_path, errors);
    if (is_set(rolling, "maxUnavailable")) {
      const Json& unavailable = rolling.get("maxUnavailable");
      const FieldPath unavailable_path = rolling_path.child("maxUnavailable");
      check_format("int-or-percent", unavailable, unavailable_path, errors);
      if (int_or_percent_value(unavailable) == 0) {
        errors.push_back(field_invalid(unavailable_path.text(), unavailable, "cannot be 0"));
      }
      check_format("at-most-100-percent", unavailable, unavailable_path, errors);
    }
  } else {
    errors.push_back(field_invalid(path.text(), strategy, "must be 'RollingUpdate' or 'OnDelete'"));
  }
}

VolumeNames claim_names(const Json& spec) {
  VolumeNames names;
  for (const Json& each : spec.get("volumeClaimTemplates").items()) {
    names.insert(each.get("metadata").get("name").text());
  }
  return names;
}

/// Each template becomes a volume of the pods. k8s: volumesToAddForTemplates.
void check_claim_names(const Json& spec, FieldErrors& errors) {
  const FieldPath volumes("spec.template.spec.volumes");
  const Json::Items& claims = spec.get("volumeClaimTemplates").items();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const FieldPath place = volumes.index(i);
    const std::string& name = claims[i].text_at({"metadata", "name"});
    if (name.empty()) {
      errors.push_back(field_required(place.text("name")));
      errors.push_back(field_required(place.text("persistentVolumeClaim.claimName")));
    } else {
      add_invalid(check_dns_label(name), name, place.child("name"), errors);
    }
  }
}

/// k8s: validateVolumeClaimTemplates.
void check_claims(const Json& spec, FieldErrors& errors) {
  const FieldPath claims = kSpec.child("volumeClaimTemplates");
  const Json::Items& items = spec.get("volumeClaimTemplates").items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const FieldPath place = claims.index(i);
    check_claim_spec(items[i].get("spec"), place.child("spec"), errors);
  }
}

/// k8s: the name of the service becomes a part of host names.
void check_service_name(const Json& spec, FieldErrors& errors) {
  const std::string& name = spec.get("serviceName").text();
  if (!name.empty()) add_invalid(check_dns_label(name), name, kSpec.child("serviceName"), errors);
}

void check_spec(const Json& spec, FieldErrors& errors) {
  const FieldPath path("spec");
  check_fields(kStatefulSetSpec, spec, {"podManagementPolicy"}, path, errors);
  check_update_strategy(spec.get("updateStrategy"), path.child("updateStrategy"), errors);
  check_fields(kStatefulSetSpec, spec,
               {"persistentVolumeClaimRetentionPolicy", "replicas", "minReadySeconds", "ordinals"},
               path, errors);
  check_selector(spec, "statefulset", path, errors);
  if (!is_sound_selector(spec.get("selector"))) {
    errors.push_back(field_invalid("spec.selector", spec.get("selector"), ""));
  } else {
    check_selector_matches(spec, path, errors);
    check_lasting_template(spec, "StatefulSet", path, errors, claim_names(spec));
  }
  check_claim_names(spec, errors);
}

bool has_max_unavailable(const Json& set) {
  const Json* value = set.at({"spec", "updateStrategy", "rollingUpdate", "maxUnavailable"});
  return value != nullptr && !value->is_null();
}

void drop_max_unavailable(Json& set) {
  if (!has_max_unavailable(set)) return;
  set["spec"]["updateStrategy"]["rollingUpdate"].erase("maxUnavailable");
}

class StatefulSetRules final : public WorkloadRules {
 public:
  StatefulSetRules(const KindFacts& facts, const KindGates& gates)
      : WorkloadRules(facts, R"({"replicas":0,"availableReplicas":0})"), gates_(gates) {}

  void prepare_create(Json& object) const override {
    WorkloadRules::prepare_create(object);
    if (!gates_.max_unavailable_stateful_set) drop_max_unavailable(object);
  }
  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    WorkloadRules::prepare_update(object, old, target);
    // A value that was stored while the gate was on stays. k8s: dropStatefulSetDisabledFields.
    if (!gates_.max_unavailable_stateful_set && !has_max_unavailable(old)) {
      drop_max_unavailable(object);
    }
  }

  void set_defaults(Json& object) const override {
    WorkloadRules::set_defaults(object);
    Json& spec = object["spec"];
    replace_empty(spec, "podManagementPolicy", "OrderedReady");
    Json& strategy = object_member(spec, "updateStrategy");
    // A strategy with a type and no parameters stays without them.
    if (strategy.get("type").text().empty()) object_member(strategy, "rollingUpdate");
    replace_empty(strategy, "type", "RollingUpdate");
    if (Json* rolling = strategy.find("rollingUpdate");
        rolling != nullptr && rolling->is_object()) {
      set_default(*rolling, "partition", 0);
      if (gates_.max_unavailable_stateful_set) set_default(*rolling, "maxUnavailable", 1);
    }
    Json& retention = object_member(spec, "persistentVolumeClaimRetentionPolicy");
    replace_empty(retention, "whenDeleted", "Retain");
    replace_empty(retention, "whenScaled", "Retain");
    set_default(spec, "replicas", 1);
    set_default(spec, "revisionHistoryLimit", kRevisionsKept);
    set_claim_defaults(spec);
  }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out = WorkloadRules::warnings(object);
    const FieldPath claims = kSpec.child("volumeClaimTemplates");
    std::size_t index = 0;
    for (const Json& each : object.get("spec").get("volumeClaimTemplates").items()) {
      add_claim_warnings(each.get("spec"), claims.index(index++), out);
    }
    if (object.get("spec").get("revisionHistoryLimit").integer_or(0) < 0) {
      out.emplace_back(
          "spec.revisionHistoryLimit: a negative value retains all historical revisions; "
          "a value >= 0 is recommended");
    }
    return out;
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_spec(spec, errors);
    // Both are immutable, so an update tolerates what an older server took.
    check_service_name(spec, errors);
    check_claims(spec, errors);
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_spec(object.get("spec"), errors);
    Json now = object.get("spec");
    Json before = old.get("spec");
    for (const std::string_view each : kChangeable) {
      now.erase(each);
      before.erase(each);
    }
    if (now == before) return;
    errors.push_back(field_forbidden(
        "spec",
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
        "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
        "'minReadySeconds' are forbidden"));
  }

  void check_status(const Json& object, const Json& old, FieldErrors& errors) const override {
    const FieldPath path("status");
    const Json& status = object.get("status");
    check_fields("apps.v1.StatefulSetStatus", status, path, errors);
    check_at_most_replicas(
        status, {"readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"}, path,
        errors);
    check_available_at_most_ready(status, path, errors);
    check_collision_count(object, old, errors);
  }

 private:
  const KindGates gates_;
};

}  // namespace

std::shared_ptr<const KindRules> stateful_set_rules(const KindFacts& facts) {
  return gated_stateful_set_rules(facts, {});
}

std::shared_ptr<const KindRules> gated_stateful_set_rules(const KindFacts& facts,
                                                          const KindGates& gates) {
  return std::make_shared<StatefulSetRules>(facts, gates);
}

}  // namespace davit::sandbox
