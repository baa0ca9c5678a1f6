#include "plugins/nodeipam/options.hpp"

#include <algorithm>
#include <cstdint>
#include <davit/options.hpp>
#include <utility>

namespace davit::nodeipam {
namespace {

using cidrs::are_of_both_families;
using cidrs::split;
using cidrs::trim;
using ip::Family;

constexpr std::string_view kOn = "allocateNodeCIDRs";
constexpr std::string_view kType = "cidrAllocatorType";
constexpr std::string_view kCluster = "clusterCIDR";
constexpr std::string_view kServices = "serviceCIDR";
constexpr std::string_view kMask = "nodeCIDRMaskSize";
constexpr std::string_view kMask4 = "nodeCIDRMaskSizeIPv4";
constexpr std::string_view kMask6 = "nodeCIDRMaskSizeIPv6";

constexpr std::string_view kRangeAllocator = "RangeAllocator";
constexpr std::size_t kFamilies = 2;
constexpr int kDefaultMask4 = 24;
constexpr int kDefaultMask6 = 64;
/// IPv6 only: 65,536 blocks at most.
constexpr int kBitsMax6 = 16;

Status refuse(std::string text) { return {Code::kInvalid, std::move(text)}; }

Result<std::string> read_text(Value config, std::string_view name, std::string_view fallback = {}) {
  const Value value = config[name];
  if (value.is_absent()) return std::string(fallback);
  const std::optional<std::string_view> text = value.text();
  if (!text) return refuse(std::string(name) + " must be a text");
  return std::string(*text);
}

Result<int> read_mask(Value config, std::string_view name) {
  const Value value = config[name];
  if (value.is_absent()) return 0;
  const std::optional<std::int64_t> number = value.integer();
  if (!number || *number < INT32_MIN || *number > INT32_MAX) {
    return refuse(std::string(name) + " must be an integer");
  }
  return static_cast<int>(*number);
}

/// Fills the options with the CIDRs of Services. What is no CIDR counts as absent.
Status read_services(const std::vector<std::string>& texts, Options& out) {
  for (const std::string& each : texts) {
    if (trim(each).empty()) continue;
    const std::optional<ip::Prefix> prefix = parse_cidr(each);
    if (prefix) {
      out.services.push_back(*prefix);
    } else {
      out.services_ignored.push_back(each);
    }
  }
  if (out.services.size() < kFamilies || are_of_both_families(out.services)) return {};
  return refuse(
      "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)");
}

struct Masks {
  int any = 0;
  int v4 = 0;
  int v6 = 0;
};

/// The rules of a cluster with one family.
Status check_single(const Masks& masks, Family family) {
  if (masks.any != 0 && (masks.v4 != 0 || masks.v6 != 0)) {
    return refuse(
        "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if "
        "--node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily "
        "specific flags");
  }
  if (family == Family::kIPv6 && masks.v4 != 0) {
    return refuse(
        "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster");
  }
  if (family == Family::kIPv4 && masks.v6 != 0) {
    return refuse(
        "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster");
  }
  return {};
}

int mask_for(const Masks& masks, Family family) {
  const int own = family == Family::kIPv4 ? masks.v4 : masks.v6;
  if (own != 0) return own;
  if (masks.any != 0) return masks.any;
  return family == Family::kIPv4 ? kDefaultMask4 : kDefaultMask6;
}

Status check_mask(const ip::Prefix& cidr, int mask) {
  if (mask < cidr.length()) {
    return refuse(
        "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal "
        "to --node-cidr-mask-size configured for CIDR family");
  }
  if (mask > ip::bits_of(cidr.family())) {
    return refuse("Controller: Invalid --node-cidr-mask-size, " + std::to_string(mask) +
                  " is not a mask size of " + std::string(ip::family_name(cidr.family())));
  }
  if (cidr.family() == Family::kIPv6 && mask - cidr.length() > kBitsMax6) {
    return refuse("New CIDR set failed; the node CIDR size is too big");
  }
  return {};
}

Status set_ranges(const std::vector<ip::Prefix>& cluster, const Masks& masks, Options& out) {
  if (cluster.size() == kFamilies && masks.any != 0) {
    return refuse("usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
  }
  if (cluster.size() == 1) {
    if (Status s = check_single(masks, cluster.front().family()); !s.ok()) return s;
  }
  for (const ip::Prefix& each : cluster) {
    const int mask = mask_for(masks, each.family());
    if (Status s = check_mask(each, mask); !s.ok()) return s;
    out.ranges.push_back({each, mask});
  }
  return {};
}

Result<Masks> read_masks(Value config) {
  const Result<int> any = read_mask(config, kMask);
  const Result<int> v4 = read_mask(config, kMask4);
  const Result<int> v6 = read_mask(config, kMask6);
  for (const Result<int>* each : {&any, &v4, &v6}) {
    if (!*each) return each->error();
  }
  return Masks{*any, *v4, *v6};
}

/// The rules that hold whether or not the controller is on.
Status check_always(const std::string& type, const std::vector<std::string>& services) {
  if (services.size() > kFamilies) {
    return refuse("--service-cluster-ip-range can not contain more than two entries");
  }
  if (type == kRangeAllocator) return {};
  return refuse("built-in cloud providers are disabled. The ipam " + type + " is not available");
}

}  // namespace

Result<Options> read_options(Value config) {
  if (Status s = check_options(config, {kOn, kType, kCluster, kServices, kMask, kMask4, kMask6});
      !s.ok()) {
    return s;
  }
  const Result<std::string> type = read_text(config, kType, kRangeAllocator);
  const Result<std::string> cluster = read_text(config, kCluster);
  const Result<std::string> services = read_text(config, kServices);
  for (const Result<std::string>* each : {&type, &cluster, &services}) {
    if (!*each) return each->error();
  }
  const Result<Masks> masks = read_masks(config);
  if (!masks) return masks.error();
  const Value on = config[kOn];
  if (!on.is_absent() && !on.boolean()) return refuse(std::string(kOn) + " must be true or false");
  Options out;
  out.is_on = on.is_true();
  const std::vector<std::string> service_texts = split(*services);
  if (Status s = check_always(*type, service_texts); !s.ok()) return s;
  if (!out.is_on) return out;
  const Result<std::vector<ip::Prefix>> prefixes = cidrs::read_cluster_cidrs(*cluster);
  if (!prefixes) return prefixes.error();
  if (Status s = read_services(service_texts, out); !s.ok()) return s;
  if (Status s = set_ranges(*prefixes, *masks, out); !s.ok()) return s;
  return out;
}

}  // namespace davit::nodeipam
