#include "sandbox/admission/cluster_addresses.hpp"

#include <algorithm>
#include <limits>

#include "lib/base/take_until.hpp"
#include "lib/kube/condition_status.hpp"

namespace davit::sandbox {

namespace {

/// Limits of the server's own ranges. IPv4: those of a kube-apiserver that keeps addresses in a
/// bitmap. IPv6: k8s, NewIPAllocator.
constexpr int kPrefixMinIPv4 = 12;
constexpr int kPrefixMinIPv6 = 64;
constexpr int kHostBitsMin = 3;

/// The ServiceCIDR of the server's own ranges.
constexpr std::string_view kDefaultRange = "kubernetes";

/// The number of addresses; the largest number for those of 2^64 and more.
std::uint64_t size_of(const ip::Prefix& range) {
  const int bits = ip::bits_of(range.family()) - range.length();
  constexpr int kDigits = std::numeric_limits<std::uint64_t>::digits;
  return bits >= kDigits ? std::numeric_limits<std::uint64_t>::max() : std::uint64_t{1} << bits;
}

/// A range without the condition is ready: no controller may be there to set it.
bool is_ready(const Json& range) {
  if (range.get("metadata").contains("deletionTimestamp")) return false;
  const std::string_view status = condition_status(range, "Ready");
  return status.empty() || status == "True";
}

bool has_usable_size(const ip::Prefix& range) {
  const int least = range.family() == ip::Family::kIPv4 ? kPrefixMinIPv4 : kPrefixMinIPv6;
  return range.length() >= least && range.length() <= ip::bits_of(range.family()) - kHostBitsMin;
}

}  // namespace

std::uint64_t static_band(std::uint64_t size, std::uint64_t divisor, std::uint64_t max) {
  constexpr std::uint64_t kMin = 16;
  if (size <= kMin) return 0;
  return std::min(std::max(kMin, size / divisor), max);
}

ip::Address address_after(const ip::Address& address, std::uint64_t offset) {
  constexpr std::uint64_t kByteMax = 0xff;
  constexpr unsigned kByteBits = 8;
  ip::Address out = address;
  auto byte = static_cast<std::size_t>(ip::bits_of(address.family) / static_cast<int>(kByteBits));
  std::uint64_t carry = 0;
  while (byte-- > 0 && (offset != 0 || carry != 0)) {
    carry += out.bytes[byte] + (offset & kByteMax);
    out.bytes[byte] = static_cast<std::uint8_t>(carry & kByteMax);
    carry >>= kByteBits;
    offset >>= kByteBits;
  }
  return out;
}

Result<std::vector<ip::Prefix>> parse_service_ranges(std::string_view text) {
  const Status wrong(Code::kInvalid,
                     "not a range for services, IPv4 between /12 and /29 or IPv6 between /64 and "
                     "/125, or one of each with a comma: " +
                         std::string(text));
  std::vector<ip::Prefix> out;
  for (std::string_view rest = text; !rest.empty();) {
    const std::optional<ip::Prefix> range = ip::Prefix::parse(take_until(rest, ","));
    if (!range || !has_usable_size(*range)) return wrong;
    out.push_back(*range);
  }
  const bool two_of_one = out.size() == 2 && out[0].family() == out[1].family();
  if (out.empty() || out.size() > 2 || two_of_one) return wrong;
  return out;
}

ServiceFamilies served_families(std::string_view ranges) {
  ServiceFamilies out;
  for (const ip::Prefix& each : parse_service_ranges(ranges).value_or({})) {
    out.push_back(each.family());
  }
  return out;
}

std::vector<ip::Prefix> ClusterAddresses::ready_ranges(ip::Family family) const {
  std::vector<ip::Prefix> out;
  bool own = true;
  for (const VersionPtr& each : objects_.list({"networking.k8s.io", "servicecidrs"}, "")) {
    const Json object = each->json();
    own = own && each->name != kDefaultRange;
    if (!is_ready(object)) continue;
    for (const Json& cidr : object.get("spec").get("cidrs").items()) {
      const std::optional<ip::Prefix> range = ip::Prefix::parse(cidr.text());
      if (range && range->family() == family) out.push_back(*range);
    }
  }
  if (!own) return out;
  std::ranges::copy_if(own_, std::back_inserter(out),
                       [&](const ip::Prefix& each) { return each.family() == family; });
  return out;
}

bool ClusterAddresses::is_free(const std::string& address) const {
  return !held_.contains(address) &&
         objects_.get({"networking.k8s.io", "ipaddresses"}, "", address) == nullptr;
}

bool ClusterAddresses::is_in_range(const ip::Address& address) const {
  return std::ranges::any_of(ready_ranges(address.family),
                             [&](const ip::Prefix& each) { return each.assigns(address); });
}

std::optional<ip::Address> ClusterAddresses::any_network(ip::Family family) const {
  const std::vector<ip::Prefix> ranges = ready_ranges(family);
  return ranges.empty() ? std::nullopt : std::optional(ranges.front().first());
}

ClusterAddresses::Outcome ClusterAddresses::take(const ip::Address& address) {
  if (!is_in_range(address)) return Outcome::kNotInRange;
  const std::string text = address.text();
  if (!is_free(text)) return Outcome::kNotFree;
  held_.insert(text);
  return Outcome::kTaken;
}

std::optional<ip::Address> ClusterAddresses::take_any(ip::Family family) {
  const std::vector<ip::Prefix> ranges = ready_ranges(family);
  if (ranges.empty()) return std::nullopt;
  const std::size_t start = random_.next() % ranges.size();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (const auto address = take_of(ranges[(start + i) % ranges.size()])) return address;
  }
  return std::nullopt;
}

std::optional<ip::Address> ClusterAddresses::take_of(const ip::Prefix& range) {
  const std::uint64_t size = size_of(range);
  // The network's address, and the broadcast address of IPv4.
  const std::uint64_t kept = range.family() == ip::Family::kIPv4 ? 2 : 1;
  if (size <= kept) return std::nullopt;
  const std::uint64_t hosts = size - kept;
  const std::uint64_t low = std::min(hosts, static_band(size, 16, 256));
  const ip::Address first = address_after(range.first(), 1);
  const auto upper = take_between(address_after(first, low), hosts - low);
  return upper ? upper : take_between(first, low);
}

std::optional<ip::Address> ClusterAddresses::take_between(const ip::Address& first,
                                                          std::uint64_t count) {
  if (count == 0) return std::nullopt;
  const ip::Address reserved = address_after(own_.front().first(), 1);
  const std::uint64_t start = random_.next() % count;
  for (std::uint64_t i = 0; i < count; ++i) {
    // Without start + i, which may overflow.
    const std::uint64_t offset = i < count - start ? start + i : i - (count - start);
    const ip::Address address = address_after(first, offset);
    std::string text = address.text();
    if (address == reserved || !is_free(text)) continue;
    held_.insert(std::move(text));
    return address;
  }
  return std::nullopt;
}

}  // namespace davit::sandbox
