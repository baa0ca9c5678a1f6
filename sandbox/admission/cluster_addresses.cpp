#include "sandbox/admission/cluster_addresses.hpp"

#include <algorithm>
#include <charconv>

#include "lib/kube/condition_status.hpp"

namespace davit::sandbox {

namespace {

/// A kube-apiserver refuses ranges smaller than this; larger ones cost memory.
constexpr unsigned kPrefixMin = 12;
constexpr unsigned kPrefixMax = 29;

/// The ServiceCIDR of the server's own range.
constexpr std::string_view kDefaultRange = "kubernetes";

struct Prefix {
  std::uint32_t base = 0;
  unsigned bits = 0;
};

std::optional<Prefix> parse_prefix(std::string_view cidr) {
  const std::size_t slash = cidr.find('/');
  const auto base = parse_ipv4(cidr.substr(0, slash));
  const std::string_view bits = slash == std::string_view::npos ? "" : cidr.substr(slash + 1);
  Prefix out;
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), out.bits);
  if (!base || error != std::errc() || end != bits.data() + bits.size() || out.bits > 32) {
    return std::nullopt;
  }
  out.base = *base;
  return out;
}

AddressRange range_of(const Prefix& prefix) {
  const std::uint64_t size = std::uint64_t{1} << (32U - prefix.bits);
  return {static_cast<std::uint32_t>(prefix.base & ~(size - 1)), size};
}

/// A range without the condition is ready: no controller may be there to set it.
bool is_ready(const Json& range) {
  if (range.get("metadata").contains("deletionTimestamp")) return false;
  const std::string_view status = condition_status(range, "Ready");
  return status.empty() || status == "True";
}

}  // namespace

std::optional<std::uint32_t> parse_ipv4(std::string_view text) {
  std::uint32_t out = 0;
  for (int part = 0; part < 4; ++part) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value > 255) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (part < 3) {
      if (!text.starts_with('.')) return std::nullopt;
      text.remove_prefix(1);
    }
    out = out << 8U | value;
  }
  return text.empty() ? std::optional(out) : std::nullopt;
}

std::string ipv4_text(std::uint32_t address) {
  std::string out;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    if (!out.empty()) out += '.';
    out += std::to_string(address >> shift & 255U);
  }
  return out;
}

std::uint64_t static_band(std::uint64_t size, std::uint64_t divisor, std::uint64_t max) {
  constexpr std::uint64_t kMin = 16;
  if (size <= kMin) return 0;
  return std::min(std::max(kMin, size / divisor), max);
}

Result<AddressRange> AddressRange::parse(std::string_view cidr) {
  const std::optional<Prefix> prefix = parse_prefix(cidr);
  if (!prefix || prefix->bits < kPrefixMin || prefix->bits > kPrefixMax) {
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
      if (const std::optional<Prefix> prefix = parse_prefix(cidr.text())) {
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
