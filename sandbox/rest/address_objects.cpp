#include "sandbox/rest/address_objects.hpp"

#include <algorithm>
#include <davit/kube/ip.hpp>
#include <davit/kube/time.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sandbox/kinds/service_families.hpp"
#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

const std::string kGroup = "networking.k8s.io";
constexpr char kFamilyLabel[] = "ipaddress.kubernetes.io/ip-family";
constexpr char kManagerLabel[] = "ipaddress.kubernetes.io/managed-by";
/// The controller that Events come from.
constexpr char kRepairs[] = "ipallocator-repair-controller";

bool is_served(const RestParts& parts) {
  return parts.store.get({kGroup, "servicecidrs"}, "", "kubernetes") != nullptr;
}

ResourcePtr ip_addresses(const RestParts& parts) {
  return parts.resources.now()->find(kGroup, "v1", "ipaddresses");
}

/// In their canonical form, as the objects are named; none of a headless Service.
std::vector<std::string> addresses_of(const Json& service) {
  std::vector<std::string> out;
  for (const Json& each : service.get("spec").get("clusterIPs").items()) {
    if (const auto address = ip::Address::parse(each.text())) out.push_back(address->text());
  }
  return out;
}

bool has_address(const Json& service, const std::string& address) {
  return std::ranges::count(addresses_of(service), address) != 0;
}

FieldManager repairs_manager(const RestParts& parts, const Resource& resource) {
  FieldManager manager;
  manager.name = "kube-apiserver";
  manager.api_version = resource.api_version();
  manager.time = time_text(parts.clock);
  return manager;
}

/// An Event of the repair loop about a Service. One of the same words is not made again.
void report(const RestParts& parts, const Json& service, const std::string& reason,
            const std::string& note) {
  const ResourcePtr resource = parts.resources.now()->find("events.k8s.io", "v1", "events");
  if (resource == nullptr) return;
  const Json& metadata = service.get("metadata");
  const std::string& ns = metadata.get("namespace").text();
  const std::string& uid = metadata.get("uid").text();
  const std::string name = metadata.get("name").text() + '.' +
                           std::to_string(std::hash<std::string>()(uid + reason + note));
  const WriteTarget target{.resource = *resource,
                           .ns = ns,
                           .name = "",
                           .subresource = "",
                           .dry_run = DryRun::kNo,
                           .manager = repairs_manager(parts, *resource)};
  Json event = Json::object({{"apiVersion", "events.k8s.io/v1"},
                             {"kind", "Event"},
                             {"metadata", Json::object({{"name", name}, {"namespace", ns}})},
                             {"eventTime", format_micro_time(parts.clock.wall_now())},
                             {"reportingController", kRepairs},
                             {"reportingInstance", std::string(kRepairs) + "-sandbox"},
                             {"action", "ClusterIPAllocation"},
                             {"reason", reason},
                             {"regarding", Json::object({{"kind", "Service"},
                                                         {"namespace", ns},
                                                         {"name", metadata.get("name")},
                                                         {"uid", uid},
                                                         {"apiVersion", "v1"}})},
                             {"note", note},
                             {"type", "Warning"}});
  std::vector<std::string> warnings;
  // Refused if there is such an Event, or the namespace is going.
  static_cast<void>(create_object(parts, target, std::move(event), warnings).has_value());
}

bool is_in_a_range(const RestParts& parts, const std::string& text) {
  const std::optional<ip::Address> address = ip::Address::parse(text);
  const auto assigns = [&](const Json& cidr) {
    const std::optional<ip::Prefix> range = ip::Prefix::parse(cidr.text());
    return range && range->assigns(*address);
  };
  return std::ranges::any_of(
      parts.store.list({kGroup, "servicecidrs"}, "").objects, [&](const VersionPtr& each) {
        const Json object = each->json();
        return std::ranges::any_of(object.get("spec").get("cidrs").items(), assigns);
      });
}

/// Whether the address is in a range; reports one that is not.
bool check_range_of(const RestParts& parts, const std::string& address, const Json& service) {
  if (is_in_a_range(parts, address)) return true;
  report(parts, service, "ClusterIPOutOfRange",
         "Cluster IP [" + std::string(family_of_address(address)) + "]: " + address +
             " is not within any configured Service CIDR; please recreate service");
  return false;
}

Json labels_of(const std::string& address) {
  return Json::object({{kFamilyLabel, std::string(family_of_address(address))},
                       {kManagerLabel, "ipallocator.k8s.io"}});
}

