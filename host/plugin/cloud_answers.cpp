#include "host/plugin/cloud_answers.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <davit/kube/ip.hpp>
#include <davit/kube/label_syntax.hpp>
#include <initializer_list>
#include <optional>
#include <string>

#include "lib/base/json_text.hpp"
#include "lib/kube/strict_json.hpp"

namespace davit::host {
namespace {

using JsonKind = YamlNode::Kind;

/// For ten thousand routes, each with the addresses of its Node.
constexpr std::size_t kRouteValuesMax = 400'000;

Status wrong(std::string_view place, std::string_view what) {
  return {Code::kInvalid,
          "the provider's answer is not valid: " + std::string(place) + ": " + std::string(what)};
}

/// An object that has none but these members.
Status check_members(const YamlNode& node, const std::string& place,
                     std::initializer_list<std::string_view> known) {
  if (node.kind != JsonKind::kMapping)
    return wrong(place, "must be an object, not " + node.describe());
  for (const YamlMember& each : node.members) {
    if (std::find(known.begin(), known.end(), each.key) == known.end()) {
      return wrong(place + "." + each.key, "is not known");
    }
  }
  return {};
}

/// The text of a member: empty without the member, no value if it is not a string.
std::optional<std::string_view> text_of(const YamlNode& node, std::string_view key) {
  const YamlNode* const member = node.find(key);
  if (member == nullptr || member->is_null()) return "";
  if (member->kind != JsonKind::kString) return std::nullopt;
  return member->text;
}

Status check_texts(const YamlNode& node, const std::string& place,
                   std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (!text_of(node, key)) return wrong(place + "." + std::string(key), "must be a string");
  }
  return {};
}

/// The text, as JSON without mistakes.
Result<YamlDocument> parse_answer(std::string_view text,
                                  std::size_t values_max = kStrictValuesMax) {
  YamlDocument document = parse_strict_json(text, "", 1, values_max);
  if (document.mistakes.empty()) return document;
  const Mistake& first = document.mistakes.front();
  return wrong("line " + std::to_string(first.line) + ", column " + std::to_string(first.column),
               first.text);
}

/// Checks each element of the list with this name; without one there is nothing to check.
template <typename Check>
Status check_list(const YamlNode* list, const std::string& place, const Check& check) {
  if (list == nullptr || list->is_null()) return {};
  if (list->kind != JsonKind::kSequence) return wrong(place, "must be a list");
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Status one = check(list->items[i], place + "[" + std::to_string(i) + "]");
    if (!one.ok()) return one;
  }
  return {};
}

Status check_port(const YamlNode& node, const std::string& place) {
  constexpr int kMost = 65535;
  if (Status s = check_members(node, place, {"port", "protocol", "error"}); !s.ok()) return s;
  if (Status s = check_texts(node, place, {"protocol", "error"}); !s.ok()) return s;
  const YamlNode* const port = node.find("port");
  int number = 0;
  if (port != nullptr && port->kind == JsonKind::kInteger) {
    (void)std::from_chars(port->text.data(), port->text.data() + port->text.size(), number);
  }
  if (number < 1 || number > kMost) return wrong(place + ".port", "must be from 1 to 65535");
  const std::string_view protocol = *text_of(node, "protocol");
  if (protocol == "TCP" || protocol == "UDP" || protocol == "SCTP") return {};
  return wrong(place + ".protocol", "must be TCP, UDP or SCTP");
}

Status check_address(const YamlNode& node, const std::string& place) {
  const std::string_view ip = *text_of(node, "ip");
  const std::string_view mode = *text_of(node, "ipMode");
  if (ip.empty()) {
    return mode.empty() ? Status() : wrong(place + ".ipMode", "may not stand without ip");
  }
  const std::optional<ip::Address> address = ip::Address::parse(ip);
  if (!address || address->is_mapped() || address->text() != ip) {
    return wrong(place + ".ip", short_json_string(ip) + " is not an address in canonical form");
  }
  if (mode.empty() || mode == "VIP" || mode == "Proxy") return {};
  return wrong(place + ".ipMode", "must be VIP or Proxy, not " + short_json_string(mode));
}

