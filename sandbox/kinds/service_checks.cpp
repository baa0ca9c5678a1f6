// k8s: pkg/apis/core/validation, ValidateService and ValidateServiceUpdate. The order of the checks
// is upstream's, as it is the order of the causes.
#include <set>
#include <utility>

#include "sandbox/kinds/address_checks.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/network_rules.hpp"

namespace davit::sandbox {

namespace {

constexpr std::string_view kServiceSpec = "core.v1.ServiceSpec";
constexpr std::string_view kServicePort = "core.v1.ServicePort";
constexpr std::int64_t kKubeletPort = 10'250;
constexpr std::int64_t kAffinitySecondsMax = 86'400;

const Json& spec_of(const Json& service) { return service.get("spec"); }
void check_external_name(const Json& service, FieldErrors& errors) {
  const Json& spec = spec_of(service);
  constexpr std::string_view kNotForExternalName = "may not be set for ExternalName services";
  for (const char* field : {"clusterIPs", "ipFamilies"}) {
    if (!spec.get(field).items().empty()) {
      errors.push_back(field_forbidden(kSpec.text(field), kNotForExternalName));
    }
  }
  if (is_set(spec, "ipFamilyPolicy")) {
    errors.push_back(field_forbidden(kSpec.text("ipFamilyPolicy"), kNotForExternalName));
  }
  // A trailing dot says that the name is fully qualified.
  std::string name = spec.get("externalName").text();
  if (name.ends_with('.')) name.pop_back();
  if (name.empty()) {
    errors.push_back(field_required(kSpec.text("externalName")));
  } else {
    add_invalid(check_dns_subdomain(name), name, kSpec.child("externalName"), errors);
  }
}

void check_type_needs(const Json& service, FieldErrors& errors) {
  const Json& spec = spec_of(service);
  const std::string& type = service_type(service);
  if (type == "ExternalName") return check_external_name(service, errors);
  if (type != "LoadBalancer" && type != "NodePort") return;
  const FieldPath path = kSpec.child("ports");
  const Json::Items& ports = spec.get("ports").items();
  for (std::size_t i = 0; type == "LoadBalancer" && i < ports.size(); ++i) {
    if (number_at(ports[i], {"port"}) != kKubeletPort) continue;
    errors.push_back(
        field_invalid(path.index(i).text(), ports[i].get("port"),
                      "may not expose port 10250 externally since it is used by kubelet"));
  }
  if (is_headless(service)) {
    errors.push_back(field_invalid("spec.clusterIPs[0]", "None",
                                   "may not be set to 'None' for " + type + " services"));
  }
}

void check_ports(const Json& spec, FieldErrors& errors) {
  const FieldPath path = kSpec.child("ports");
  const Json::Items& ports = spec.get("ports").items();
  std::set<std::string> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const FieldPath at = path.index(i);
    const std::string& name = ports[i].get("name").text();
    check_fields(kServicePort, ports[i], {"name"}, at, errors);
    if (!name.empty()) {
      if (!names.insert(name).second) errors.push_back(field_duplicate(at.text("name"), name));
    } else if (ports.size() > 1) {
      errors.push_back(field_required(at.text("name")));
    }
    check_fields(kServicePort, ports[i], {"port", "protocol", "targetPort", "appProtocol"}, at,
                 errors);
  }
}

void check_affinity(const Json& spec, FieldErrors& errors) {
  check_fields(kServiceSpec, spec, {"sessionAffinity"}, kSpec, errors);
  const Json& config = spec.get("sessionAffinityConfig");
  const std::string path = kSpec.text("sessionAffinityConfig");
  const std::string& affinity = spec.get("sessionAffinity").text();
  if (affinity == "None" && config.is_object()) {
    errors.push_back(field_forbidden(path, "must not be set when session affinity is None"));
  }
  if (affinity != "ClientIP") return;
  const std::int64_t seconds = number_at(config, {"clientIP", "timeoutSeconds"});
  if (seconds <= 0 || seconds > kAffinitySecondsMax) {
    errors.push_back(field_invalid(path + ".clientIP.timeoutSeconds", seconds,
                                   "must be greater than 0 and less than 86400"));
  }
}

/// A port as upstream's error shows it: the internal type has no JSON names.
Json internal_port(const Json& port) {
  return Json::object({{"Name", ""},
                       {"Protocol", port.get("protocol").text()},
                       {"AppProtocol", Json()},
                       {"Port", number_at(port, {"port"})},
                       {"TargetPort", 0},
                       {"NodePort", 0}});
}

void check_doubled_ports(const Json& service, FieldErrors& errors) {
  const FieldPath path = kSpec.child("ports");
  const Json::Items& ports = spec_of(service).get("ports").items();
  using Key = std::pair<std::string, std::int64_t>;
  FieldErrors doubled;
  std::set<Key> node_ports;
  std::set<Key> numbers;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::int64_t node_port = number_at(ports[i], {"nodePort"});
    const std::string& protocol = ports[i].get("protocol").text();
    const FieldPath at = path.index(i);
    if (node_port != 0 && service_type(service) == "ClusterIP") {
      errors.push_back(
          field_forbidden(at.text("nodePort"), "may not be used when `type` is 'ClusterIP'"));
    }
    if (node_port != 0 && !node_ports.insert({protocol, node_port}).second) {
      errors.push_back(field_duplicate(at.text("nodePort"), node_port));
    }
    if (!numbers.insert({protocol, number_at(ports[i], {"port"})}).second) {
      doubled.push_back(field_duplicate(at.text(), internal_port(ports[i])));
    }
  }
  errors.insert(errors.end(), doubled.begin(), doubled.end());
}

