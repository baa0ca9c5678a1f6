/// The cluster CIDRs, from which Nodes get their pod CIDRs. Pure.
#pragma once

#include <davit/kube/ip.hpp>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace davit::cidrs {

/// A CIDR as k8s.io/utils/net.ParseCIDRSloppy reads it: leading zeros are decimal. IPv4 in the form
/// of IPv6 is refused.
[[nodiscard]] std::optional<ip::Prefix> parse_cidr(std::string_view text);

/// The parts of a comma-separated list; one that is empty for an empty text.
[[nodiscard]] std::vector<std::string> split(std::string_view text);
/// Without the blanks around it.
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] bool are_of_both_families(const std::vector<ip::Prefix>& prefixes);

/// The value of --cluster-cidr: one CIDR, or one of each family. kInvalid, with upstream's text.
/// Rule: docs/spec/nodeipam.md, 2 c to e.
[[nodiscard]] Result<std::vector<ip::Prefix>> read_cluster_cidrs(std::string_view text);

}  // namespace davit::cidrs
