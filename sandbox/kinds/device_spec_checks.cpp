// Claims, templates, classes and taint rules, without the status of claims. k8s:
// pkg/apis/resource/validation.
#include <algorithm>
#include <string>
#include <string_view>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/claim_checks.hpp"
#include "sandbox/kinds/device_checks.hpp"
#include "sandbox/kinds/extension_checks.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/resource_names.hpp"
#include "sandbox/kinds/volume_source_checks.hpp"

namespace davit::sandbox {
namespace {

constexpr std::size_t kConstraintsMax = 32;
constexpr std::size_t kConfigurationsMax = 32;
constexpr std::size_t kAlternativesMax = 8;

void check_request_name(const std::string& name, const FieldPath& path, FieldErrors& errors) {
  add_invalid(check_dns_label(name), name, path, errors);
}

void check_class_name(const Json& request, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = request.get("deviceClassName").text();
  if (name.empty()) {
    errors.push_back(field_required(path.text("deviceClassName")));
  } else {
    add_invalid(check_dns_subdomain(name), name, path.child("deviceClassName"), errors);
  }
}

void check_count(const Json& request, const FieldPath& path, FieldErrors& errors) {
  const std::string& mode = request.get("allocationMode").text();
  const Json& count = request.get("count");
  if (mode == "All") {
    if (count.integer_or(0) == 0) return;
    errors.push_back(field_invalid(path.text("count"), count,
                                   "must not be specified when allocationMode is 'All'"));
  } else if (mode == "ExactCount") {
    if (count.integer_or(0) > 0) return;
    errors.push_back(field_invalid(path.text("count"), count, "must be greater than zero"));
  } else {
    errors.push_back(
        field_not_supported(path.text("allocationMode"), Json(mode), {"All", "ExactCount"}));
  }
}

/// The fields that `exactly` and alternatives have in common.
void check_wish(const Json& request, const FieldPath& path, FieldErrors& errors) {
  check_class_name(request, path, errors);
  check_device_selectors(request.get("selectors"), path.child("selectors"), errors);
  check_count(request, path, errors);
  check_device_tolerations(request.get("tolerations"), path.child("tolerations"), errors);
}

void check_request(const Json& request, const FieldPath& path, FieldErrors& errors) {
  check_request_name(request.get("name").text(), path.child("name"), errors);
  const bool has_exactly = is_set(request, "exactly");
  const bool has_list = !request.get("firstAvailable").items().empty();
  if (!has_exactly && !has_list) {
    errors.push_back(
        field_required(path.text(), "exactly one of `exactly` or `firstAvailable` is required"));
  } else if (has_exactly && has_list) {
    errors.push_back(field_invalid(path.text(), Json(),
                                   "exactly one of `exactly` or `firstAvailable` is required, but "
                                   "multiple fields are set"));
  } else if (has_exactly) {
    const FieldPath at = path.child("exactly");
    check_wish(request.get("exactly"), at, errors);
  } else {
    check_unique_items(
        request.get("firstAvailable"), kAlternativesMax, path.child("firstAvailable"), errors,
        [&errors](const Json& each, const FieldPath& at) {
          check_request_name(each.get("name").text(), at.child("name"), errors);
          check_wish(each, at, errors);
        },
        name_key);
  }
}

void check_constraint(const Json& constraint, const Json& devices, const FieldPath& path,
                      FieldErrors& errors) {
  check_request_references(constraint.get("requests"), devices, path.child("requests"), errors);
  if (is_set(constraint, "matchAttribute")) {
    check_full_attribute_name(constraint.get("matchAttribute").text(), path.child("matchAttribute"),
                              errors);
  } else if (is_set(constraint, "distinctAttribute")) {
    check_full_attribute_name(constraint.get("distinctAttribute").text(),
                              path.child("distinctAttribute"), errors);
  } else {
    errors.push_back(field_required(path.text(),
                                    R"(exactly one of "matchAttribute" or "distinctAttribute" is )"
                                    "required, but multiple fields are set"));
  }
}

void check_claim_devices(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& devices = spec.get("devices");
  const FieldPath at = path.child("devices");
  check_unique_items(
      devices.get("requests"), kDeviceRequestsMax, at.child("requests"), errors,
      [&errors](const Json& each, const FieldPath& place) { check_request(each, place, errors); },
      name_key);
  (void)check_items(devices.get("constraints"), kConstraintsMax, at.child("constraints"), errors,
                    [&](const Json& each, const FieldPath& place) {
                      check_constraint(each, devices, place, errors);
                    });
  (void)check_items(devices.get("config"), kConfigurationsMax, at.child("config"), errors,
                    [&](const Json& each, const FieldPath& place) {
                      check_request_references(each.get("requests"), devices,
                                               place.child("requests"), errors);
                      check_device_configuration(each, place, errors);
                    });
}

/// "request" or "request/alternative": whether the claim has it.
bool has_request(const Json& devices, std::string_view name) {
  const std::size_t slash = name.find('/');
  for (const Json& request : devices.get("requests").items()) {
    if (request.get("name").text() != name.substr(0, slash)) continue;
    if (slash == std::string_view::npos) return true;
    for (const Json& each : request.get("firstAvailable").items()) {
      if (each.get("name").text() == name.substr(slash + 1)) return true;
    }
  }
  return false;
}

}  // namespace

void check_request_reference(const std::string& name, const Json& devices, const FieldPath& path,
                             FieldErrors& errors) {
  const std::size_t slash = name.find('/');
  const bool has_more = std::count(name.begin(), name.end(), '/') > 1;
  if (!has_more) {
    check_request_name(name.substr(0, slash), path, errors);
    if (slash != std::string::npos) check_request_name(name.substr(slash + 1), path, errors);
  }
  if (!has_more && has_request(devices, name)) return;
  errors.push_back(field_invalid(path.text(), Json(name),
                                 "must be the name of a request in the claim or the name of a "
                                 "request and a subrequest separated by '/'"));
}

void check_request_references(const Json& names, const Json& devices, const FieldPath& path,
                              FieldErrors& errors) {
  check_unique_items(
      names, kDeviceRequestsMax, path, errors,
      [&](const Json& each, const FieldPath& at) {
        check_request_reference(each.text(), devices, at, errors);
      },
      text_key);
}

void check_resource_claim(const Json& object, const Json* old, FieldErrors& errors) {
  if (old != nullptr) return check_immutable(object, *old, "spec", FieldPath(), errors);
  check_claim_devices(object.get("spec"), kSpec, errors);
}

void check_resource_claim_template(const Json& object, const Json* old, FieldErrors& errors) {
  if (old != nullptr) return check_immutable(object, *old, "spec", FieldPath(), errors);
  const Json& spec = object.get("spec");
  check_template_metadata(spec.get("metadata"), kSpec.child("metadata"), errors);
  check_claim_devices(spec.get("spec"), kSpec.child("spec"), errors);
}

void check_device_taint_rule(const Json& object, const Json*, FieldErrors& errors) {
  const Json& spec = object.get("spec");
  const Json& selector = spec.get("deviceSelector");
  const FieldPath at = kSpec.child("deviceSelector");
  if (is_set(selector, "driver")) {
    check_csi_driver_name(selector.get("driver").text(), at.child("driver"), errors);
  }
  if (is_set(selector, "pool")) {
    check_pool_name(selector.get("pool").text(), at.child("pool"), errors);
  }
  if (is_set(selector, "device")) {
    const std::string& device = selector.get("device").text();
    add_invalid(check_dns_label(device), device, at.child("device"), errors);
  }
  check_device_taint(spec.get("taint"), kSpec.child("taint"), errors);
}

void check_taint_rule_status(const Json& object, FieldErrors& errors) {
  constexpr FieldPath kConditions("status.conditions");
  const Json& conditions = object.get("status").get("conditions");
  check_status_conditions(conditions, kConditions, errors);
  check_condition_count(conditions, kConditions, errors);
}

void check_device_class(const Json& object, const Json*, FieldErrors& errors) {
  const Json& spec = object.get("spec");
  check_device_selectors(spec.get("selectors"), kSpec.child("selectors"), errors);
  (void)check_items(spec.get("config"), kConfigurationsMax, kSpec.child("config"), errors,
                    [&errors](const Json& each, const FieldPath& at) {
                      check_device_configuration(each, at, errors);
                    });
  const Json& resource = spec.get("extendedResourceName");
  if (resource.is_null() || is_extended_resource(resource.text())) return;
  errors.push_back(field_invalid(kSpec.text("extendedResourceName"), resource,
                                 "must be a valid extended resource name"));
}

}  // namespace davit::sandbox
