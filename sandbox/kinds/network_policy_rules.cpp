// k8s: ValidateNetworkPolicy of pkg/apis/networking/validation.
#include <davit/kube/ip.hpp>
#include <string>

#include "sandbox/kinds/address_checks.hpp"
#include "sandbox/kinds/checks.hpp"
#include "sandbox/kinds/columns_cells.hpp"
#include "sandbox/kinds/metadata.hpp"
#include "sandbox/kinds/network_rules.hpp"

namespace davit::sandbox {

namespace {

/// The ports of rules default to TCP.
void default_rule_ports(Json& spec, std::string_view direction) {
  Json* rules = spec.find(direction);
  if (rules == nullptr || !rules->is_array()) return;
  for (Json& rule : rules->make_array()) {
    Json* ports = rule.find("ports");
    if (ports == nullptr || !ports->is_array()) continue;
    for (Json& port : ports->make_array()) replace_empty(port, "protocol", "TCP");
  }
}

void check_policy_port(const Json& port, const FieldPath& path, FieldErrors& errors) {
  check_fields("networking.v1.NetworkPolicyPort", port, path, errors);
  const Json& end = port.get("endPort");
  if (end.is_null()) return;
  const Json& first = port.get("port");
  const FieldPath end_path = path.child("endPort");
  if (first.is_null()) {
    errors.push_back(
        field_invalid(end_path.text(), end, "may not be specified when `port` is not specified"));
  } else if (!first.is_number()) {
    errors.push_back(
        field_invalid(end_path.text(), end, "may not be specified when `port` is non-numeric"));
  } else {
    if (end.integer_or(0) < first.integer_or(0)) {
      errors.push_back(
          field_invalid(end_path.text(), first, "must be greater than or equal to `port`"));
    }
    check_format("port-or-name", end, end_path, errors);
  }
}

void check_ip_block(const Json& block, const FieldPath& path, FieldErrors& errors) {
  if (!require_text(block, "cidr", path, errors)) return;
  check_range(block.get("cidr").text(), path.child("cidr"), errors);
  const auto whole = ip::Prefix::parse(block.get("cidr").text());
  if (!whole) return;
  const FieldPath list = path.child("except");
  std::size_t index = 0;
  for (const Json& each : block.get("except").items()) {
    const FieldPath at = list.index(index++);
    check_range(each.text(), at, errors);
    const auto part = ip::Prefix::parse(each.text());
    if (!part || (whole->covers(*part) && whole->length() < part->length())) continue;
    errors.push_back(field_invalid(at.text(), each, "must be a strict subset of `cidr`"));
  }
}

void check_peer(const Json& peer, const FieldPath& path, FieldErrors& errors) {
  const bool pods = is_set(peer, "podSelector");
  const bool namespaces = is_set(peer, "namespaceSelector");
  const bool block = is_set(peer, "ipBlock");
  check_label_selector(peer.get("podSelector"), path.child("podSelector"), errors);
  check_label_selector(peer.get("namespaceSelector"), path.child("namespaceSelector"), errors);
  if (block) check_ip_block(peer.get("ipBlock"), path.child("ipBlock"), errors);
  if (!pods && !namespaces && !block) {
    errors.push_back(field_required(path.text(), "must specify a peer"));
  } else if (block && (pods || namespaces)) {
    errors.push_back(field_forbidden(path.text(), "may not specify both ipBlock and another peer"));
  }
}

/// The rules for one direction: `peers` is the name of their list, "from" or "to".
void check_direction(const Json& spec, std::string_view direction, std::string_view peers,
                     FieldErrors& errors) {
  const FieldPath rules_path = kSpec.child(direction);
  std::size_t index = 0;
  for (const Json& rule : spec.get(direction).items()) {
    const FieldPath rule_path = rules_path.index(index++);
    const FieldPath ports_path = rule_path.child("ports");
    std::size_t place = 0;
    for (const Json& each : rule.get("ports").items()) {
      check_policy_port(each, ports_path.index(place++), errors);
    }
    const FieldPath peers_path = rule_path.child(peers);
    place = 0;
    for (const Json& each : rule.get(peers).items()) {
      check_peer(each, peers_path.index(place++), errors);
    }
  }
}

class NetworkPolicyRules final : public PlainRules {
 public:
  using PlainRules::PlainRules;

  void set_defaults(Json& object) const override {
    Json& spec = object_member(object, "spec");
    object_member(spec, "podSelector");
    default_rule_ports(spec, "ingress");
    default_rule_ports(spec, "egress");
    if (!spec.get("policyTypes").items().empty()) return;
    Json types = Json::array({"Ingress"});
    if (!spec.get("egress").items().empty()) types.push_back("Egress");
    spec.set("policyTypes", std::move(types));
  }

 protected:
  void check_create(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object.get("spec");
    check_label_selector(spec.get("podSelector"), kSpec.child("podSelector"), errors);
    check_direction(spec, "ingress", "from", errors);
    check_direction(spec, "egress", "to", errors);
    if (spec.get("policyTypes").size() > 2) {
      errors.push_back(field_invalid(kSpec.text("policyTypes"), spec.get("policyTypes"),
                                     "may not specify more than two policyTypes"));
      return;
    }
    check_fields("networking.v1.NetworkPolicySpec", spec, kSpec, errors);
  }
};

}  // namespace

std::shared_ptr<const KindRules> network_policy_rules(const KindFacts& facts) {
  return std::make_shared<NetworkPolicyRules>(facts);
}

}  // namespace davit::sandbox
