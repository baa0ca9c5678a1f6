#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/network_rules.hpp"
#include "sandbox/kinds/service_families.hpp"

namespace davit::sandbox {

namespace {

constexpr std::int64_t kAffinitySeconds = 10'800;

/// Traffic from outside the cluster can reach it.
bool is_external(const Json& service) {
  const std::string& type = service_type(service);
  return type == "NodePort" || type == "LoadBalancer" ||
         (type == "ClusterIP" && !value_at(service, {"spec", "externalIPs"}).items().empty());
}

void default_affinity(Json& spec) {
  replace_empty(spec, "sessionAffinity", "None");
  if (spec.get("sessionAffinity").text() != "ClientIP") {
    if (spec.get("sessionAffinity").text() == "None") spec.erase("sessionAffinityConfig");
    return;
  }
  Json& client = object_member(object_member(spec, "sessionAffinityConfig"), "clientIP");
  set_default(client, "timeoutSeconds", kAffinitySeconds);
}

void default_ports(Json& spec) {
  Json* ports = spec.find("ports");
  if (ports == nullptr || !ports->is_array()) return;
  for (Json& port : ports->make_array()) {
    replace_empty(port, "protocol", "TCP");
    if (port.get("targetPort").empty()) port.set("targetPort", port.get("port"));
  }
}

void default_policies(Json& service) {
  Json& spec = service["spec"];
  const std::string type = spec.get("type").text();
  if (is_external(service)) replace_empty(spec, "externalTrafficPolicy", "Cluster");
  if (type == "ClusterIP" || type == "NodePort" || type == "LoadBalancer") {
    set_default(spec, "internalTrafficPolicy", "Cluster");
  }
  if (type != "LoadBalancer") return;
  if (!is_set(spec, "allocateLoadBalancerNodePorts")) {
    spec.set("allocateLoadBalancerNodePorts", true);
  }
  Json* ingress = service.at({"status", "loadBalancer", "ingress"});
  if (ingress == nullptr || !ingress->is_array()) return;
  for (Json& each : ingress->make_array()) {
    if (!each.get("ip").text().empty()) set_default(each, "ipMode", "VIP");
  }
}

/// clusterIP and clusterIPs say the same; a client may know only the older one.
void sync_cluster_ips(Json& spec, const Json& old_spec) {
  const std::string& ip = spec.get("clusterIP").text();
  const std::string& old_ip = old_spec.get("clusterIP").text();
  if (!ip.empty() && ip != old_ip && spec.get("clusterIPs").items().empty()) {
    spec.set("clusterIPs", Json::array({ip}));
    return;
  }
  if (old_spec.is_null()) return;
  if (ip == old_ip || spec.get("clusterIPs") != old_spec.get("clusterIPs")) return;
  if (ip.empty()) {
    spec.erase("clusterIPs");
  } else {
    spec.set("clusterIPs", Json::array({ip}));
  }
}

std::set<std::int64_t> node_ports(const Json& spec) {
  std::set<std::int64_t> out;
  for (const Json& port : spec.get("ports").items()) {
    const std::int64_t number = number_at(port, {"nodePort"});
    if (number != 0) out.insert(number);
  }
  return out;
}

/// Node ports that the client left out, found again by the port's name.
void keep_node_ports(Json& spec, const Json& old_spec) {
  const std::set<std::int64_t> before = node_ports(old_spec);
  std::set<std::int64_t> used;
  for (const std::int64_t port : node_ports(spec)) {
    if (before.contains(port)) used.insert(port);
  }
  Json* ports = spec.find("ports");
  if (ports == nullptr) return;
  for (Json& port : ports->make_array()) {
    if (number_at(port, {"nodePort"}) != 0) continue;
    for (const Json& each : old_spec.get("ports").items()) {
      const std::int64_t number = number_at(each, {"nodePort"});
      if (each.get("name").text() != port.get("name").text() || number == 0) continue;
      if (used.insert(number).second) port.set("nodePort", number);
      break;
    }
  }
}

/// Puts back what the server gave and the client did not send (k8s: patchAllocatedValues).
void keep_allocated(Json& service, const Json& old) {
  Json& spec = service["spec"];
  const Json& old_spec = old.get("spec");
  if (needs_cluster_ip(service) && needs_cluster_ip(old)) {
    if (spec.get("clusterIP").text().empty() && !old_spec.get("clusterIP").text().empty()) {
      spec.set("clusterIP", old_spec.get("clusterIP"));
    }
    if (spec.get("clusterIPs").items().empty() &&
        spec.get("clusterIP").text() == old_spec.get("clusterIP").text() &&
        old_spec.contains("clusterIPs")) {
      spec.set("clusterIPs", old_spec.get("clusterIPs"));
    }
  }
  if (needs_node_port(service) && needs_node_port(old)) keep_node_ports(spec, old_spec);
  if (needs_health_check_port(service) && needs_health_check_port(old) &&
      number_at(spec, {"healthCheckNodePort"}) == 0) {
    spec.set("healthCheckNodePort", old_spec.get("healthCheckNodePort"));
  }
}

void erase_if_unchanged(Json& spec, const Json& old_spec, std::string_view field) {
  if (spec.get(field) == old_spec.get(field)) spec.erase(field);
}

/// Forgets what the new type cannot have, if the client did not touch it
/// (k8s: dropTypeDependentFields).
void drop_for_type(Json& service, const Json& old) {
  Json& spec = service["spec"];
  const Json& old_spec = old.get("spec");
  if (needs_cluster_ip(old) && !needs_cluster_ip(service)) {
    if (spec.get("clusterIP") == old_spec.get("clusterIP") &&
        spec.get("clusterIPs") == old_spec.get("clusterIPs")) {
      spec.erase("clusterIP");
      spec.erase("clusterIPs");
    }
    erase_if_unchanged(spec, old_spec, "ipFamilies");
    erase_if_unchanged(spec, old_spec, "ipFamilyPolicy");
  }
  if (needs_node_port(old) && !needs_node_port(service) &&
      node_ports(spec) == node_ports(old_spec)) {
    if (Json* ports = spec.find("ports")) {
      for (Json& port : ports->make_array()) port.erase("nodePort");
    }
  }
  if (needs_health_check_port(old) && !needs_health_check_port(service)) {
    erase_if_unchanged(spec, old_spec, "healthCheckNodePort");
  }
  if (service_type(old) == "LoadBalancer" && service_type(service) != "LoadBalancer") {
    erase_if_unchanged(spec, old_spec, "allocateLoadBalancerNodePorts");
    erase_if_unchanged(spec, old_spec, "loadBalancerClass");
  }
  if (is_external(old) && !is_external(service)) {
    erase_if_unchanged(spec, old_spec, "externalTrafficPolicy");
  }
  if (service_type(service) != "LoadBalancer" &&
      service.at({"status", "loadBalancer", "ingress"})) {
    service["status"].set("loadBalancer", Json::object());
  }
}

void check_load_balancer(const Json& service, FieldErrors& errors) {
  const Json& ingress = value_at(service, {"status", "loadBalancer", "ingress"});
  const FieldPath path("status.loadBalancer.ingress");
  if (!ingress.items().empty() && service_type(service) != "LoadBalancer") {
    errors.push_back(
        field_forbidden(path.text(), "may only be used when `spec.type` is 'LoadBalancer'"));
  }
  for (std::size_t i = 0; i < ingress.items().size(); ++i) {
    const FieldPath at = path.index(i);
    const std::string& ip = ingress.items()[i].get("ip").text();
    if (!ip.empty()) add_invalid(check_ip(ip), ip, at.child("ip"), errors);
    const std::string& host = ingress.items()[i].get("hostname").text();
    if (host.empty()) continue;
    add_invalid(check_dns_subdomain(host), host, at.child("hostname"), errors);
    if (check_ip(host).empty()) {
      errors.push_back(
          field_invalid(at.text("hostname"), host, "must be a DNS name, not an IP address"));
    }
  }
}

/// k8s: GetWarningsForService of pkg/api/service.
std::vector<std::string> service_warnings(const Json& service) {
  std::vector<std::string> out;
  const Json& spec = service.get("spec");
  const bool named = service_type(service) == "ExternalName";
  const bool has_external_ips = !spec.get("externalIPs").items().empty();
  if (is_headless(service)) {
    if (!spec.get("loadBalancerIP").text().empty()) {
      out.emplace_back("spec.loadBalancerIP is ignored for headless services");
    }
    if (has_external_ips) out.emplace_back("spec.externalIPs is ignored for headless services");
    if (spec.get("sessionAffinity").text() != "None") {
      out.emplace_back("spec.SessionAffinity is ignored for headless services");
    }
  } else if (has_external_ips && !named) {
    out.emplace_back(
        "spec.externalIPs is deprecated and may no longer be implemented in some clusters");
  }
  if (named && has_external_ips) {
    out.emplace_back("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
  }
  if (!named && !spec.get("externalName").text().empty()) {
    out.emplace_back("spec.externalName is ignored when spec.type is not \"ExternalName\"");
  }
  if (spec.get("trafficDistribution").text() == "PreferClose") {
    out.emplace_back(
        "spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
  }
  return out;
}

class ServiceRules final : public PlainRules {
 public:
  ServiceRules(const KindFacts& facts, ServiceFamilies served)
      : PlainRules(facts), served_(std::move(served)) {}

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    default_affinity(spec);
    replace_empty(spec, "type", "ClusterIP");
    default_ports(spec);
    default_policies(object);
  }

  void prepare_create(Json& object) const override {
    object.set("status", Json::object({{"loadBalancer", Json::object()}}));
    sync_cluster_ips(object_member(object, "spec"), Json());
    complete_families(object, Json(), served_);
  }

  void prepare_update(Json& object, const Json& old, UpdateTarget target) const override {
    PlainRules::prepare_update(object, old, target);
    if (target == UpdateTarget::kStatus) return;
    keep_allocated(object, old);
    sync_cluster_ips(object["spec"], old.get("spec"));
    complete_families(object, old, served_);
    drop_for_type(object, old);
  }

  [[nodiscard]] std::vector<std::string> warnings(const Json& object) const override {
    return service_warnings(object);
  }

  [[nodiscard]] Pairs fields(const Json& object) const override {
    return {{"spec.clusterIP", object.text_at({"spec", "clusterIP"})},
            {"spec.type", service_type(object)}};
  }
  [[nodiscard]] bool knows_field(std::string_view field) const override {
    return field == "spec.clusterIP" || field == "spec.type";
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    if (!check_addresses(object, Json(), errors)) return;
    check_service(object, errors);
  }
  void check_update(const Json& object, const Json& old, FieldErrors& errors) const override {
    if (!check_addresses(object, old, errors)) return;
    check_service_update(object, old, errors);
    check_service(object, errors);
  }
  void check_status(const Json& object, const Json&, FieldErrors& errors) const override {
    check_load_balancer(object, errors);
  }

 private:
  /// False if there are errors, which come alone: upstream assigns addresses before it validates.
  bool check_addresses(const Json& object, const Json& old, FieldErrors& errors) const {
    const std::size_t before = errors.size();
    check_families(object, old, served_, errors);
    return errors.size() == before;
  }

  const ServiceFamilies served_;
};

}  // namespace

bool is_headless(const Json& service) {
  const Json::Items& ips = value_at(service, {"spec", "clusterIPs"}).items();
  if (!ips.empty()) return ips.size() == 1 && ips.front().text() == "None";
  return service.text_at({"spec", "clusterIP"}) == "None";
}

bool needs_cluster_ip(const Json& service) { return service_type(service) != "ExternalName"; }

bool needs_node_port(const Json& service) {
  if (service_type(service) == "NodePort") return true;
  const Json& wanted = value_at(service, {"spec", "allocateLoadBalancerNodePorts"});
  return service_type(service) == "LoadBalancer" && (wanted.is_null() || wanted.boolean());
}

bool needs_health_check_port(const Json& service) {
  return service_type(service) == "LoadBalancer" &&
         service.text_at({"spec", "externalTrafficPolicy"}) == "Local";
}

std::shared_ptr<const KindRules> service_rules(const KindFacts& facts) {
  return service_rules_for(facts, {ip::Family::kIPv4});
}

std::shared_ptr<const KindRules> service_rules_for(const KindFacts& facts,
                                                   const ServiceFamilies& served) {
  return std::make_shared<ServiceRules>(facts, served);
}

}  // namespace davit::sandbox