/// The ranges that may use a load balancer. Spaces around them are part of the API.
void check_source_ranges(const Json& service, FieldErrors& errors) {
  const Json::Items& ranges = spec_of(service).get("loadBalancerSourceRanges").items();
  // Upstream calls the field so.
  const FieldPath path = kSpec.child("LoadBalancerSourceRanges");
  if (!ranges.empty() && service_type(service) != "LoadBalancer") {
    errors.push_back(
        field_forbidden(path.text(), "may only be used when `type` is 'LoadBalancer'"));
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::string range = ranges[i].text();
    range.erase(0, range.find_first_not_of(" \t\n"));
    range.erase(range.find_last_not_of(" \t\n") + 1);
    check_range(range, path.index(i), errors);
  }
}

void check_load_balancer_class(const Json& service, FieldErrors& errors) {
  if (service_type(service) == "LoadBalancer") {
    check_fields(kServiceSpec, spec_of(service), {"loadBalancerClass"}, kSpec, errors);
  } else if (is_set(spec_of(service), "loadBalancerClass")) {
    errors.push_back(field_forbidden(kSpec.text("loadBalancerClass"),
                                     "may only be used when `type` is 'LoadBalancer'"));
  }
}

void check_policies(const Json& service, FieldErrors& errors) {
  const Json& spec = spec_of(service);
  const std::string& type = service_type(service);
  if (type != "LoadBalancer" && is_set(spec, "allocateLoadBalancerNodePorts")) {
    errors.push_back(field_forbidden(kSpec.text("allocateLoadBalancerNodePorts"),
                                     "may only be used when `type` is 'LoadBalancer'"));
  }
  const bool external = type == "NodePort" || type == "LoadBalancer" ||
                        (type == "ClusterIP" && !spec.get("externalIPs").items().empty());
  const std::string& policy = spec.get("externalTrafficPolicy").text();
  if (external) {
    check_fields(kServiceSpec, spec, {"externalTrafficPolicy"}, kSpec, errors);
  } else if (!policy.empty()) {
    errors.push_back(field_invalid(kSpec.text("externalTrafficPolicy"), policy,
                                   "may only be set for externally-accessible services"));
  }
  const std::int64_t health_port = number_at(spec, {"healthCheckNodePort"});
  if (health_port != 0 && !needs_health_check_port(service)) {
    errors.push_back(field_invalid(kSpec.text("healthCheckNodePort"), health_port,
                                   "may only be set when `type` is 'LoadBalancer' and "
                                   "`externalTrafficPolicy` is 'Local'"));
  }
  check_fields(kServiceSpec, spec, {"internalTrafficPolicy"}, kSpec, errors);
}

