// The devices that drivers publish. k8s: pkg/apis/resource/validation.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <davit/kube/quantity.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/kube/names.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/device_checks.hpp"
#include "sandbox/kinds/extension_checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/volume_source_checks.hpp"

namespace davit::sandbox {
namespace {

constexpr std::size_t kDevicesMax = 128;
constexpr std::size_t kAdvancedDevicesMax = 64;  // With taints or counters.
constexpr std::size_t kNamedValuesMax = 32;
constexpr std::size_t kAttributeBytesMax = 64;
constexpr std::size_t kTaintsMax = 16;
constexpr std::size_t kCounterSetsMax = 8;
constexpr std::size_t kCountersMax = 32;
constexpr std::size_t kConsumptionsMax = 2;
constexpr std::size_t kValidValuesMax = 10;
constexpr std::string_view kTrueOrUnset = "must be either unset or set to true";

// Versions as semver.org has them.
bool is_version_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

enum class Zeros : std::uint8_t { kAllowed, kNotInFront };

/// Identifiers between dots, none of them empty.
bool are_identifiers(std::string_view text, Zeros zeros) {
  while (true) {
    const std::size_t end = std::min(text.find('.'), text.size());
    const std::string_view part = text.substr(0, end);
    if (part.empty() || !std::all_of(part.begin(), part.end(), is_version_character)) return false;
    const bool is_number =
        std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (zeros == Zeros::kNotInFront && is_number && part.size() > 1 && part.front() == '0') {
      return false;
    }
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
}

bool is_version(std::string_view text) {
  const std::size_t plus = text.find('+');
  if (plus != std::string_view::npos) {
    if (!are_identifiers(text.substr(plus + 1), Zeros::kAllowed)) return false;
    text = text.substr(0, plus);
  }
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    if (!are_identifiers(text.substr(dash + 1), Zeros::kNotInFront)) return false;
    text = text.substr(0, dash);
  }
  const bool is_numeric = std::all_of(text.begin(), text.end(),
                                      [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  return is_numeric && std::count(text.begin(), text.end(), '.') == 2 &&
         are_identifiers(text, Zeros::kNotInFront);
}

void check_attribute(const Json& attribute, const FieldPath& path, FieldErrors& errors) {
  const Json& text = attribute.get("string");
  if (text.text().size() > kAttributeBytesMax) {
    errors.push_back(field_too_long(path.text("string"), kAttributeBytesMax));
  }
  const Json& version = attribute.get("version");
  if (!version.is_null()) {
    if (!is_version(version.text())) {
      errors.push_back(field_invalid(path.text("version"), version,
                                     "must be a string compatible with semver.org spec 2.0.0"));
    }
    if (version.text().size() > kAttributeBytesMax) {
      errors.push_back(field_too_long(path.text("version"), kAttributeBytesMax));
    }
  }
  int values = 0;
  for (const std::string_view each : {"bool", "int", "string", "version"}) {
    values += is_set(attribute, each) ? 1 : 0;
  }
  if (values == 1) return;
  errors.push_back(field_invalid(path.text(), values == 0 ? Json("") : attribute,
                                 "exactly one value must be specified"));
}

Quantity quantity_of(const Json& value) {
  return Quantity::parse(value.text()).value_or(Quantity());
}

/// The bounds of what a request may take of a capacity.
struct Policy {
  const Json& capacity;
  const Json& standard;  // "default"
};

void check_valid_values(const Policy& policy, const Json& values, const FieldPath& path,
                        FieldErrors& errors) {
  const Json::Items& items = values.items();
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    if (quantity_of(items[i]) <= quantity_of(items[i + 1])) continue;
    const FieldPath at = path.index(i + 1);
    errors.push_back(
        field_invalid(at.text(), items[i + 1], "values must be sorted in ascending order"));
  }
  bool has_standard = false;
  check_unique_items(
      values, kValidValuesMax, path, errors,
      [&](const Json& each, const FieldPath& at) {
        if (quantity_of(each) > quantity_of(policy.capacity)) {
          errors.push_back(field_invalid(
              at.text(), each, "option is larger than capacity value: " + policy.capacity.text()));
        }
        has_standard = has_standard || quantity_of(each) == quantity_of(policy.standard);
      },
      [](const Json& each) { return std::to_string(quantity_of(each).milli()); });
  if (has_standard) return;
  errors.push_back(field_invalid(path.text(), policy.standard,
                                 "default value is not valid according to the requestPolicy"));
}

/// Whether a value lies on one of the steps from the least.
void check_step(const Json& value, const Json& range, const FieldPath& path, FieldErrors& errors) {
  const std::int64_t step = quantity_of(range.get("step")).integer().value_or(1);
  Quantity distance = quantity_of(value);
  distance -= quantity_of(range.get("min"));
  if (step == 0 || distance.integer().value_or(0) % step == 0) return;
  errors.push_back(field_invalid(path.text(), value,
                                 "value is not a multiple of a given step (" +
                                     range.get("step").text() + ") from (" +
                                     range.get("min").text() + ")"));
}

void check_range_bounds(const Policy& policy, const Json& range, const FieldPath& path,
                        FieldErrors& errors) {
  const auto refuse = [&](std::string_view field, const Json& value, const std::string& text) {
    errors.push_back(field_invalid(path.text(field), value, text));
  };
  const Json& least = range.get("min");
  const Json& most = range.get("max");
  const std::string capacity = policy.capacity.text();
  const Quantity whole = quantity_of(policy.capacity);
  const Quantity standard = quantity_of(policy.standard);
  if (quantity_of(least) > whole) {
    refuse("min", least, "min is larger than capacity value: " + capacity);
  }
  if (standard < quantity_of(least)) {
    refuse("min", policy.standard, "default is less than min: " + least.text());
  }
  if (most.is_null()) return;
  if (quantity_of(least) > quantity_of(most)) {
    refuse("max", least, "min is larger than max: " + most.text());
  }
  if (quantity_of(most) > whole) {
    refuse("max", most, "max is larger than capacity value: " + capacity);
  }
  if (standard > quantity_of(most)) {
    refuse("max", policy.standard, "default is more than max: " + most.text());
  }
}

void check_valid_range(const Policy& policy, const Json& range, const FieldPath& path,
                       FieldErrors& errors) {
  if (!is_set(range, "min")) {
    errors.push_back(field_required(path.text("min"), "required when validRange is defined"));
    return;
  }
  check_range_bounds(policy, range, path, errors);
  if (!is_set(range, "step")) return;
  Quantity first = quantity_of(range.get("min"));
  first += quantity_of(range.get("step"));
  const FieldPath at = path.child("step");
  if (first > quantity_of(policy.capacity)) {
    errors.push_back(
        field_invalid(at.text(), range.get("step"),
                      "one step is larger than capacity value: " + policy.capacity.text()));
  }
  check_step(policy.standard, range, at, errors);
  if (is_set(range, "max")) check_step(range.get("max"), range, at, errors);
}

void check_request_policy(const Json& capacity, const FieldPath& path, FieldErrors& errors) {
  const Json& policy = capacity.get("requestPolicy");
  const FieldPath at = path.child("requestPolicy");
  const Json& values = policy.get("validValues");
  const bool has_values = !values.items().empty();
  const bool has_range = is_set(policy, "validRange");
  if (has_values && has_range) {
    errors.push_back(field_forbidden(
        at.text(),
        R"(exactly one policy can be specified, cannot specify "validValues" and "validRange" )"
        "at the same time"));
    return;
  }
  if (!has_values && !has_range) return;
  if (!is_set(policy, "default")) {
    errors.push_back(field_required(at.text("default"), has_values
                                                            ? "required when validValues is defined"
                                                            : "required when validRange is "
                                                              "defined"));
    return;
  }
  const Policy bounds{capacity.get("value"), policy.get("default")};
  const FieldPath values_at = at.child("validValues");
  const FieldPath range_at = at.child("validRange");
  if (has_values) check_valid_values(bounds, values, values_at, errors);
  if (has_range) check_valid_range(bounds, policy.get("validRange"), range_at, errors);
}

void check_capacity(const Json& device, const FieldPath& path, FieldErrors& errors) {
  const bool is_shared = device.get("allowMultipleAllocations").boolean();
  for (const Json::Member& each : device.get("capacity").members()) {
    check_device_attribute_name(each.key, path, errors);
    if (!is_set(each.value, "requestPolicy")) continue;
    const FieldPath at = path.key(each.key);
    if (is_shared) {
      check_request_policy(each.value, at, errors);
    } else {
      errors.push_back(
          field_forbidden(at.text("requestPolicy"), "allowMultipleAllocations must be true"));
    }
  }
}

void check_counters(const Json& counters, const FieldPath& path, FieldErrors& errors) {
  if (counters.members().empty()) {
    errors.push_back(field_required(path.text()));
  } else if (counters.members().size() > kCountersMax) {
    errors.push_back(field_too_many(path.text(), counters.members().size(), kCountersMax));
  } else {
    for (const Json::Member& each : counters.members()) {
      add_invalid(check_dns_label(each.key), each.key, path, errors);
    }
  }
}

/// The counters of a set or of a device, in the set that the member names.
void check_counter_set(const Json& holder, std::string_view member, const FieldPath& path,
                       FieldErrors& errors) {
  if (require_text(holder, member, path, errors)) {
    const std::string& name = holder.get(member).text();
    add_invalid(check_dns_label(name), name, path.child(member), errors);
  }
  check_counters(holder.get("counters"), path.child("counters"), errors);
}

/// The nodes for which a slice or device is.
class Places {
 public:
  Places(const FieldPath& path, FieldErrors& errors) : path_(path), errors_(errors) {}

  void name(const Json& name, std::string_view empty) {
    if (name.is_null()) return;
    const FieldPath at = path_.child("nodeName");
    if (name.text().empty()) {
      errors_.push_back(field_invalid(at.text(), name, empty));
      return;
    }
    set_.emplace_back("`nodeName`");
    add_invalid(check_dns_subdomain(name.text()), name.text(), at, errors_);
  }
  void selector(const Json& selector) {
    if (selector.is_null()) return;
    set_.emplace_back("`nodeSelector`");
    check_node_selector(selector, path_.child("nodeSelector"), errors_);
  }
  void flag(const Json& flag, std::string_view field) {
    if (flag.is_null()) return;
    if (flag.boolean()) {
      set_.push_back("`" + std::string(field) + "`");
    } else {
      errors_.push_back(field_invalid(path_.text(field), flag, kTrueOrUnset));
    }
  }
  /// Exactly one of them is set.
  void end(const std::string& text) {
    if (set_.size() == 1) return;
    if (set_.empty()) {
      errors_.push_back(field_required(path_.text(), text));
      return;
    }
    std::string all;
    for (const std::string& each : set_) all += (all.empty() ? "" : ", ") + each;
    errors_.push_back(field_invalid(path_.text(), Json("{" + all + "}"), text));
  }

 private:
  const FieldPath& path_;
  FieldErrors& errors_;
  std::vector<std::string> set_;
};

void check_device_nodes(const Json& device, const Json& spec, const FieldPath& path,
                        FieldErrors& errors) {
  if (!spec.get("perDeviceNodeSelection").boolean()) {
    if (!is_set(device, "nodeName") && !is_set(device, "nodeSelector") &&
        !is_set(device, "allNodes")) {
      return;
    }
    errors.push_back(field_invalid(path.text(), Json(),
                                   "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                                   "`perDeviceNodeSelection` is set to true in the ResourceSlice "
                                   "spec"));
    return;
  }
  Places places(path, errors);
  places.name(device.get("nodeName"), "must not be empty");
  places.selector(device.get("nodeSelector"));
  places.flag(device.get("allNodes"), "allNodes");
  places.end(
      "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
      "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
}

/// `old`: the device of that name before the update, or null.
void check_device(const Json& device, const Json* old, const Json& spec, const FieldPath& path,
                  FieldErrors& errors) {
  const std::string& name = device.get("name").text();
  add_invalid(check_dns_label(name), name, path.child("name"), errors);
  const Json& attributes = device.get("attributes");
  const std::size_t count = attributes.size() + device.get("capacity").size();
  if (count > kNamedValuesMax) {
    errors.push_back(field_invalid(path.text(), Json(static_cast<std::int64_t>(count)),
                                   "the total number of attributes and capacities must not exceed "
                                   "32"));
  }
  const FieldPath attributes_at = path.child("attributes");
  for (const Json::Member& each : attributes.members()) {
    check_device_attribute_name(each.key, attributes_at, errors);
    check_attribute(each.value, attributes_at.key(each.key), errors);
  }
  const FieldPath capacity_at = path.child("capacity");
  check_capacity(device, capacity_at, errors);
  const Json& taints = device.get("taints");
  if (old == nullptr || old->get("taints") != taints) {
    (void)check_items(
        taints, kTaintsMax, path.child("taints"), errors,
        [&errors](const Json& each, const FieldPath& at) { check_device_taint(each, at, errors); });
  }
  check_unique_items(
      device.get("consumesCounters"), kConsumptionsMax, path.child("consumesCounters"), errors,
      [&errors](const Json& each, const FieldPath& at) {
        check_counter_set(each, "counterSet", at, errors);
      },
      [](const Json& each) { return each.get("counterSet").text(); });
  check_device_nodes(device, spec, path, errors);
  check_binding_conditions(device, path, errors);
}

void check_pool(const Json& pool, const FieldPath& path, FieldErrors& errors) {
  check_pool_name(pool.get("name").text(), path.child("name"), errors);
  const Json& slices = pool.get("resourceSliceCount");
  if (slices.integer_or(0) <= 0) {
    errors.push_back(
        field_invalid(path.text("resourceSliceCount"), slices, "must be greater than zero"));
  }
  const Json& generation = pool.get("generation");
  if (generation.integer_or(0) < 0) {
    errors.push_back(field_invalid(path.text("generation"), generation,
                                   "must be greater than or equal to zero"));
  }
}

void check_slice_nodes(const Json& spec, FieldErrors& errors) {
  constexpr FieldPath kPath("spec");
  Places places(kPath, errors);
  places.name(spec.get("nodeName"), "must be either unset or set to a non-empty string");
  const Json& selector = spec.get("nodeSelector");
  places.selector(selector);
  const Json& terms = selector.get("nodeSelectorTerms");
  if (!selector.is_null() && terms.items().size() != 1) {
    errors.push_back(field_invalid(kPath.text("nodeSelector.nodeSelectorTerms"), terms,
                                   "must have exactly one node selector term"));
  }
  places.flag(spec.get("allNodes"), "allNodes");
  places.flag(spec.get("perDeviceNodeSelection"), "perDeviceNodeSelection");
  places.end(
      "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
      "required");
}

/// The devices of the slice before an update, by name.
std::map<std::string_view, const Json*> devices_of_slice(const Json* slice) {
  std::map<std::string_view, const Json*> out;
  if (slice == nullptr) return out;
  for (const Json& each : slice->get("spec").get("devices").items()) {
    out.emplace(each.get("name").text(), &each);
  }
  return out;
}

void check_devices(const Json& spec, const Json* old, FieldErrors& errors) {
  const Json& devices = spec.get("devices");
  const std::map<std::string_view, const Json*> before = devices_of_slice(old);
  const bool is_advanced =
      std::any_of(devices.items().begin(), devices.items().end(), [](const Json& each) {
        return each.get("taints").size() > 0 || each.get("consumesCounters").size() > 0;
      });
  check_unique_items(
      devices, is_advanced ? kAdvancedDevicesMax : kDevicesMax, kSpec.child("devices"), errors,
      [&](const Json& each, const FieldPath& at) {
        const auto found = before.find(each.get("name").text());
        check_device(each, found == before.end() ? nullptr : found->second, spec, at, errors);
      },
      name_key);
}

}  // namespace

void check_resource_slice(const Json& object, const Json* old, FieldErrors& errors) {
  const Json& spec = object.get("spec");
  check_csi_driver_name(spec.get("driver").text(), kSpec.child("driver"), errors);
  check_pool(spec.get("pool"), kSpec.child("pool"), errors);
  if (old != nullptr) {
    const Json& before = old->get("spec");
    check_immutable(spec.get("pool"), before.get("pool"), "name", kSpec.child("pool"), errors);
    check_immutable(spec, before, "driver", kSpec, errors);
    check_immutable(spec, before, "nodeName", kSpec, errors);
  }
  check_slice_nodes(spec, errors);
  if (is_set(spec, "sharedCounters") && is_set(spec, "devices")) {
    errors.push_back(field_invalid(kSpec.text(), Json(""),
                                   "only one of `sharedCounters` or `devices` is allowed"));
  }
  check_devices(spec, old, errors);
  check_unique_items(
      spec.get("sharedCounters"), kCounterSetsMax, kSpec.child("sharedCounters"), errors,
      [&errors](const Json& each, const FieldPath& at) {
        check_counter_set(each, "name", at, errors);
      },
      name_key);
}

void drop_disabled_attributes(Json& slice) {
  Json* const devices = slice.at({"spec", "devices"});
  if (devices == nullptr) return;
  for (Json& device : devices->make_array()) {
    device.erase("nodeAllocatableResourceMappings");
    Json* const attributes = device.find("attributes");
    if (attributes == nullptr) continue;
    for (Json::Member& each : attributes->make_object()) {
      for (const std::string_view list : {"ints", "bools", "strings", "versions"}) {
        each.value.erase(list);
      }
    }
  }
}

std::vector<std::string> slice_warnings(const Json& slice) {
  const std::string& driver = slice.text_at({"spec", "driver"});
  const bool has_capitals =
      std::any_of(driver.begin(), driver.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!has_capitals) return {};
  return {"spec.driver: driver names should be lowercase; \"" + driver +
          "\" contains uppercase characters"};
}

}  // namespace davit::sandbox
