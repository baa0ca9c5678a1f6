#include "plugins/shared/cidrs/cluster_cidrs.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "plugins/shared/endpoint/ip_address.hpp"

namespace davit::cidrs {

std::optional<ip::Prefix> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const std::optional<endpoint::IpAddress> address = endpoint::parse_ip(text.substr(0, slash));
  if (!address) return std::nullopt;
  const bool is_ipv6 = text.substr(0, slash).find(':') != text.npos;
  if (is_ipv6 != (address->family == endpoint::IpFamily::kIPv6)) return std::nullopt;
  std::string_view length = text.substr(slash + 1);
  while (length.size() > 1 && length.front() == '0') length.remove_prefix(1);
  return ip::Prefix::parse(address->text + '/' + std::string(length));
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t comma = 0; comma != text.npos;) {
    comma = text.find(',');
    out.emplace_back(text.substr(0, comma));
    if (comma != text.npos) text.remove_prefix(comma + 1);
  }
  return out;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool are_of_both_families(const std::vector<ip::Prefix>& prefixes) {
  const auto has = [&prefixes](ip::Family family) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [family](const ip::Prefix& each) { return each.family() == family; });
  };
  return has(ip::Family::kIPv4) && has(ip::Family::kIPv6);
}

Result<std::vector<ip::Prefix>> read_cluster_cidrs(std::string_view text) {
  constexpr std::size_t kFamilies = 2;
  const auto refuse = [](std::string why) { return Status(Code::kInvalid, std::move(why)); };
  std::vector<ip::Prefix> out;
  for (const std::string& each : split(trim(text))) {
    const std::optional<ip::Prefix> prefix = parse_cidr(each);
    if (!prefix) {
      return refuse("invalid CIDR[" + std::to_string(out.size()) +
                    "]: <nil> (invalid CIDR address: " + each + ")");
    }
    out.push_back(*prefix);
  }
  const std::string count = std::to_string(out.size());
  if (out.size() > 1 && !are_of_both_families(out)) {
    return refuse("len of ClusterCIDRs==" + count +
                  " and they are not configured as dual stack (at least one from each IPFamily");
  }
  if (out.size() > kFamilies) {
    return refuse("length of clusterCIDRs is:" + count + " more than max allowed of 2");
  }
  return out;
}

}  // namespace davit::cidrs
