// The status of claims. k8s: pkg/apis/resource/validation.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "sandbox/kinds/address_checks.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/device_checks.hpp"
#include "sandbox/kinds/extension_checks.hpp"
#include "sandbox/kinds/pod_spec.hpp"
#include "sandbox/kinds/volume_source_checks.hpp"

namespace davit::sandbox {
namespace {

constexpr std::size_t kConsumersMax = 256;
constexpr std::size_t kResultsMax = 32;
constexpr std::size_t kAllocatedConfigurationsMax = 64;  // Those of class and claim.
constexpr std::size_t kInterfaceNameMax = 256;
constexpr std::size_t kHardwareAddressMax = 128;
constexpr std::size_t kAddressesMax = 16;
constexpr std::size_t kNoMax = SIZE_MAX;
constexpr std::string_view kConsumers = "reservedFor";
constexpr FieldPath kStatusPath("status");

/// A claim that is being deleted gets no further consumers.
void check_no_more_consumers(const Json& consumers, const Json& old, FieldErrors& errors) {
  for (const Json& each : consumers.items()) {
    bool is_old = false;
    for (const Json& before : old.items()) is_old = is_old || before == each;
    if (is_old) continue;
    errors.push_back(field_forbidden(kStatusPath.text(kConsumers),
                                     "new entries may not be added while `deallocationRequested` "
                                     "or `deletionTimestamp` are set"));
    return;
  }
}

void check_consumers(const Json& consumers, FieldErrors& errors) {
  check_unique_items(
      consumers, kConsumersMax, kStatusPath.child(kConsumers), errors,
      [&errors](const Json& each, const FieldPath& at) {
        for (const std::string_view field : {"resource", "name", "uid"}) {
          (void)require_text(each, field, at, errors);
        }
      },
      [](const Json& each) { return each.get("uid").text(); });
}

/// The three parts of a device's name.
void check_device_name(const Json& device, const FieldPath& path, FieldErrors& errors) {
  check_csi_driver_name(device.get("driver").text(), path.child("driver"), errors);
  check_pool_name(device.get("pool").text(), path.child("pool"), errors);
  const std::string& name = device.get("device").text();
  add_invalid(check_dns_label(name), name, path.child("device"), errors);
}

/// "driver/pool/device/share" of an allocated device or of its status.
std::string device_key(const Json& device) {
  return device.get("driver").text() + '/' + device.get("pool").text() + '/' +
         device.get("device").text() + '/' + device.get("shareID").text();
}

std::set<std::string> allocated_devices(const Json& status) {
  std::set<std::string> out;
  for (const Json& each : status.get("allocation").get("devices").get("results").items()) {
    out.insert(device_key(each));
  }
  return out;
}

void check_result(const Json& result, const Json& devices, const FieldPath& path,
                  FieldErrors& errors) {
  check_request_reference(result.get("request").text(), devices, path.child("request"), errors);
  check_device_name(result, path, errors);
  check_binding_conditions(result, path, errors);
  if (is_set(result, "shareID")) {
    check_uuid(result.get("shareID").text(), path.child("shareID"), errors);
  }
}

void check_allocated_configuration(const Json& configuration, const Json& devices,
                                   const FieldPath& path, FieldErrors& errors) {
  const std::string& source = configuration.get("source").text();
  if (source.empty()) {
    errors.push_back(field_required(path.text("source")));
  } else if (source != "FromClaim" && source != "FromClass") {
    errors.push_back(
        field_not_supported(path.text("source"), Json(source), {"FromClaim", "FromClass"}));
  }
  check_request_references(configuration.get("requests"), devices, path.child("requests"), errors);
  check_device_configuration(configuration, path, errors);
}

void check_allocation(const Json& allocation, const Json& devices, FieldErrors& errors) {
  const FieldPath path = kStatusPath.child("allocation");
  const FieldPath at = path.child("devices");
  const Json& allocated = allocation.get("devices");
  (void)check_items(allocated.get("results"), kResultsMax, at.child("results"), errors,
                    [&](const Json& each, const FieldPath& place) {
                      check_result(each, devices, place, errors);
                    });
  (void)check_items(allocated.get("config"), kAllocatedConfigurationsMax, at.child("config"),
                    errors, [&](const Json& each, const FieldPath& place) {
                      check_allocated_configuration(each, devices, place, errors);
                    });
  if (!is_set(allocation, "nodeSelector")) return;
  check_node_selector(allocation.get("nodeSelector"), path.child("nodeSelector"), errors);
}

void check_network_data(const Json& data, const FieldPath& path, FieldErrors& errors) {
  if (data.get("interfaceName").text().size() > kInterfaceNameMax) {
    errors.push_back(field_too_long(path.text("interfaceName"), kInterfaceNameMax));
  }
  if (data.get("hardwareAddress").text().size() > kHardwareAddressMax) {
    errors.push_back(field_too_long(path.text("hardwareAddress"), kHardwareAddressMax));
  }
  check_unique_items(
      data.get("ips"), kAddressesMax, path.child("ips"), errors,
      [&errors](const Json& each, const FieldPath& at) {
        check_interface_address(each.text(), at, errors);
      },
      text_key);
}

void check_device_status(const Json& device, const std::set<std::string>& allocated,
                         const FieldPath& path, FieldErrors& errors) {
  check_device_name(device, path, errors);
  if (is_set(device, "shareID")) {
    check_uuid(device.get("shareID").text(), path.child("shareID"), errors);
  }
  if (!allocated.contains(device_key(device))) {
    errors.push_back(field_invalid(path.text(), Json(device_key(device)),
                                   "must be an allocated device in the claim"));
  }
  const Json& conditions = device.get("conditions");
  check_condition_count(conditions, path.child("conditions"), errors);
  check_status_conditions(conditions, path.child("conditions"), errors);
  if (is_set(device, "data")) check_raw_object(device, "data", path, errors);
  check_network_data(device.get("networkData"), path.child("networkData"), errors);
}

}  // namespace

void keep_metadata(Json& object, const Json& old) {
  Json& metadata = object["metadata"];
  for (const std::string_view each : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    const Json* const before = old.get("metadata").find(each);
    if (before == nullptr) {
      metadata.erase(each);
    } else {
      metadata.set(each, *before);
    }
  }
}

void prepare_claim_status(Json& object, const Json& old) {
  keep_metadata(object, old);
  Json* const status = object.find("status");
  if (status == nullptr || status->get("devices").size() == 0) return;
  const std::set<std::string> before = allocated_devices(old.get("status"));
  const std::set<std::string> now = allocated_devices(*status);
  Json::Items& devices = status->find("devices")->make_array();
  std::erase_if(devices, [&](const Json& each) {
    const std::string key = device_key(each);
    return before.contains(key) && !now.contains(key);
  });
  if (devices.empty()) status->erase("devices");
}

void check_resource_claim_status(const Json& object, const Json& old, FieldErrors& errors) {
  const Json& status = object.get("status");
  const Json& consumers = status.get(kConsumers);
  check_consumers(consumers, errors);
  const std::set<std::string> allocated = allocated_devices(status);
  check_unique_items(
      status.get("devices"), kNoMax, kStatusPath.child("devices"), errors,
      [&](const Json& each, const FieldPath& at) {
        check_device_status(each, allocated, at, errors);
      },
      device_key);
  if (!consumers.items().empty() && !is_set(status, "allocation")) {
    errors.push_back(field_forbidden(kStatusPath.text(kConsumers),
                                     "may not be specified when `allocated` is not set"));
  } else if (is_set(object.get("metadata"), "deletionTimestamp")) {
    check_no_more_consumers(consumers, old.get("status").get(kConsumers), errors);
  }
  if (!is_set(status, "allocation")) return;
  if (is_set(old.get("status"), "allocation")) {
    check_immutable(status, old.get("status"), "allocation", kStatusPath, errors);
  } else {
    check_allocation(status.get("allocation"), object.get("spec").get("devices"), errors);
  }
}

}  // namespace davit::sandbox