Status check_ingress(const YamlNode& node, const std::string& place) {
  Status checked = check_members(node, place, {"ip", "ipMode", "hostname", "ports"});
  if (checked.ok()) checked = check_texts(node, place, {"ip", "ipMode", "hostname"});
  if (checked.ok()) checked = check_address(node, place);
  if (!checked.ok()) return checked;
  const std::string_view host = *text_of(node, "hostname");
  if (!host.empty() && (!is_dns_subdomain(host) || ip::Address::parse(host))) {
    return wrong(place + ".hostname", short_json_string(host) + " is not the name of a host");
  }
  return check_list(node.find("ports"), place + ".ports", &check_port);
}

Status check_node_address(const YamlNode& node, const std::string& place) {
  if (Status s = check_members(node, place, {"type", "address"}); !s.ok()) return s;
  if (Status s = check_texts(node, place, {"type", "address"}); !s.ok()) return s;
  const std::string_view type = *text_of(node, "type");
  const std::string_view text = *text_of(node, "address");
  if (text.empty()) return wrong(place + ".address", "is missing");
  if (type == "Hostname" || type == "InternalDNS" || type == "ExternalDNS") return {};
  if (type != "InternalIP" && type != "ExternalIP") {
    return wrong(place + ".type", short_json_string(type) + " is not the type of an address");
  }
  const std::optional<ip::Address> address = ip::Address::parse(text);
  if (address && !address->is_mapped() && address->text() == text) return {};
  return wrong(place + ".address",
               short_json_string(text) + " is not an address in canonical form");
}

Status check_route(const YamlNode& node, const std::string& place) {
  Status checked = check_members(node, place,
                                 {"name", "targetNode", "targetNodeAddresses",
                                  "enableNodeAddresses", "destinationCIDR", "blackhole"});
  if (checked.ok()) checked = check_texts(node, place, {"name", "targetNode", "destinationCIDR"});
  if (!checked.ok()) return checked;
  for (const std::string_view key : {"enableNodeAddresses", "blackhole"}) {
    const YamlNode* const member = node.find(key);
    if (member == nullptr || member->is_null() || member->kind == JsonKind::kBoolean) continue;
    return wrong(place + "." + std::string(key), "must be true or false");
  }
  return check_list(node.find("targetNodeAddresses"), place + ".targetNodeAddresses",
                    &check_node_address);
}

}  // namespace

Status check_load_balancer_status(std::string_view text) {
  const Result<YamlDocument> document = parse_answer(text);
  if (!document) return document.error();
  if (Status s = check_members(document->root, "status", {"ingress"}); !s.ok()) return s;
  return check_list(document->root.find("ingress"), "ingress", &check_ingress);
}

Status check_machine_metadata(std::string_view text) {
  const Result<YamlDocument> document = parse_answer(text);
  if (!document) return document.error();
  const YamlNode& root = document->root;
  Status checked = check_members(
      root, "metadata",
      {"providerID", "instanceType", "zone", "region", "nodeAddresses", "additionalLabels"});
  if (checked.ok()) {
    checked = check_texts(root, "metadata", {"providerID", "instanceType", "zone", "region"});
  }
  if (!checked.ok()) return checked;
  if (const YamlNode* const labels = root.find("additionalLabels");
      labels != nullptr && !labels->is_null()) {
    if (labels->kind != JsonKind::kMapping) return wrong("additionalLabels", "must be an object");
    for (const YamlMember& each : labels->members) {
      if (each.value.kind == JsonKind::kString) continue;
      return wrong("additionalLabels." + each.key, "must be a string");
    }
  }
  return check_list(root.find("nodeAddresses"), "nodeAddresses", &check_node_address);
}

Status check_route_list(std::string_view text) {
  const Result<YamlDocument> document = parse_answer(text, kRouteValuesMax);
  if (!document) return document.error();
  if (document->root.kind != JsonKind::kSequence) return wrong("routes", "must be a list");
  return check_list(&document->root, "routes", &check_route);
}

}  // namespace davit::host
