#include "sandbox/admission/cluster_addresses.hpp"

#include <algorithm>
#include <davit/kube/ip.hpp>
#include <optional>

#include "lib/kube/condition_status.hpp"

namespace davit::sandbox {

namespace {

/// A kube-apiserver refuses ranges smaller than this; larger ones cost memory.
constexpr int kPrefixMin = 12;
constexpr int kPrefixMax = 29;

/// The ServiceCIDR of the server's own range.
constexpr std::string_view kDefaultRange = "kubernetes";

/// Nothing for IPv6 and everything else.
std::optional<ip::Prefix> parse_prefix(std::string_view cidr) {
  const std::optional<ip::Prefix> prefix = ip::Prefix::parse(cidr);
  return prefix && prefix->family() == ip::Family::kIPv4 ? prefix : std::nullopt;
}

AddressRange range_of(const ip::Prefix& prefix) {
  return {prefix.first().number(), std::uint64_t{1} << (32 - prefix.length())};
}

/// A range without the condition is ready: no controller may be there to set it.
bool is_ready(const Json& range) {
  if (range.get("metadata").contains("deletionTimestamp")) return false;
  const std::string_view status = condition_status(range, "Ready");
  return status.empty() || status == "True";
}

}  // namespace

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  const std::optional<ip::Address> address = ip::Address::parse(text);
  if (!address || address->family != ip::Family::kIPv4) return std::nullopt;
  return address->number();
}

std::string ipv4_text(std::uint32_t address) { return ip::Address::of_number(address).text(); }

std::uint64_t static_band(std::uint64_t size, std::uint64_t divisor, std::uint64_t max) {
  constexpr std::uint64_t kMin = 16;
  if (size <= kMin) return 0;
  return std::min(std::max(kMin, size / divisor), max);
}

Result<AddressRange> AddressRange::parse(std::string_view cidr) {
  const std::optional<ip::Prefix> prefix = parse_prefix(cidr);
  if (!prefix || prefix->length() < kPrefixMin || prefix->length() > kPrefixMax) {
    return Status(Code::kInvalid,
                  "not an IPv4 range for services between /12 and /29: " + std::string(cidr));
  }
  return range_of(*prefix);
}

std::vector<AddressRange> ClusterAddresses::ready_ranges() const {
  std::vector<AddressRange> out;
  bool own = true;
  for (const VersionPtr& each : objects_.list({"networking.k8s.io", "servicecidrs"}, "")) {
    const Json object = each->json();
    own = own && each->name != kDefaultRange;
    if (!is_ready(object)) continue;
    for (const Json& cidr : object.get("spec").get("cidrs").items()) {
      if (const std::optional<ip::Prefix> prefix = parse_prefix(cidr.text())) {
        out.push_back(range_of(*prefix));
      }
    }
  }
  if (own) out.push_back(own_);
  return out;
}

bool ClusterAddresses::is_free(std::uint32_t address) const {
  return !held_.contains(address) &&
         objects_.get({"networking.k8s.io", "ipaddresses"}, "", ipv4_text(address)) == nullptr;
}

ClusterAddresses::Outcome ClusterAddresses::take(std::uint32_t address) {
  const std::vector<AddressRange> ranges = ready_ranges();
  if (std::ranges::none_of(ranges,
                           [&](const AddressRange& each) { return each.has_host(address); })) {
    return Outcome::kNotInRange;
  }
  if (!is_free(address)) return Outcome::kNotFree;
  held_.insert(address);
  return Outcome::kTaken;
}

std::optional<std::uint32_t> ClusterAddresses::take_any() {
  const std::vector<AddressRange> ranges = ready_ranges();
  if (ranges.empty()) return std::nullopt;
  const std::size_t start = random_.next() % ranges.size();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (const auto address = take_of(ranges[(start + i) % ranges.size()])) return address;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> ClusterAddresses::take_of(const AddressRange& range) {
  if (range.size <= 2) return std::nullopt;
  const std::uint64_t hosts = range.size - 2;
  const std::uint64_t low = std::min(hosts, static_band(range.size, 16, 256));
  const std::uint32_t first = range.base + 1;
  const auto upper = take_between(first + static_cast<std::uint32_t>(low), hosts - low);
  return upper ? upper : take_between(first, low);
}

std::optional<std::uint32_t> ClusterAddresses::take_between(std::uint32_t first,
                                                            std::uint64_t count) {
  if (count == 0) return std::nullopt;
  const std::uint64_t start = random_.next() % count;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint32_t address = first + static_cast<std::uint32_t>((start + i) % count);
    if (address == own_.base + 1 || !is_free(address)) continue;
    held_.insert(address);
    return address;
  }
  return std::nullopt;
}

}  // namespace davit::sandbox
