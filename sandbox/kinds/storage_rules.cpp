#include <algorithm>
#include <string>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

void check_access_modes(const Json& spec, FieldErrors& errors) {
  const Json::Items& modes = spec.get("accessModes").items();
  const FieldPath path = kSpec.child("accessModes");
  if (modes.empty()) {
    errors.push_back(field_required(path.text(), "at least 1 access mode is required"));
  }
  for (const Json& each : modes) {
    const std::string& mode = each.text();
    if (mode == "ReadWriteOnce" || mode == "ReadOnlyMany" || mode == "ReadWriteMany" ||
        mode == "ReadWriteOncePod") {
      continue;
    }
    errors.push_back(field_not_supported(
        path.text(), mode, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"}));
  }
}

/// A spec without what may change once the claim is bound: the size wanted.
Json without_size(const Json& spec) {
  Json out = spec;
  if (Json* requests = out.at({"resources", "requests"})) requests->erase("storage");
  out.erase("volumeAttributesClassName");
  return out;
}

std::int64_t size_of(const Json& claim) {
  return quantity_milli(claim.text_at({"spec", "resources", "requests", "storage"})).value_or(0);
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
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_label_selector(spec.get("selector"), kSpec.child("selector"), errors);
    check_access_modes(spec, errors);
    const std::string& size = spec.text_at({"resources", "requests", "storage"});
    if (size.empty()) {
      errors.push_back(field_required("spec.resources[storage]"));
    } else if (quantity_milli(size).value_or(1) <= 0) {
      errors.push_back(field_invalid("spec.resources[storage]", size, "must be greater than zero"));
    }
    check_fields("core.v1.PersistentVolumeClaimSpec", spec, kSpec, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    Json spec = without_size(object.get("spec"));
    // The binder names the volume.
    Json old_spec = without_size(old.get("spec"));
    if (old_spec.get("volumeName").text().empty()) {
      spec.erase("volumeName");
      old_spec.erase("volumeName");
    }
    const bool bound = old.text_at({"status", "phase"}) == "Bound";
    const bool resized = size_of(object) != size_of(old);
    if (spec != old_spec || (resized && !bound)) {
      errors.push_back(
          field_forbidden(kSpec.text(),
                          "spec is immutable after creation except resources.requests and "
                          "volumeAttributesClassName for bound claims"));
    } else if (size_of(object) < size_of(old)) {
      errors.push_back(field_forbidden("spec.resources.requests.storage",
                                       "field can not be less than previous value"));
    }
  }
};

class VolumeRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    replace_empty(spec, "persistentVolumeReclaimPolicy", "Retain");
    set_default(spec, "volumeMode", "Filesystem");
  }
  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"phase", "Pending"}}));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_access_modes(spec, errors);
    check_fields("core.v1.PersistentVolumeSpec", spec, kSpec, errors);
  }
};

class StorageClassRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    set_default(object, "reclaimPolicy", "Delete");
    set_default(object, "volumeBindingMode", "Immediate");
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_fields("storage.v1.StorageClass", object, FieldPath(), errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    if (object.get("parameters") != old.get("parameters")) {
      errors.push_back(field_forbidden("parameters", "updates to parameters are forbidden."));
    }
    if (object.get("provisioner") != old.get("provisioner")) {
      errors.push_back(field_forbidden("provisioner", "updates to provisioner are forbidden."));
    }
    if (object.get("reclaimPolicy") != old.get("reclaimPolicy")) {
      errors.push_back(field_forbidden("reclaimPolicy", "updates to reclaimPolicy are forbidden."));
    }
    check_immutable_fields("storage.v1.StorageClass", object, old, FieldPath(), errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> claim_rules(const KindFacts& facts) {
  return std::make_shared<ClaimRules>(facts);
}

std::shared_ptr<const KindRules> volume_rules(const KindFacts& facts) {
  return std::make_shared<VolumeRules>(facts);
}

std::shared_ptr<const KindRules> storage_class_rules(const KindFacts& facts) {
  return std::make_shared<StorageClassRules>(facts);
}

}  // namespace davit::sandbox