/// k8s: validateUpgradeDowngradeClusterIPs and validateUpgradeDowngradeIPFamilies, which agree but
/// for the words of two errors. `field`: clusterIPs or ipFamilies.
void check_list_update(const Json& service, const Json& old, std::string_view field,
                       std::string_view word, FieldErrors& errors) {
  const Json& list = spec_of(service).get(field);
  const Json::Items& now = list.items();
  const Json::Items& before = spec_of(old).get(field).items();
  const FieldPath path = kSpec.child(field);
  const bool ips = field == "clusterIPs";
  const auto changed = [&](std::size_t index) {
    errors.push_back(field_invalid(path.index(index).text(), list, "may not change once set"));
  };
  if (now.empty() && !before.empty()) {
    errors.push_back(field_invalid(path.index(0).text(), Json::array(),
                                   "primary " + std::string(word) + " can not be unset"));
    return;
  }
  for (std::size_t i = 0; now.size() == before.size() && i < now.size(); ++i) {
    if (now[i] != before[i]) changed(ips ? i : 0);
  }
  if (now.size() == before.size() || before.empty()) return;
  if (now.front() != before.front()) changed(0);
  const std::string& policy = spec_of(service).get("ipFamilyPolicy").text();
  if (now.size() > before.size() || policy == "SingleStack") return;
  errors.push_back(field_invalid(
      kSpec.text("ipFamilyPolicy"), policy,
      "must be set to 'SingleStack' when releasing the secondary " + std::string(word)));
}

void check_load_balancer_class_update(const Json& service, const Json& old, FieldErrors& errors) {
  const Json& lb_class = spec_of(service).get("loadBalancerClass");
  if (service_type(service) == "LoadBalancer" && service_type(old) == "LoadBalancer" &&
      lb_class != spec_of(old).get("loadBalancerClass")) {
    errors.push_back(
        field_invalid(kSpec.text("loadBalancerClass"), lb_class, "may not change once set"));
  }
}

}  // namespace

void check_service(const Json& service, FieldErrors& errors) {
  const Json& spec = spec_of(service);
  if (spec.get("ports").items().empty() && !is_headless(service) &&
      service_type(service) != "ExternalName") {
    errors.push_back(field_required(kSpec.text("ports")));
  }
  check_type_needs(service, errors);
  check_ports(spec, errors);
  check_labels(spec.get("selector"), kSpec.child("selector"), errors);
  check_affinity(spec, errors);
  check_fields(kServiceSpec, spec, {"externalIPs", "type"}, kSpec, errors);
  check_source_ranges(service, errors);
  check_doubled_ports(service, errors);
  check_load_balancer_class(service, errors);
  check_policies(service, errors);
  check_fields(kServiceSpec, spec, {"trafficDistribution"}, kSpec, errors);
}

void check_service_update(const Json& service, const Json& old, FieldErrors& errors) {
  // To and from ExternalName everything may change, and headless stays headless.
  if (service_type(service) != "ExternalName" && service_type(old) != "ExternalName") {
    const bool headless = is_headless(service);
    const bool was_headless = is_headless(old);
    if (!headless || !was_headless) {
      check_list_update(service, old, "clusterIPs", "clusterIP", errors);
    }
    if (!headless && !was_headless) {
      check_list_update(service, old, "ipFamilies", "ipFamily", errors);
    }
  }
  check_load_balancer_class_update(service, old, errors);
}

}  // namespace davit::sandbox
