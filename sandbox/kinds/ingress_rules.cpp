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

/// `path` is that of the whole backend, which the errors about the port name.
void check_service_backend(const Json& service, const FieldPath& path, FieldErrors& errors) {
  const FieldPath service_path = path.child("service");
  check_fields("networking.v1.IngressServiceBackend", service, service_path, errors);
  const Json& port = service.get("port");
  const bool named = !port.get("name").text().empty();
  const bool numbered = number_at(port, {"number"}) != 0;
  const FieldPath port_path = service_path.child("port");
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
    check_service_backend(backend.get("service"), path, errors);
  } else if (resource) {
    const FieldPath at = path.child("resource");
    check_fields("core.v1.TypedLocalObjectReference", backend.get("resource"), at, errors);
  } else {
    errors.push_back(field_invalid(path.text(), "", "resource or service backend is required"));
  }
}

/// A path that matches as it stands must be in its simplest form.
void check_plain_path(const std::string& text, const FieldPath& path, FieldErrors& errors) {
  for (const char* each : {"//", "/./", "/../", "%2f", "%2F"}) {
    if (text.find(each) == std::string::npos) continue;
    errors.push_back(
        field_invalid(path.text(), text, "must not contain '" + std::string(each) + "'"));
  }
  for (const char* each : {"/..", "/."}) {
    if (!text.ends_with(each)) continue;
    errors.push_back(
        field_invalid(path.text(), text, "cannot end with '" + std::string(each) + "'"));
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
    check_plain_path(text, path.child("path"), errors);
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
    check_fields("networking.v1.IngressTLS", tls[i], at, errors);
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
    const Json& annotation =
        value_at(object, {"metadata", "annotations"}).get("kubernetes.io/ingress.class");
    const Json& name = value_at(object, {"spec", "ingressClassName"});
    if (annotation.is_null() || name.is_null() || annotation == name) return;
    errors.push_back(field_invalid("annotations.kubernetes.io/ingress.class", annotation,
                                   "must match `ingressClassName` when both are specified"));
  }
  void check_update(const Json& object, const Json&, FieldErrors& errors) const override {
    check_ingress(object.get("spec"), errors);
  }
};

/// The name of a controller: "example.com/ingress".
void check_controller(const Json& spec, FieldErrors& errors) {
  constexpr std::size_t kControllerMax = 250;
  const std::string& name = spec.get("controller").text();
  const FieldPath path = kSpec.child("controller");
  if (name.size() > kControllerMax) errors.push_back(field_too_long(path.text(), kControllerMax));
  check_domain_prefixed_path(name, path, errors);
}

class IngressClassRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json* parameters = object.at({"spec", "parameters"});
    if (parameters != nullptr && parameters->is_object()) {
      set_default(*parameters, "scope", "Cluster");
    }
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_controller(spec, errors);
    const Json& parameters = spec.get("parameters");
    if (parameters.is_null()) return;
    const FieldPath path = kSpec.child("parameters");
    check_fields("networking.v1.IngressClassParametersReference", parameters, path, errors);
    const std::string& scope = parameters.get("scope").text();
    const Json& ns = parameters.get("namespace");
    if (scope == "Namespace" && ns.is_null()) {
      errors.push_back(
          field_required(path.text("namespace"), "`parameters.scope` is set to 'Namespace'"));
    } else if (scope == "Namespace") {
      add_invalid(check_dns_label(ns.text()), ns.text(), path.child("namespace"), errors);
    } else if (scope == "Cluster" && !ns.is_null()) {
      errors.push_back(
          field_forbidden(path.text("namespace"), "`parameters.scope` is set to 'Cluster'"));
    }
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    check_immutable_fields("networking.v1.IngressClassSpec", object.get("spec"), old.get("spec"),
                           kSpec, errors);
    check_create(object, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ingress_rules(const KindFacts& facts) {
  return std::make_shared<IngressRules>(facts);
}

std::shared_ptr<const KindRules> ingress_class_rules(const KindFacts& facts) {
  return std::make_shared<IngressClassRules>(facts);
}

}  // namespace davit::sandbox
