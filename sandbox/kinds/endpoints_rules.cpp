// k8s: ValidateEndpoints of pkg/apis/core/validation, ValidateEndpointSlice of
// pkg/apis/discovery/validation.
#include <array>
#include <charconv>
#include <set>
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/network_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::size_t kEndpointsMax = 1000;
constexpr std::size_t kAddressesMax = 100;
constexpr std::size_t kPortsMax = 20'000;
constexpr std::size_t kTopologyMax = 16;
constexpr std::size_t kHintsMax = 8;

/// The members of a list that an object may lack.
template <typename Visit>
void each_item(Json& object, std::string_view list, Visit visit) {
  Json* items = object.find(list);
  if (items == nullptr || !items->is_array()) return;
  for (Json& each : items->make_array()) visit(each);
}

void check_address(const Json& address, const FieldPath& path, FieldErrors& errors) {
  const FieldPath ip_path = path.child("ip");
  const std::string& ip = address.get("ip").text();
  check_reachable_ip(ip, ip_path, errors);
  const std::string& hostname = address.get("hostname").text();
  if (!hostname.empty()) {
    add_invalid(check_dns_label(hostname), hostname, path.child("hostname"), errors);
  }
  if (is_set(address, "nodeName")) {
    const std::string& node = address.get("nodeName").text();
    add_invalid(check_dns_subdomain(node), node, path.child("nodeName"), errors);
  }
}

void check_app_protocol(const Json& port, const FieldPath& path, FieldErrors& errors) {
  if (!is_set(port, "appProtocol")) return;
  const std::string& text = port.get("appProtocol").text();
  add_invalid(check_qualified_name(text), text, path.child("appProtocol"), errors);
}

void check_subset_ports(const Json& ports, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < ports.items().size(); ++i) {
    const Json& port = ports.items()[i];
    const FieldPath at = path.index(i);
    const std::string& name = port.get("name").text();
    if (!name.empty()) {
      add_invalid(check_dns_label(name), name, at.child("name"), errors);
    } else if (ports.items().size() > 1) {
      errors.push_back(field_required(at.text("name")));
    }
    check_port(port.get("port"), at.child("port"), errors);
    check_choice(port, "protocol", {"SCTP", "TCP", "UDP"}, at, errors);
    check_app_protocol(port, at, errors);
  }
}

void check_subset(const Json& subset, const FieldPath& path, FieldErrors& errors) {
  if (subset.get("addresses").items().empty() && subset.get("notReadyAddresses").items().empty()) {
    errors.push_back(
        field_required(path.text(), "must specify `addresses` or `notReadyAddresses`"));
  }
  for (const char* list : {"addresses", "notReadyAddresses"}) {
    const FieldPath list_path = path.child(list);
    const Json::Items& addresses = subset.get(list).items();
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const FieldPath at = list_path.index(i);
      check_address(addresses[i], at, errors);
    }
  }
  const FieldPath ports_path = path.child("ports");
  check_subset_ports(subset.get("ports"), ports_path, errors);
}

class EndpointsRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    each_item(object, "subsets", [](Json& subset) {
      each_item(subset, "ports", [](Json& port) { replace_empty(port, "protocol", "TCP"); });
    });
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const FieldPath path("subsets");
    const Json::Items& subsets = object.get("subsets").items();
    for (std::size_t i = 0; i < subsets.size(); ++i) {
      const FieldPath at = path.index(i);
      check_subset(subsets[i], at, errors);
    }
  }
};

void check_slice_address(const std::string& address, const std::string& type, const FieldPath& path,
                         FieldErrors& errors) {
  if (type == "FQDN") {
    add_invalid(check_dns_subdomain(address), address, path, errors);
    if (check_dns_subdomain(address).empty() && address.find('.') == std::string::npos) {
      errors.push_back(field_invalid(
          path.text(), address, "should be a domain with at least two segments separated by dots"));
    }
    return;
  }
  if (type != "IPv4" && type != "IPv6") return;
  if (check_ip(address).empty() && is_ipv6(address) != (type == "IPv6")) {
    errors.push_back(
        field_invalid(path.text(), address,
                      type == "IPv4" ? "must be an IPv4 address" : "must be an IPv6 address"));
    return;
  }
  check_reachable_ip(address, path, errors);
}

void check_hints(const Json& endpoint, const FieldPath& path, FieldErrors& errors) {
  const Json::Items& zones = value_at(endpoint, {"hints", "forZones"}).items();
  const FieldPath zones_path = path.child("hints.forZones");
  if (zones.size() > kHintsMax) {
    errors.push_back(field_too_many(zones_path.text(), zones.size(), kHintsMax));
    return;
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < zones.size(); ++i) {
    const FieldPath at = zones_path.index(i);
    const std::string& name = zones[i].get("name").text();
    if (!seen.insert(name).second) errors.push_back(field_duplicate(at.text("name"), name));
    add_invalid(check_label_value(name), name, at.child("name"), errors);
  }
}

