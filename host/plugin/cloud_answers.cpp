#include "host/plugin/cloud_answers.hpp"

#include <algorithm>
#include <charconv>
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
  const YamlNode* const ports = node.find("ports");
  if (ports == nullptr || ports->is_null()) return {};
  if (ports->kind != JsonKind::kSequence) return wrong(place + ".ports", "must be a list");
  for (std::size_t i = 0; i < ports->items.size(); ++i) {
    Status port = check_port(ports->items[i], place + ".ports[" + std::to_string(i) + "]");
    if (!port.ok()) return port;
  }
  return {};
}

}  // namespace

Status check_load_balancer_status(std::string_view text) {
  const YamlDocument document = parse_strict_json(text, "");
  if (!document.mistakes.empty()) {
    const Mistake& first = document.mistakes.front();
    return wrong("line " + std::to_string(first.line) + ", column " + std::to_string(first.column),
                 first.text);
  }
  if (Status s = check_members(document.root, "status", {"ingress"}); !s.ok()) return s;
  const YamlNode* const list = document.root.find("ingress");
  if (list == nullptr || list->is_null()) return {};
  if (list->kind != JsonKind::kSequence) return wrong("ingress", "must be a list");
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Status one = check_ingress(list->items[i], "ingress[" + std::to_string(i) + "]");
    if (!one.ok()) return one;
  }
  return {};
}

}  // namespace davit::host
