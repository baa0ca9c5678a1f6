#include "sandbox/kinds/kind_rules.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

PlainRules::PlainRules(const KindFacts& facts)
    : facts_(facts), columns_(columns_of(facts.group, facts.plural)) {}

void PlainRules::set_defaults(Json&) const {}

void PlainRules::prepare_create(Json& object) const {
  if (facts_.has_status) object.set("status", Json::object());
}

void PlainRules::prepare_update(Json& object, const Json& old, UpdateTarget target) const {
  if (target == UpdateTarget::kStatus) {
    Json merged = old;
    merged.set("metadata", object.get("metadata"));
    merged.set("status", object.get("status"));
    object = std::move(merged);
  } else if (facts_.has_status) {
    if (const Json* status = old.find("status")) {
      object.set("status", *status);
    } else {
      object.erase("status");
    }
  }
}

FieldErrors PlainRules::validate_create(const Json& object) const {
  FieldErrors errors;
  const FieldPath path("metadata");
  const Json& metadata = object.get("metadata");
  check_metadata(metadata, facts_.names, facts_.namespaced ? Scope::kNamespaced : Scope::kCluster,
                 path, errors);
  if (checks_finalizer_names()) {
    check_finalizer_names(metadata.get("finalizers"), path.child("finalizers"), errors);
  }
  check_create(object, errors);
  return errors;
}

FieldErrors PlainRules::validate_update(const Json& object, const Json& old,
                                        UpdateTarget target) const {
  FieldErrors errors;
  const FieldPath path("metadata");
  const Json& metadata = object.get("metadata");
  check_metadata_update(metadata, old.get("metadata"), path, errors);
  if (checks_finalizer_names()) {
    check_finalizer_names(metadata.get("finalizers"), path.child("finalizers"), errors);
  }
  switch (target) {
    case UpdateTarget::kObject:
      check_update(object, old, errors);
      break;
    case UpdateTarget::kStatus:
      check_status(object, old, errors);
      break;
    case UpdateTarget::kApproval:
      check_approval(object, old, errors);
      break;
  }
  return errors;
}

bool PlainRules::raises_generation(const Json& object, const Json& old) const {
  return facts_.has_generation && object.get("spec") != old.get("spec");
}

void PlainRules::check_create(const Json&, FieldErrors&) const {}

void PlainRules::check_update(const Json& object, const Json&, FieldErrors& errors) const {
  check_create(object, errors);
}

void PlainRules::check_status(const Json&, const Json&, FieldErrors&) const {}

void PlainRules::check_approval(const Json&, const Json&, FieldErrors&) const {}

std::shared_ptr<const KindRules> plain_rules(const KindFacts& facts) {
  return std::make_shared<PlainRules>(facts);
}

}  // namespace davit::sandbox
