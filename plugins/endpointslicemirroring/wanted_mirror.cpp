#include "plugins/endpointslicemirroring/wanted_mirror.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

namespace davit::endpointslicemirroring {
namespace {

using endpoint::EndpointAddress;
using endpoint::EndpointSubset;
using endpoint::IpAddress;
using endpoint::IpFamily;
using endpoint::SliceEndpoint;

enum class Ready { kNo, kYes };

SliceEndpoint mirrored(const EndpointAddress& address, const IpAddress& ip, Ready ready) {
  SliceEndpoint out;
  out.addresses = {ip.text};
  out.conditions.ready = ready == Ready::kYes;
  out.hostname = address.hostname;
  out.target = address.target;
  out.node_name = address.node_name;
  return out;
}

/// The groups of one subset, as they fill.
class SubsetMirror {
 public:
  SubsetMirror(const EndpointSubset& subset, std::size_t endpoints_max, WantedMirror& out)
      : ports_(endpoint::as_group(subset.ports)), max_(endpoints_max), out_(out) {
    for (const IpFamily family : {IpFamily::kIPv4, IpFamily::kIPv6}) group(family);
  }

  void add(const std::vector<EndpointAddress>& addresses, Ready ready) {
    for (const EndpointAddress& each : addresses) {
      if (taken_ >= max_) return;
      const std::optional<IpAddress> ip = endpoint::parse_ip(each.ip);
      if (!ip) {
        ++out_.invalid;
        continue;
      }
      ++taken_;
      put(mirrored(each, *ip, ready), ip->family);
    }
  }

  [[nodiscard]] std::size_t taken() const { return taken_; }

 private:
  std::vector<SliceEndpoint>& group(IpFamily family) { return out_.groups[{family, ports_}]; }

  /// The later one of two with one identity counts.
  void put(SliceEndpoint endpoint, IpFamily family) {
    std::vector<SliceEndpoint>& endpoints = group(family);
    const auto [place, is_new] = places_[family].emplace(endpoint.identity(), endpoints.size());
    if (is_new) {
      endpoints.push_back(std::move(endpoint));
    } else {
      endpoints[place->second] = std::move(endpoint);
    }
  }

  const endpoint::SlicePorts ports_;
  const std::size_t max_;
  WantedMirror& out_;
  std::size_t taken_ = 0;
  std::map<IpFamily, std::unordered_map<std::string, std::size_t>> places_;
};

}  // namespace

WantedMirror wanted_mirror(const endpoint::Subsets& subsets, std::size_t endpoints_max) {
  WantedMirror out;
  for (const EndpointSubset& subset : endpoint::canonical(subsets)) {
    SubsetMirror mirror(subset, endpoints_max, out);
    mirror.add(subset.ready, Ready::kYes);
    mirror.add(subset.not_ready, Ready::kNo);
    out.skipped += subset.ready.size() + subset.not_ready.size() - mirror.taken();
  }
  return out;
}

}  // namespace davit::endpointslicemirroring
