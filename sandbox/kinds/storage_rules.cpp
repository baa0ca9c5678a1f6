// The rules of claims. k8s: pkg/apis/core/validation (ValidatePersistentVolumeClaimUpdate),
// pkg/registry/core/persistentvolumeclaim, pkg/api/persistentvolumeclaim.
#include <string>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/claim_checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/storage_checks.hpp"

namespace davit::sandbox {

namespace {

/// The sources that dataSource may name: others are dropped, as old servers did.
bool is_claim_or_snapshot(const Json& source) {
  const std::string& group = source.get("apiGroup").text();
  const std::string& kind = source.get("kind").text();
  return (group.empty() && kind == "PersistentVolumeClaim") ||
         (group == "snapshot.storage.k8s.io" && kind == "VolumeSnapshot");
}

Json source_like(const Json& source) {
  return Json::object({{"apiGroup", source.get("apiGroup")},
                       {"kind", source.get("kind")},
                       {"name", source.get("name")}});
}

/// Makes dataSource and dataSourceRef say the same (k8s: NormalizeDataSources and
/// EnforceDataSourceBackwardsCompatibility). Sources of other namespaces are an alpha feature.
void match_sources(Json& spec, const Json& old_spec) {
  const bool had_reference = is_set(old_spec, "dataSourceRef");
  const bool elsewhere = !spec.text_at({"dataSourceRef", "namespace"}).empty();
  if (elsewhere && !had_reference) spec.erase("dataSourceRef");
  const bool had_source = had_reference || is_set(old_spec, "dataSource");
  if (!had_source && !is_set(spec, "dataSourceRef") &&
      !is_claim_or_snapshot(spec.get("dataSource"))) {
    spec.erase("dataSource");
  }
  if (is_set(spec, "dataSource") && !is_set(spec, "dataSourceRef")) {
    spec.set("dataSourceRef", source_like(spec.get("dataSource")));
  } else if (is_set(spec, "dataSourceRef") && !is_set(spec, "dataSource") &&
             spec.text_at({"dataSourceRef", "namespace"}).empty()) {
    spec.set("dataSource", source_like(spec.get("dataSourceRef")));
  }
}

const Json& class_annotation(const Json& claim) {
  return value_at(claim, {"metadata", "annotations"}).get(kClassAnnotation);
}

/// A claim without a class may get one: that of its annotation, if it has that.
bool may_name_class(const Json& claim, const Json& old) {
  const Json& given = value_at(claim, {"spec", "storageClassName"});
  const Json& annotation = class_annotation(old);
  return !given.is_null() && value_at(old, {"spec", "storageClassName"}).is_null() &&
         (annotation.is_null() || annotation == given);
}

/// The annotation may go when the class is named instead.
void check_class_annotation(const Json& claim, const Json& old, FieldErrors& errors) {
  const Json& annotation = class_annotation(claim);
  const Json& before = class_annotation(old);
  const bool replaced = !before.is_null() && may_name_class(claim, old);
  if (annotation.text() == before.text() || (replaced && annotation.is_null())) return;
  errors.push_back(field_invalid("metadata.annotations", annotation.text(), kFieldImmutable));
}

/// A spec without what may differ from that of `old`.
Json fixed_part(const Json& spec, const Json& claim, const Json& old) {
  Json out = spec;
  // The binder names the volume.
  if (old.text_at({"spec", "volumeName"}).empty()) out.erase("volumeName");
  if (may_name_class(claim, old)) out.erase("storageClassName");
  if (claim.text_at({"status", "phase"}) == "Bound") {
    if (Json* requests = out.at({"resources", "requests"})) requests->erase("storage");
    out.erase("volumeAttributesClassName");
  }
  return out;
}

std::int64_t amount_of(const Json& amount) { return quantity_milli(amount.text()).value_or(0); }

std::int64_t requested_size(const Json& claim) {
  return amount_of(value_at(claim, {"spec", "resources", "requests", "storage"}));
}

/// A class of attributes stays once the volume has one.
void check_attributes_class(const Json& claim, const Json& old, FieldErrors& errors) {
  const Json& name = value_at(claim, {"spec", "volumeAttributesClassName"});
  if (name == value_at(old, {"spec", "volumeAttributesClassName"}) ||
      value_at(old, {"status", "currentVolumeAttributesClassName"}).is_null() ||
      !name.text().empty()) {
    return;
  }
  errors.push_back(
      field_forbidden(kSpec.text("volumeAttributesClassName"),
                      std::string("update to ") + (name.is_null() ? "nil" : "empty string") +
                          " is forbidden when status.currentVolumeAttributesClassName is not nil"));
}

class ClaimRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    set_default(object_member(object, "spec"), "volumeMode", "Filesystem");
    if (Json* status = object.find("status")) replace_empty(*status, "phase", "Pending");
  }
  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"phase", "Pending"}}));
    match_sources(object_member(object, "spec"), Json());
  }
  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    if (target == UpdateTarget::kStatus) return;
    match_sources(object_member(object, "spec"), old.get("spec"));
  }
  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    std::vector<std::string> out;
    if (!class_annotation(object).is_null()) out.push_back(class_annotation_warning());
    add_claim_warnings(object.get("spec"), kSpec, out);
    return out;
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_claim_spec(object.get("spec"), kSpec, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    check_class_annotation(object, old, errors);
    const Json& spec = object.get("spec");
    if (fixed_part(spec, object, old) != fixed_part(old.get("spec"), object, old)) {
      errors.push_back(
          field_forbidden(kSpec.text(),
                          "spec is immutable after creation except resources.requests and "
                          "volumeAttributesClassName for bound claims"));
    }
    // Below what was asked for, but not below what is there: an expansion that failed.
    const std::int64_t size = requested_size(object);
    if (size < requested_size(old) &&
        size <= amount_of(value_at(old, {"status", "capacity", "storage"}))) {
      errors.push_back(field_forbidden("spec.resources.requests.storage",
                                       "field can not be less than status.capacity"));
    }
    // Upstream leaves out `spec` here.
    check_immutable(spec, old.get("spec"), "volumeMode", FieldPath(), errors);
    check_attributes_class(object, old, errors);
  }
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    const FieldPath status("status");
    for (const std::string_view list : {"capacity", "allocatedResources"}) {
      const FieldPath path = status.child(list);
      for (const Json::Member& each : object.get("status").get(list).members()) {
        if (amount_of(each.value) >= 0) continue;
        errors.push_back(field_invalid(path.key(each.key).text(), each.value,
                                       "must be a valid resource quantity"));
      }
    }
  }
};

}  // namespace

std::string class_annotation_warning() {
  return "metadata.annotations[" + std::string(kClassAnnotation) +
         "]: deprecated since v1.8; use \"storageClassName\" attribute instead";
}

std::shared_ptr<const KindRules> claim_rules(const KindFacts& facts) {
  return std::make_shared<ClaimRules>(facts);
}

}  // namespace davit::sandbox
