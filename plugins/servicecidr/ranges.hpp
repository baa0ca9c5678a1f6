/// The ServiceCIDRs of the cluster, and which of them may go. Pure.
/// Rules: docs/spec/cluster-controllers.md, A1, A2 and A4.
#pragma once

#include <davit/kube/ip.hpp>
#include <davit/lookup.hpp>
#include <string>
#include <utility>
#include <vector>

#include "plugins/servicecidr/views.hpp"

namespace davit::servicecidr {

/// One ServiceCIDR. CIDRs that are none are left out.
struct Range {
  explicit Range(const ServiceCidr& object);

  [[nodiscard]] bool assigns(const ip::Address& address) const;

  std::string name;
  bool is_deleting = false;
  std::vector<ip::Prefix> prefixes;
};

class Ranges {
 public:
  explicit Ranges(const List<ServiceCidr>& objects) : all_(objects.begin(), objects.end()) {}
  explicit Ranges(std::vector<Range> all) : all_(std::move(all)) {}

  /// The names of those that share addresses with `range`; itself is one if it is there.
  [[nodiscard]] std::vector<std::string> overlapping(const Range& range) const;
  /// The names of those that may assign `address`.
  [[nodiscard]] std::vector<std::string> holding(const ip::Address& address) const;
  /// Whether each prefix of `range` is part of another one that stays.
  [[nodiscard]] bool has_parents(const Range& range) const;
  /// Whether `address` would belong to no range if `range`, which is being deleted, went. The
  /// last one by name of several that are being deleted together waits, so that they cannot all
  /// go, each because of another one (X1).
  [[nodiscard]] bool keeps_alone(const Range& range, const ip::Address& address) const;

 private:
  std::vector<Range> all_;
};

}  // namespace davit::servicecidr
