/// The configuration of the controller.
#pragma once

#include <davit/kube/ip.hpp>
#include <davit/object.hpp>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/nodeipam/cidr_set.hpp"
#include "plugins/shared/cidrs/cluster_cidrs.hpp"

namespace davit::nodeipam {

using cidrs::parse_cidr;

/// The settings that upstream's flags ask for. Rule: docs/spec/nodeipam.md, section 2.
struct Options {
  bool is_on = false;  ///< Otherwise nothing but the type of allocator was judged.
  std::vector<ClusterRange> ranges;
  std::vector<ip::Prefix> services;           ///< The CIDRs of Services; no Node gets them.
  std::vector<std::string> services_ignored;  ///< Those that are no CIDRs.
};

/// kInvalid, with upstream's text: the configuration is refused.
[[nodiscard]] Result<Options> read_options(Value config);

}  // namespace davit::nodeipam
