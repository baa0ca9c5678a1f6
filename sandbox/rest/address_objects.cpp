#include "sandbox/rest/address_objects.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sandbox/rest/delete.hpp"
#include "sandbox/rest/meta.hpp"
#include "sandbox/rest/write.hpp"

namespace davit::sandbox {

namespace {

const std::string kGroup = "networking.k8s.io";

bool is_served(const RestParts& parts) {
  return parts.store.get({kGroup, "servicecidrs"}, "", "kubernetes") != nullptr;
}

ResourcePtr ip_addresses(const RestParts& parts) {
  return parts.resources.now()->find(kGroup, "v1", "ipaddresses");
}

/// None of a headless Service.
Json::Items addresses_of(const Json& service) {
  Json::Items out;
  for (const Json& each : service.get("spec").get("clusterIPs").items()) {
    if (each.text() != "None" && !each.text().empty()) out.push_back(each);
  }
  return out;
}

bool has_address(const Json& service, const std::string& address) {
  return std::ranges::any_of(addresses_of(service),
                             [&](const Json& each) { return each.text() == address; });
}

Json address_object(const std::string& address, const Json& service) {
  const bool v6 = address.find(':') != std::string::npos;
  Json labels = Json::object({{"ipaddress.kubernetes.io/ip-family", v6 ? "IPv6" : "IPv4"},
                              {"ipaddress.kubernetes.io/managed-by", "ipallocator.k8s.io"}});
  Json parent = Json::object({{"resource", "services"},
                              {"namespace", service.text_at({"metadata", "namespace"})},
                              {"name", service.text_at({"metadata", "name"})}});
  return Json::object(
      {{"apiVersion", kGroup + "/v1"},
       {"kind", "IPAddress"},
       {"metadata", Json::object({{"name", address}, {"labels", std::move(labels)}})},
       {"spec", Json::object({{"parentRef", std::move(parent)}})}});
}

void make_object(const RestParts& parts, const std::string& address, const Json& service) {
  const ResourcePtr resource = ip_addresses(parts);
  if (resource == nullptr || parts.store.get(resource->collection, "", address) != nullptr) return;
  FieldManager manager;
  manager.name = "kube-apiserver";
  manager.api_version = resource->api_version();
  manager.time = time_text(parts.clock);
  const WriteTarget target{.resource = *resource,
                           .ns = "",
                           .name = "",
                           .subresource = "",
                           .dry_run = DryRun::kNo,
                           .manager = std::move(manager)};
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

/// An IPAddress is gone that its Service still needs.
void make_again(const RestParts& parts, const Json& last) {
  const Json& parent = last.get("spec").get("parentRef");
  if (!parent.get("group").text().empty() || parent.get("resource").text() != "services") return;
  const VersionPtr service =
      parts.store.get({"", "services"}, parent.get("namespace").text(), parent.get("name").text());
  if (service == nullptr) return;
  const std::string& address = last.text_at({"metadata", "name"});
  const Json object = service->json();
  if (has_address(object, address)) make_object(parts, address, object);
}

}  // namespace

void keep_addresses(const RestParts& parts, const Json& service, const Json* old) {
  if (!is_served(parts)) return;
  for (const Json& each : addresses_of(service)) make_object(parts, each.text(), service);
  if (old == nullptr) return;
  for (const Json& each : addresses_of(*old)) {
    if (!has_address(service, each.text())) delete_object_of(parts, each.text());
  }
}

void repair_addresses(const RestParts& parts, const Resource& resource, const Json& last) {
  if (resource.group == kGroup && resource.name == "ipaddresses") return make_again(parts, last);
  if (!resource.group.empty() || resource.name != "services") return;
  for (const Json& each : addresses_of(last)) delete_object_of(parts, each.text());
}

void restore_addresses(const RestParts& parts) {
  for (const VersionPtr& each : parts.store.list({"", "services"}, "").objects) {
    keep_addresses(parts, each->json(), nullptr);
  }
}

}  // namespace davit::sandbox
