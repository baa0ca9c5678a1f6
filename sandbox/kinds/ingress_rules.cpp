// k8s: pkg/apis/networking/validation.
#include <algorithm>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/network_rules.hpp"

namespace davit::sandbox {

namespace {

void check_host(const std::string& host, const FieldPath& path, FieldErrors& errors) {
  if (host.empty()) return;
  if (check_ip(host).empty()) {
    errors.push_back(field_invalid(path.text(), host, "must be a DNS name, not an IP address"));
    return;
  }
  // "*.example.com" matches one more label.
  const std::string name = host.starts_with("*.") ? host.substr(2) : host;
  add_invalid(check_dns_subdomain(name), host, path, errors);
}

void check_service_backend(const Json& service, const FieldPath& path, FieldErrors& errors) {
  check_fields("networking.v1.IngressServiceBackend", service, path, errors);
  const Json& port = service.get("port");
  const bool named = !port.get("name").text().empty();
  const bool numbered = number_at(port, {"number"}) != 0;
  const FieldPath port_path = path.child("port");
  if (named && numbered) {
    errors.push_back(field_invalid(path.text(), "", "cannot set both port name & port number"));
  } else if (named) {
    check_fields("networking.v1.ServiceBackendPort", port, {"name"}, port_path, errors);
  } else if (numbered) {
    check_fields("networking.v1.ServiceBackendPort", port, {"number"}, port_path, errors);
  } else {
    errors.push_back(field_required(path.text(), "port name or number is required"));
  }
}

void check_backend(const Json& backend, const FieldPath& path, FieldErrors& errors) {
  const bool service = backend.get("service").is_object();
  const bool resource = backend.get("resource").is_object();
  if (service && resource) {
    errors.push_back(
        field_invalid(path.text(), "", "cannot set both resource and service backends"));
  } else if (service) {
    const FieldPath at = path.child("service");
    check_service_backend(backend.get("service"), at, errors);
  } else if (resource) {
    const FieldPath at = path.child("resource");
    check_fields("core.v1.TypedLocalObjectReference", backend.get("resource"), at, errors);
  } else {
    errors.push_back(field_invalid(path.text(), "", "resource or service backend is required"));
  }
}

void check_http_path(const Json& item, const FieldPath& path, FieldErrors& errors) {
  const std::string& text = item.get("path").text();
  const std::string& type = item.get("pathType").text();
  if (!is_set(item, "pathType")) {
    errors.push_back(field_required(path.text("pathType"), "pathType must be specified"));
    return;
  }
  if (type == "Exact" || type == "Prefix") {
    if (!text.starts_with('/')) {
      errors.push_back(field_invalid(path.text("path"), text, "must be an absolute path"));
    }
  } else if (type == "ImplementationSpecific") {
    if (!text.empty() && !text.starts_with('/')) {
      errors.push_back(field_invalid(path.text("path"), text, "must be an absolute path"));
    }
  } else {
    errors.push_back(field_not_supported(path.text("pathType"), type,
                                         {"Exact", "ImplementationSpecific", "Prefix"}));
  }
  const FieldPath backend = path.child("backend");
  check_backend(item.get("backend"), backend, errors);
}

void check_rule(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  check_host(rule.get("host").text(), path.child("host"), errors);
  if (!rule.get("http").is_object()) return;
  const FieldPath paths_path = path.child("http.paths");
  const Json::Items& paths = value_at(rule, {"http", "paths"}).items();
  if (paths.empty()) errors.push_back(field_required(paths_path.text()));
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const FieldPath at = paths_path.index(i);
    check_http_path(paths[i], at, errors);
  }
}

void check_ingress(const Json& spec, FieldErrors& errors) {
  const Json::Items& rules = spec.get("rules").items();
  if (rules.empty() && !spec.get("defaultBackend").is_object()) {
    errors.push_back(field_invalid(kSpec.text(), Json::array(),
                                   "either `defaultBackend` or `rules` must be specified"));
  }
  if (spec.get("defaultBackend").is_object()) {
    check_backend(spec.get("defaultBackend"), kSpec.child("defaultBackend"), errors);
  }
  const FieldPath rules_path = kSpec.child("rules");
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FieldPath at = rules_path.index(i);
    check_rule(rules[i], at, errors);
  }
  const FieldPath tls_path = kSpec.child("tls");
  const Json::Items& tls = spec.get("tls").items();
  for (std::size_t i = 0; i < tls.size(); ++i) {
    const FieldPath at = tls_path.index(i);
    const FieldPath hosts_path = at.child("hosts");
    const Json::Items& hosts = tls[i].get("hosts").items();
    for (std::size_t host = 0; host < hosts.size(); ++host) {
      check_host(hosts[host].text(), hosts_path.index(host), errors);
    }
  }
  check_fields("networking.v1.IngressSpec", spec, kSpec, errors);
}

class IngressRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"loadBalancer", Json::object()}}));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    check_ingress(object.get("spec"), errors);
  }
};

/// The ports of rules default to TCP.
void default_ports(Json& spec, std::string_view direction) {
  Json* rules = spec.find(direction);
  if (rules == nullptr || !rules->is_array()) return;
  for (Json& rule : rules->make_array()) {
    Json* ports = rule.find("ports");
    if (ports == nullptr || !ports->is_array()) continue;
    for (Json& port : ports->make_array()) replace_empty(port, "protocol", "TCP");
  }
}

void check_policy_ports(const Json& spec, std::string_view direction, FieldErrors& errors) {
  const FieldPath rules_path = kSpec.child(direction);
  const Json::Items& rules = spec.get(direction).items();
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const FieldPath rule_path = rules_path.index(i);
    const FieldPath ports_path = rule_path.child("ports");
    const Json::Items& ports = rules[i].get("ports").items();
    for (std::size_t j = 0; j < ports.size(); ++j) {
      const FieldPath at = ports_path.index(j);
      check_fields("networking.v1.NetworkPolicyPort", ports[j], at, errors);
    }
  }
}

class NetworkPolicyRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    object_member(spec, "podSelector");
    default_ports(spec, "ingress");
    default_ports(spec, "egress");
    if (!spec.get("policyTypes").items().empty()) return;
    Json types = Json::array({"Ingress"});
    if (!spec.get("egress").items().empty()) types.push_back("Egress");
    spec.set("policyTypes", std::move(types));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_label_selector(spec.get("podSelector"), kSpec.child("podSelector"), errors);
    check_policy_ports(spec, "ingress", errors);
    check_policy_ports(spec, "egress", errors);
    check_fields("networking.v1.NetworkPolicySpec", spec, kSpec, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ingress_rules(const KindFacts& facts) {
  return std::make_shared<IngressRules>(facts);
}

std::shared_ptr<const KindRules> network_policy_rules(const KindFacts& facts) {
  return std::make_shared<NetworkPolicyRules>(facts);
}

}  // namespace davit::sandbox
