// k8s: ValidateEndpoints of pkg/apis/core/validation, ValidateEndpointSlice of
// pkg/apis/discovery/validation.
#include <set>
#include <string>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/network_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kSlice = "discovery.v1.EndpointSlice";
constexpr std::string_view kSlicePort = "discovery.v1.EndpointPort";
constexpr std::string_view kEndpoint = "discovery.v1.Endpoint";
constexpr std::string_view kSubsetPort = "core.v1.EndpointPort";
constexpr std::size_t kTopologyMax = 16;

/// The members of a list that an object may lack.
template <typename Visit>
void each_item(Json& object, std::string_view list, Visit visit) {
  Json* items = object.find(list);
  if (items == nullptr || !items->is_array()) return;
  for (Json& each : items->make_array()) visit(each);
}

void check_subset_ports(const Json& ports, const FieldPath& path, FieldErrors& errors) {
  for (std::size_t i = 0; i < ports.items().size(); ++i) {
    const Json& port = ports.items()[i];
    const FieldPath at = path.index(i);
    const std::string& name = port.get("name").text();
    check_fields(kSubsetPort, port, {"name"}, at, errors);
    if (name.empty() && ports.items().size() > 1) errors.push_back(field_required(at.text("name")));
    check_fields(kSubsetPort, port, {"port", "protocol", "appProtocol"}, at, errors);
  }
}

void check_subset(const Json& subset, const FieldPath& path, FieldErrors& errors) {
  if (subset.get("addresses").items().empty() && subset.get("notReadyAddresses").items().empty()) {
    errors.push_back(
        field_required(path.text(), "must specify `addresses` or `notReadyAddresses`"));
  }
  check_fields("core.v1.EndpointSubset", subset, path, errors);
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

/// `list` is the path of all addresses of the endpoint. An error about the family is about it, as
/// upstream has it.
void check_slice_address(const std::string& address, const std::string& type, const FieldPath& list,
                         std::size_t index, FieldErrors& errors) {
  const FieldPath path = list.index(index);
  if (type == "FQDN") {
    add_invalid(check_dns_subdomain(address), address, path, errors);
    if (check_dns_subdomain(address).empty() && address.find('.') == std::string::npos) {
      errors.push_back(field_invalid(
          path.text(), address, "should be a domain with at least two segments separated by dots"));
    }
    return;
  }
  if (type != "IPv4" && type != "IPv6") return;
  if (is_ip(address) && is_ipv6(address) != (type == "IPv6")) {
    errors.push_back(field_invalid(list.text(), address, "must be an " + type + " address"));
  }
  check_format("endpoint-ip", address, path, errors);
}

void check_hints(const Json& endpoint, const FieldPath& path, FieldErrors& errors) {
  const Json::Items& zones = value_at(endpoint, {"hints", "forZones"}).items();
  const FieldPath zones_path = path.child("hints.forZones");
  const FieldPath hints = path.child("hints");
  const std::size_t before = errors.size();
  check_fields("discovery.v1.EndpointHints", endpoint.get("hints"), hints, errors);
  if (errors.size() != before) return;
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
  check_fields(kEndpoint, endpoint, {"addresses"}, path, errors);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    check_slice_address(addresses[i].text(), type, addresses_path, i, errors);
  }
  check_fields(kEndpoint, endpoint, {"nodeName"}, path, errors);
  const Json& topology = endpoint.get("deprecatedTopology");
  if (topology.size() > kTopologyMax) {
    errors.push_back(
        field_too_many(path.text("deprecatedTopology"), topology.size(), kTopologyMax));
  }
  check_labels(topology, path.child("deprecatedTopology"), errors);
  check_fields(kEndpoint, endpoint, {"hostname"}, path, errors);
  check_hints(endpoint, path, errors);
}

void check_slice_ports(const Json& slice, FieldErrors& errors) {
  const std::size_t before = errors.size();
  check_fields(kSlice, slice, {"ports"}, FieldPath(), errors);
  if (errors.size() != before) return;
  const FieldPath path("ports");
  const Json& ports = slice.get("ports");
  std::set<std::string> names;
  for (std::size_t i = 0; i < ports.items().size(); ++i) {
    const FieldPath at = path.index(i);
    const Json& port = ports.items()[i];
    const std::string& name = port.get("name").text();
    check_fields(kSlicePort, port, {"name"}, at, errors);
    if (!names.insert(name).second) errors.push_back(field_duplicate(at.text("name"), name));
    check_fields(kSlicePort, port, {"protocol", "appProtocol"}, at, errors);
  }
}

void check_endpoints(const Json& slice, FieldErrors& errors) {
  const std::size_t before = errors.size();
  check_fields(kSlice, slice, {"endpoints"}, FieldPath(), errors);
  if (errors.size() != before) return;
  const FieldPath path("endpoints");
  std::size_t index = 0;
  for (const Json& each : slice.get("endpoints").items()) {
    check_endpoint(each, slice.get("addressType").text(), path.index(index++), errors);
  }
}

/// All but the endpoints.
void check_slice(const Json& slice, FieldErrors& errors) {
  check_fields(kSlice, slice, {"addressType"}, FieldPath(), errors);
  check_slice_ports(slice, errors);
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

  /// A topology can no longer be given. k8s: dropTopologyOnV1 of
  /// pkg/registry/discovery/endpointslice.
  void prepare_create(Json& object) const override {
    PlainRules::prepare_create(object);
    each_item(object, "endpoints", [](Json& each) { each.erase("deprecatedTopology"); });
  }
  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    if (object.get("addressType").text() != "FQDN") return {};
    return {"spec.addressType: FQDN endpoints are deprecated"};
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
    check_slice(object, errors);
    check_endpoints(object, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_slice(object, errors);
    // Endpoints that an older server took may stay.
    if (object.get("endpoints") != old.get("endpoints")) check_endpoints(object, errors);
    check_immutable_fields(kSlice, object, old, FieldPath(), errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> endpoints_rules(const KindFacts& facts) {
  return std::make_shared<EndpointsRules>(facts);
}

std::shared_ptr<const KindRules> endpoint_slice_rules(const KindFacts& facts) {
  return std::make_shared<EndpointSliceRules>(facts);
}

}  // namespace davit::sandbox
