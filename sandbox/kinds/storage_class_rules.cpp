// k8s: pkg/apis/storage/validation, pkg/apis/storage/v1/defaults.go.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/config_rules.hpp"
#include "sandbox/kinds/volume_source_checks.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kStorageClass = "storage.v1.StorageClass";
constexpr std::size_t kParametersMax = 512;
constexpr std::size_t kParameterBytesMax = 256 * 1024;

/// The name of who makes the volumes: the qualified name that it is in lower case.
void check_provisioner(const Json& object, std::string_view field, FieldErrors& errors) {
  const FieldPath root;
  if (!require_text(object, field, root, errors)) return;
  const std::string name = to_lower(object.get(field).text());
  add_invalid(check_qualified_name(name), name, FieldPath(field), errors);
}

void check_parameters(const Json& parameters, FieldErrors& errors) {
  const std::string field = "parameters";
  if (parameters.size() > kParametersMax) {
    errors.push_back(field_too_long(field, kParametersMax));
    return;
  }
  std::size_t bytes = 0;
  for (const Json::Member& each : parameters.members()) {
    if (each.key.empty()) errors.push_back(field_invalid(field, "", "field can not be empty."));
    bytes += each.key.size() + each.value.text().size();
  }
  if (bytes > kParameterBytesMax) errors.push_back(field_too_long(field, kParameterBytesMax));
}

/// The values that a topology allows, by key.
using Topology = std::map<std::string, std::set<std::string>>;

Topology check_topology(const Json& expressions, const FieldPath& path, FieldErrors& errors) {
  Topology out;
  std::size_t index = 0;
  for (const Json& each : expressions.items()) {
    const FieldPath at = path.index(index++);
    const FieldPath values_path = at.child("values");
    const Json::Items& values = each.get("values").items();
    if (values.empty()) errors.push_back(field_required(values_path.text()));
    std::set<std::string> seen;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (seen.insert(values[i].text()).second) continue;
      errors.push_back(field_duplicate(values_path.index(i).text(), values[i]));
    }
    const std::string& key = each.get("key").text();
    add_invalid(check_qualified_name(key), key, at.child("key"), errors);
    if (out.contains(key)) errors.push_back(field_duplicate(at.text("key"), key));
    out[key] = std::move(seen);
  }
  return out;
}

void check_topologies(const Json& topologies, FieldErrors& errors) {
  const FieldPath path("allowedTopologies");
  std::vector<Topology> before;
  // Upstream compares with one empty topology more for each element, so an empty one is refused.
  std::size_t index = 0;
  for (const Json& each : topologies.items()) {
    const FieldPath at = path.index(index++);
    const FieldPath expressions = at.child("matchLabelExpressions");
    Topology topology = check_topology(each.get("matchLabelExpressions"), expressions, errors);
    bool again = topology.empty();
    for (const Topology& other : before) again = again || topology == other;
    if (again) errors.push_back(field_duplicate(expressions.text(), ""));
    before.push_back(std::move(topology));
  }
}

class StorageClassRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    set_default(object, "reclaimPolicy", "Delete");
    set_default(object, "volumeBindingMode", "Immediate");
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_provisioner(object, "provisioner", errors);
    check_parameters(object.get("parameters"), errors);
    check_fields(kStorageClass, object, FieldPath(), errors);
    check_topologies(object.get("allowedTopologies"), errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    check_immutable_fields(kStorageClass, object, old, FieldPath(), errors);
  }
};

class AttributesClassRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_provisioner(object, "driverName", errors);
    check_parameters(object.get("parameters"), errors);
    if (object.get("parameters").empty()) {
      errors.push_back(field_required("parameters", "must contain at least one key/value pair"));
    }
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    for (const std::string field : {"driverName", "parameters"}) {
      if (object.get(field) == old.get(field)) continue;
      errors.push_back(field_forbidden(field, "updates to " + field + " are forbidden."));
    }
    check_create(object, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> storage_class_rules(const KindFacts& facts) {
  return std::make_shared<StorageClassRules>(facts);
}

std::shared_ptr<const KindRules> attributes_class_rules(const KindFacts& facts) {
  return std::make_shared<AttributesClassRules>(facts);
}

}  // namespace davit::sandbox
