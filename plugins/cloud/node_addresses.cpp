#include "plugins/cloud/node_addresses.hpp"

#include <algorithm>
#include <davit/json_writer.hpp>
#include <davit/kube/go_quote.hpp>
#include <davit/mutant.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "plugins/shared/cidrs/cluster_cidrs.hpp"
#include "plugins/shared/endpoint/ip_address.hpp"

namespace davit::cloud {
namespace {

using endpoint::IpAddress;

constexpr std::string_view kProvidedNodeIp = "alpha.kubernetes.io/provided-node-ip";
constexpr std::string_view kHostname = "Hostname";

bool is_unspecified(const IpAddress& address) {
  return address.text == "0.0.0.0" || address.text == "::";
}

/// ParseNodeIPAnnotation.
Result<std::vector<IpAddress>> parse_node_ips(std::string_view text) {
  const auto refuse = [text](const std::string& why) {
    return Status(Code::kInvalid, "failed to parse node IP " + go_quoted(text) + ": " + why);
  };
  constexpr std::size_t kPair = 2;
  std::vector<IpAddress> out;
  for (const std::string& each : cidrs::split(text)) {
    const std::optional<IpAddress> address = endpoint::parse_ip(each);
    if (!address) return refuse("could not parse " + go_quoted(each));
    out.push_back(*address);
  }
  const bool is_pair = out.size() == kPair;
  if (out.size() > kPair || (is_pair && out.front().family == out.back().family)) {
    return refuse("must contain either a single IP or a dual-stack pair of IPs");
  }
  if (is_pair && (is_unspecified(out.front()) || is_unspecified(out.back()))) {
    return refuse("dual-stack node IP cannot include '0.0.0.0' or '::'");
  }
  return out;
}

std::vector<CloudAddress> without_repeats(std::vector<CloudAddress> addresses) {
  std::set<CloudAddress> seen;
  std::erase_if(addresses, [&seen](const CloudAddress& each) { return !seen.insert(each).second; });
  return addresses;
}

}  // namespace

Result<std::vector<CloudAddress>> prefer_node_ip(const Node& node,
                                                 std::vector<CloudAddress> of_machine) {
  const std::optional<std::string_view> provided = node.annotation(kProvidedNodeIp);
  if (!provided) return of_machine;
  const Result<std::vector<IpAddress>> ips = parse_node_ips(*provided);
  if (!ips) return ips.error();
  std::vector<CloudAddress> out;
  std::set<std::string> types;
  for (const IpAddress& ip : *ips) {
    const std::size_t before = out.size();
    for (const CloudAddress& each : of_machine) {
      if (endpoint::parse_ip(each.address) != ip) continue;
      out.push_back(each);
      types.insert(each.type);
    }
    if (out.size() == before && !mutant("address-of-another-machine")) {
      return Status(Code::kInvalid,
                    "failed to get node address from cloud provider that matches ip: " + ip.text);
    }
  }
  for (const CloudAddress& each : of_machine) {
    if (!types.contains(each.type)) out.push_back(each);
  }
  return out;
}

Result<std::vector<CloudAddress>> wanted_addresses(const Node& node,
                                                   const std::vector<CloudAddress>& of_machine) {
  if (of_machine.empty()) return std::vector<CloudAddress>();
  std::vector<CloudAddress> all = of_machine;
  const auto is_hostname = [](const CloudAddress& each) { return each.type == kHostname; };
  if (std::none_of(all.begin(), all.end(), is_hostname)) {
    const std::vector<CloudAddress> present = read_addresses(node.status()["addresses"]);
    std::copy_if(present.begin(), present.end(), std::back_inserter(all), is_hostname);
  }
  Result<std::vector<CloudAddress>> preferred = prefer_node_ip(node, std::move(all));
  if (!preferred) return preferred;
  return without_repeats(*std::move(preferred));
}

std::string addresses_body(const Node& node, std::span<const CloudAddress> wanted) {
  JsonWriter out;
  out.begin_object().key("metadata").begin_object();
  if (!mutant("addresses-of-a-namesake")) out.member("uid", node.uid());
  out.end_object().key("status").begin_object().key("addresses").begin_array();
  for (const CloudAddress& each : wanted) {
    out.begin_object().member("type", each.type).member("address", each.address).end_object();
  }
  if (node.status()["addresses"].count() != 0) {
    out.begin_object().member("$patch", "replace").end_object();
  }
  out.end_array().end_object().end_object();
  return std::move(out).text();
}

}  // namespace davit::cloud
