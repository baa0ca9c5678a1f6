#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/pod_warnings.hpp"
#include "sandbox/kinds/workload_checks.hpp"
#include "sandbox/kinds/workload_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kReplicaSetSpec = "apps.v1.ReplicaSetSpec";
constexpr std::string_view kControllerRevision = "apps.v1.ControllerRevision";

/// ReplicaSet and ReplicationController count the same things.
void check_replica_status(std::string_view type, const Json& status, FieldErrors& errors) {
  const FieldPath path("status");
  check_fields(type, status, path, errors);
  check_at_most_replicas(status, {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"},
                         path, errors);
  check_available_at_most_ready(status, path, errors);
}

class ReplicaSetRules final : public WorkloadRules {
 public:
  explicit ReplicaSetRules(const KindFacts& facts) : WorkloadRules(facts, R"({"replicas":0})") {}

  void set_defaults(Json& object) const override {
    WorkloadRules::set_defaults(object);
    set_default(object["spec"], "replicas", 1);
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object.get("spec");
    check_fields(kReplicaSetSpec, spec, path, errors);
    // Upstream took the word over from Deployment.
    check_selector(spec, "deployment", path, errors);
    if (!is_sound_selector(spec.get("selector"))) {
      errors.push_back(
          field_invalid("spec.selector", spec.get("selector"), "invalid label selector"));
      return;
    }
    check_selector_matches(spec, path, errors);
    check_lasting_template(spec, "ReplicaSet", path, errors);
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    check_immutable_fields(kReplicaSetSpec, object.get("spec"), old.get("spec"), kSpec, errors);
  }

  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    check_replica_status("apps.v1.ReplicaSetStatus", object.get("status"), errors);
  }
};

class ReplicationControllerRules final : public WorkloadRules {
 public:
  explicit ReplicationControllerRules(const KindFacts& facts)
      : WorkloadRules(facts, R"({"replicas":0})") {}

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    if (is_set(spec, "template")) set_template_defaults(spec);
    set_default(spec, "replicas", 1);
    // Only this old kind takes labels and selector from its template.
    const Json* labels = spec.at({"template", "metadata", "labels"});
    if (labels == nullptr || labels->size() == 0) return;
    const Json copy = *labels;
    if (spec.get("selector").empty()) spec.set("selector", copy);
    Json& metadata = object_member(object, "metadata");
    if (metadata.get("labels").empty()) metadata.set("labels", copy);
  }

  [[nodiscard]] Pairs fields(const Json& object) const override {
    return {
        {"status.replicas", std::to_string(object.get("status").get("replicas").integer_or(0))}};
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return field == "status.replicas";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("spec");
    const Json& spec = object.get("spec");
    check_fields("core.v1.ReplicationControllerSpec", spec, path, errors);
    if (!is_set(spec, "template")) {
      errors.push_back(field_required("spec.template"));
      return;
    }
    const Json& labels = spec.get("template").get("metadata").get("labels");
    if (!selector_matches(Json::object({{"matchLabels", spec.get("selector")}}), labels)) {
      errors.push_back(field_invalid("spec.template.metadata.labels", labels, kSelectorMismatch));
    }
    check_lasting_template(spec, "ReplicationController", path, errors);
  }

  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    check_replica_status("core.v1.ReplicationControllerStatus", object.get("status"), errors);
  }
};

class PodTemplateRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override { set_template_defaults(object); }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out;
    add_template_warnings(object.get("template"), FieldPath("template"), out);
    return out;
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_pod_template(object.get("template"), FieldPath("template"), errors);
  }
};

class ControllerRevisionRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& data = object.get("data");
    if (!data.is_object()) {
      errors.push_back(field_required(
          "data", data.is_null() ? "data is mandatory" : "data must be a valid JSON object"));
    }
    check_fields(kControllerRevision, object, FieldPath(), errors);
  }

  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_fields(kControllerRevision, object, FieldPath(), errors);
    check_immutable_fields(kControllerRevision, object, old, FieldPath(), errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> replica_set_rules(const KindFacts& facts) {
  return std::make_shared<ReplicaSetRules>(facts);
}

std::shared_ptr<const KindRules> replication_controller_rules(const KindFacts& facts) {
  return std::make_shared<ReplicationControllerRules>(facts);
}

std::shared_ptr<const KindRules> pod_template_rules(const KindFacts& facts) {
  return std::make_shared<PodTemplateRules>(facts);
}

std::shared_ptr<const KindRules> controller_revision_rules(const KindFacts& facts) {
  return std::make_shared<ControllerRevisionRules>(facts);
}

}  // namespace davit::sandbox
