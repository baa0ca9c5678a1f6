/// Checks that the kinds of resource.k8s.io share. k8s: pkg/apis/resource/validation.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "lib/kube/json.hpp"
#include "lib/kube/validation/field_error.hpp"
#include "lib/kube/validation/field_path.hpp"

namespace davit::sandbox {

/// Calls `check(element, path)` for all elements, unless there are more than `max`.
template <typename Check>
bool check_items(const Json& list, std::size_t max, const FieldPath& path, FieldErrors& errors,
                 const Check& check) {
  if (list.items().size() > max) {
    errors.push_back(field_too_many(path.text(), list.items().size(), max));
    return false;
  }
  std::size_t index = 0;
  for (const Json& each : list.items()) check(each, path.index(index++));
  return true;
}

/// The same; afterwards no two elements may have one `key_of(element)`.
template <typename Check, typename KeyOf>
void check_unique_items(const Json& list, std::size_t max, const FieldPath& path,
                        FieldErrors& errors, const Check& check, const KeyOf& key_of) {
  if (!check_items(list, max, path, errors, check)) return;
  std::set<std::string> seen;
  std::size_t index = 0;
  for (const Json& each : list.items()) {
    const FieldPath at = path.index(index++);
    const std::string key = key_of(each);
    if (!seen.insert(key).second) errors.push_back(field_duplicate(at.text(), key));
  }
}

/// The key of elements that are texts, or that have a name.
[[nodiscard]] inline std::string text_key(const Json& element) { return element.text(); }
[[nodiscard]] inline std::string name_key(const Json& element) {
  return element.get("name").text();
}

/// A claim has at most so many requests (DeviceRequestsMaxSize).
inline constexpr std::size_t kDeviceRequestsMax = 32;
/// Names of requests in `devices`, the devices of a claim's spec.
void check_request_reference(const std::string& name, const Json& devices, const FieldPath& path,
                             FieldErrors& errors);
void check_request_references(const Json& names, const Json& devices, const FieldPath& path,
                              FieldErrors& errors);
/// Parts of a pool's name are separated by slashes.
void check_pool_name(const std::string& name, const FieldPath& path, FieldErrors& errors);
/// A name of an attribute or capacity, with or without domain.
void check_device_attribute_name(std::string_view name, const FieldPath& path, FieldErrors& errors);
/// The same with a domain.
void check_full_attribute_name(std::string_view name, const FieldPath& path, FieldErrors& errors);
void check_uuid(const std::string& uid, const FieldPath& path, FieldErrors& errors);
/// A member that holds any JSON object.
void check_raw_object(const Json& object, std::string_view field, const FieldPath& path,
                      FieldErrors& errors);
/// A list of expressions that select devices.
void check_device_selectors(const Json& selectors, const FieldPath& path, FieldErrors& errors);
/// `opaque` of a configuration.
void check_device_configuration(const Json& configuration, const FieldPath& path,
                                FieldErrors& errors);
void check_device_taint(const Json& taint, const FieldPath& path, FieldErrors& errors);
void check_device_tolerations(const Json& tolerations, const FieldPath& path, FieldErrors& errors);
/// metav1.Condition. k8s: ValidateConditions of pkg/apis/meta/v1/validation.
void check_status_conditions(const Json& conditions, const FieldPath& path, FieldErrors& errors);
/// A device of a claim and a DeviceTaintRule have at most eight.
void check_condition_count(const Json& conditions, const FieldPath& path, FieldErrors& errors);
/// The conditions of a device or of its allocation before it may be used.
void check_binding_conditions(const Json& holder, const FieldPath& path, FieldErrors& errors);

}  // namespace davit::sandbox