bool has_labels(const Json& object) {
  const Json expected = labels_of(object.text_at({"metadata", "name"}));
  const Json& labels = object.get("metadata").get("labels");
  return std::ranges::all_of(expected.members(), [&](const Json::Member& each) {
    return labels.get(each.key) == each.value;
  });
}

Json address_object(const std::string& address, const Json& service) {
  Json parent = Json::object({{"resource", "services"},
                              {"namespace", service.text_at({"metadata", "namespace"})},
                              {"name", service.text_at({"metadata", "name"})}});
  return Json::object(
      {{"apiVersion", kGroup + "/v1"},
       {"kind", "IPAddress"},
       {"metadata", Json::object({{"name", address}, {"labels", labels_of(address)}})},
       {"spec", Json::object({{"parentRef", std::move(parent)}})}});
}

void make_object(const RestParts& parts, const std::string& address, const Json& service) {
  const ResourcePtr resource = ip_addresses(parts);
  if (resource == nullptr || parts.store.get(resource->collection, "", address) != nullptr) return;
  const WriteTarget target{.resource = *resource,
                           .ns = "",
                           .name = "",
                           .subresource = "",
                           .dry_run = DryRun::kNo,
                           .manager = repairs_manager(parts, *resource)};
  std::vector<std::string> warnings;
  // Refused only if another request has just made an object of that name.
  static_cast<void>(
      create_object(parts, target, address_object(address, service), warnings).has_value());
}

void delete_object_of(const RestParts& parts, const std::string& address) {
  const ResourcePtr resource = ip_addresses(parts);
  if (resource == nullptr) return;
  static_cast<void>(delete_one(parts, *resource, "", address, {}).has_value());
}

/// The Service that `object`, an IPAddress, is of; null if it is gone or another kind of object.
VersionPtr service_of(const RestParts& parts, const Json& object) {
  const Json& parent = object.get("spec").get("parentRef");
  if (!parent.get("group").text().empty() || parent.get("resource").text() != "services") {
    return nullptr;
  }
  return parts.store.get({"", "services"}, parent.get("namespace").text(),
                         parent.get("name").text());
}

/// An IPAddress is gone that its Service still needs. One whose labels were wrong is only replaced.
void make_again(const RestParts& parts, const Json& last) {
  const VersionPtr version = service_of(parts, last);
  if (version == nullptr) return;
  const std::string& address = last.text_at({"metadata", "name"});
  const Json service = version->json();
  if (!has_address(service, address)) return;
  if (has_labels(last)) {
    report(parts, service, "ClusterIPNotAllocated",
           "Cluster IP [" + std::string(family_of_address(address)) + "]: " + address +
               " is not allocated; repairing");
  }
  make_object(parts, address, service);
}

}  // namespace

void keep_addresses(const RestParts& parts, const Json& service, const Json* old) {
  if (!is_served(parts)) return;
  for (const std::string& each : addresses_of(service)) {
    if (check_range_of(parts, each, service)) make_object(parts, each, service);
  }
  if (old == nullptr) return;
  for (const std::string& each : addresses_of(*old)) {
    if (!has_address(service, each)) delete_object_of(parts, each);
  }
}

void keep_labels(const RestParts& parts, const Resource& resource, const Version& stored) {
  if (resource.group != kGroup || resource.name != "ipaddresses") return;
  const Json object = stored.json();
  if (has_labels(object)) return;
  const VersionPtr service = service_of(parts, object);
  const std::string& address = object.text_at({"metadata", "name"});
  if (service != nullptr && has_address(service->json(), address)) {
    delete_object_of(parts, address);
  }
}

void repair_addresses(const RestParts& parts, const Resource& resource, const Json& last) {
  if (resource.group == kGroup && resource.name == "ipaddresses") return make_again(parts, last);
  if (resource.group == kGroup && resource.name == "servicecidrs") {
    for (const VersionPtr& each : parts.store.list({"", "services"}, "").objects) {
      const Json service = each->json();
      for (const std::string& address : addresses_of(service)) {
        static_cast<void>(check_range_of(parts, address, service));
      }
    }
    return;
  }
  if (!resource.group.empty() || resource.name != "services") return;
  for (const std::string& each : addresses_of(last)) delete_object_of(parts, each);
}

void restore_addresses(const RestParts& parts) {
  for (const VersionPtr& each : parts.store.list({"", "services"}, "").objects) {
    keep_addresses(parts, each->json(), nullptr);
  }
}

}  // namespace davit::sandbox