void check_endpoint(const Json& endpoint, const std::string& type, const FieldPath& path,
                    FieldErrors& errors) {
  const Json::Items& addresses = endpoint.get("addresses").items();
  const FieldPath addresses_path = path.child("addresses");
  if (addresses.empty()) {
    errors.push_back(field_required(addresses_path.text(), "must contain at least 1 address"));
  } else if (addresses.size() > kAddressesMax) {
    errors.push_back(field_too_many(addresses_path.text(), addresses.size(), kAddressesMax));
  }
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    check_slice_address(addresses[i].text(), type, addresses_path.index(i), errors);
  }
  if (is_set(endpoint, "nodeName")) {
    const std::string& node = endpoint.get("nodeName").text();
    add_invalid(check_dns_subdomain(node), node, path.child("nodeName"), errors);
  }
  const Json& topology = endpoint.get("deprecatedTopology");
  if (topology.size() > kTopologyMax) {
    errors.push_back(
        field_too_many(path.text("deprecatedTopology"), topology.size(), kTopologyMax));
  }
  check_labels(topology, path.child("deprecatedTopology"), errors);
  if (is_set(endpoint, "hostname")) {
    const std::string& hostname = endpoint.get("hostname").text();
    add_invalid(check_dns_label(hostname), hostname, path.child("hostname"), errors);
  }
  check_hints(endpoint, path, errors);
}

void check_slice_ports(const Json& ports, FieldErrors& errors) {
  const FieldPath path("ports");
  if (ports.items().size() > kPortsMax) {
    errors.push_back(field_too_many(path.text(), ports.items().size(), kPortsMax));
    return;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < ports.items().size(); ++i) {
    const FieldPath at = path.index(i);
    const Json& port = ports.items()[i];
    const std::string& name = port.get("name").text();
    if (!name.empty()) add_invalid(check_dns_label(name), name, at.child("name"), errors);
    if (!names.insert(name).second) errors.push_back(field_duplicate(at.text("name"), name));
    check_choice(port, "protocol", {"SCTP", "TCP", "UDP"}, at, errors);
    check_app_protocol(port, at, errors);
  }
}

class EndpointSliceRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    each_item(object, "ports", [](Json& port) {
      set_default(port, "name", "");
      set_default(port, "protocol", "TCP");
    });
    each_item(object, "endpoints", [](Json& each) { object_member(each, "conditions"); });
  }

  [[nodiscard]] bool raises_generation(const Json& object, const Json& old) const override {
    if (value_at(object, {"metadata", "labels"}) != value_at(old, {"metadata", "labels"})) {
      return true;
    }
    Json content = object;
    content.set("metadata", old.get("metadata"));
    return content != old;
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_choice(object, "addressType", {"FQDN", "IPv4", "IPv6"}, FieldPath(), errors);
    const std::string& type = object.get("addressType").text();
    const FieldPath path("endpoints");
    const Json::Items& endpoints = object.get("endpoints").items();
    if (endpoints.size() > kEndpointsMax) {
      errors.push_back(field_too_many(path.text(), endpoints.size(), kEndpointsMax));
    }
    for (std::size_t i = 0; i < endpoints.size() && endpoints.size() <= kEndpointsMax; ++i) {
      const FieldPath at = path.index(i);
      check_endpoint(endpoints[i], type, at, errors);
    }
    check_slice_ports(object.get("ports"), errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_create(object, errors);
    check_immutable(object, old, "addressType", FieldPath(), errors);
  }
};

/// The four numbers of a valid IPv4 address.
std::array<int, 4> ipv4_bytes(const std::string& ip) {
  std::array<int, 4> out{};
  const char* at = ip.data();
  for (int& each : out) at = std::from_chars(at, ip.data() + ip.size(), each).ptr + 1;
  return out;
}

/// In which range that no other host can reach; null when in none.
const char* special_range(const std::string& ip) {
  constexpr const char* kLoopback = "may not be in the loopback range (127.0.0.0/8, ::1/128)";
  constexpr const char* kLinkLocal =
      "may not be in the link-local range (169.254.0.0/16, fe80::/10)";
  constexpr const char* kMulticast =
      "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)";
  if (is_ipv6(ip)) {
    if (ip == "::1") return kLoopback;
    if (ip.starts_with("fe8") || ip.starts_with("fe9") || ip.starts_with("fea") ||
        ip.starts_with("feb")) {
      return kLinkLocal;
    }
    return ip.starts_with("ff02:") ? kMulticast : nullptr;
  }
  const std::array<int, 4> bytes = ipv4_bytes(ip);
  if (bytes[0] == 127) return kLoopback;
  if (bytes[0] == 169 && bytes[1] == 254) return kLinkLocal;
  return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0 ? kMulticast : nullptr;
}

}  // namespace

void check_reachable_ip(const std::string& ip, const FieldPath& path, FieldErrors& errors) {
  const Complaints complaints = check_ip(ip);
  add_invalid(complaints, ip, path, errors);
  if (!complaints.empty()) return;
  if (ip == "0.0.0.0" || ip == "::") {
    errors.push_back(field_invalid(path.text(), ip, "may not be unspecified (" + ip + ")"));
  } else if (const char* range = special_range(ip)) {
    errors.push_back(field_invalid(path.text(), ip, range));
  }
}

std::shared_ptr<const KindRules> endpoints_rules(const KindFacts& facts) {
  return std::make_shared<EndpointsRules>(facts);
}

std::shared_ptr<const KindRules> endpoint_slice_rules(const KindFacts& facts) {
  return std::make_shared<EndpointSliceRules>(facts);
}

}  // namespace davit::sandbox
