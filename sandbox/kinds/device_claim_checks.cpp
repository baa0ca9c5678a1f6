#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/extension_checks.hpp"

namespace davit::sandbox {
namespace {

constexpr std::size_t kConsumersMax = 256;
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
  if (consumers.items().size() > kConsumersMax) {
    errors.push_back(
        field_too_many(kStatusPath.text(kConsumers), consumers.items().size(), kConsumersMax));
    return;
  }
  const FieldPath path = kStatusPath.child(kConsumers);
  std::set<std::string_view> seen;
  std::size_t index = 0;
  for (const Json& each : consumers.items()) {
    const FieldPath at = path.index(index++);
    if (!seen.insert(each.get("uid").text()).second) {
      errors.push_back(field_duplicate(at.text(), each.get("uid")));
    }
  }
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

}  // namespace

void drop_released_devices(Json& object, const Json& old) {
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

void check_resource_claim(const Json& object, const Json* old, FieldErrors& errors) {
  if (old != nullptr) check_immutable(object, *old, "spec", FieldPath(), errors);
}

void check_resource_claim_status(const Json& object, const Json& old, FieldErrors& errors) {
  const Json& status = object.get("status");
  const Json& consumers = status.get(kConsumers);
  check_consumers(consumers, errors);
  if (!consumers.items().empty() && !is_set(status, "allocation")) {
    errors.push_back(field_forbidden(kStatusPath.text(kConsumers),
                                     "may not be specified when `allocated` is not set"));
  } else if (is_set(object.get("metadata"), "deletionTimestamp")) {
    check_no_more_consumers(consumers, old.get("status").get(kConsumers), errors);
  }
  if (is_set(status, "allocation") && is_set(old.get("status"), "allocation")) {
    check_immutable(status, old.get("status"), "allocation", kStatusPath, errors);
  }
}

}  // namespace davit::sandbox
