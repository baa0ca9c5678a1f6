#include "sandbox/kinds/claim_checks.hpp"

#include <algorithm>

#include "lib/kube/schema/schema.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/metadata.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kOncePod = "ReadWriteOncePod";

/// dataSource and dataSourceRef. k8s: validateDataSource and validateDataSourceRef.
void check_data_source(const Json& source, const FieldPath& path, FieldErrors& errors) {
  if (source.is_null()) return;
  // The fields that a dataSourceRef shares with it.
  check_fields("core.v1.TypedLocalObjectReference", source, path, errors);
  const std::string& group = source.get("apiGroup").text();
  const std::string& kind = source.get("kind").text();
  if (group.empty() && kind != "PersistentVolumeClaim") {
    errors.push_back(
        field_invalid(path.text(), kind,
                      "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  }
  if (!group.empty()) {
    add_invalid(check_dns_subdomain(group), group, path.child("apiGroup"), errors);
  }
  if (const std::string& ns = source.get("namespace").text(); !ns.empty()) {
    add_invalid(check_dns_label(ns), ns, path.child("namespace"), errors);
  }
}

void check_data_sources(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& source = spec.get("dataSource");
  const Json& reference = spec.get("dataSourceRef");
  check_data_source(source, path.child("dataSource"), errors);
  check_data_source(reference, path.child("dataSourceRef"), errors);
  if (source.is_null() || reference.is_null()) return;
  const Json field = path.text("dataSource");
  if (!reference.get("namespace").text().empty()) {
    errors.push_back(field_invalid(path.text(), field,
                                   "may not be specified when dataSourceRef.namespace is "
                                   "specified"));
  } else if (source.get("apiGroup").text() != reference.get("apiGroup").text() ||
             source.get("kind") != reference.get("kind") ||
             source.get("name") != reference.get("name")) {
    errors.push_back(field_invalid(path.text(), field, "must match dataSourceRef"));
  }
}

}  // namespace

void check_access_modes(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const std::vector<std::string> supported = {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce",
                                              std::string(kOncePod)};
  const std::string field = path.text("accessModes");
  const Json::Items& modes = spec.get("accessModes").items();
  if (modes.empty()) {
    errors.push_back(field_required(field, "at least 1 access mode is required"));
  }
  bool once = false;
  bool other = false;
  for (const Json& each : modes) {
    const std::string& mode = each.text();
    const bool known = std::find(supported.begin(), supported.end(), mode) != supported.end();
    if (!known) errors.push_back(field_not_supported(field, mode, supported));
    once |= mode == kOncePod;
    other |= known && mode != kOncePod;
  }
  if (once && other) {
    errors.push_back(
        field_forbidden(field, "may not use ReadWriteOncePod with other access modes"));
  }
}

void check_claim_spec(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  check_access_modes(spec, path, errors);
  check_label_selector(spec.get("selector"), path.child("selector"), errors);
  const std::string& size = spec.text_at({"resources", "requests", "storage"});
  if (size.empty()) {
    errors.push_back(field_required(path.text("resources[storage]")));
  } else if (quantity_milli(size).value_or(1) <= 0) {
    errors.push_back(
        field_invalid(path.text("resources[storage]"), size, "must be greater than zero"));
  }
  check_fields("core.v1.PersistentVolumeClaimSpec", spec, path, errors);
  check_data_sources(spec, path, errors);
}

void check_template_metadata(const Json& metadata, const FieldPath& path, FieldErrors& errors) {
  check_annotations(metadata.get("annotations"), path.child("annotations"), errors);
  check_labels(metadata.get("labels"), path.child("labels"), errors);
  for (const Json::Member& each : metadata.members()) {
    if (each.key == "annotations" || each.key == "labels" || each.value.empty()) continue;
    errors.push_back(field_forbidden(path.text(each.key), "cannot be set"));
  }
}

void check_claim_template(const Json& tmpl, const FieldPath& path, FieldErrors& errors) {
  check_template_metadata(tmpl.get("metadata"), path.child("metadata"), errors);
  check_claim_spec(tmpl.get("spec"), path.child("spec"), errors);
}

void add_fraction_warning(const Json& list, std::string_view resource, const FieldPath& path,
                          std::vector<std::string>& out) {
  constexpr std::int64_t kMilli = 1000;
  const Json& amount = list.get(resource);
  if (amount.is_null() || quantity_milli(amount.text()).value_or(0) % kMilli == 0) return;
  out.push_back(path.key(resource).text() + ": fractional byte value \"" + amount.text() +
                "\" is invalid, must be an integer");
}

void add_claim_warnings(const Json& spec, const FieldPath& path, std::vector<std::string>& out) {
  const Json& resources = spec.get("resources");
  const FieldPath here = path.child("resources");
  add_fraction_warning(resources.get("requests"), "storage", here.child("requests"), out);
  add_fraction_warning(resources.get("limits"), "storage", here.child("limits"), out);
}

}  // namespace davit::sandbox
