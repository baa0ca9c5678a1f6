/// The condition Ready of a ServiceCIDR. Pure. Rule: docs/spec/cluster-controllers.md, A5.
#pragma once

#include <davit/time.hpp>
#include <string>
#include <string_view>

#include "plugins/servicecidr/views.hpp"

namespace davit::servicecidr {

struct ReadyCondition {
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};

inline constexpr ReadyCondition kIsReady{"True", "", "Kubernetes Service CIDR is ready"};
inline constexpr ReadyCondition kIsTerminating{
    "False", "Terminating",
    "There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new "
    "ServiceCIDR"};

/// The body of the apply to /status that sets the condition; empty if `object` has it.
[[nodiscard]] std::string condition_body(const ServiceCidr& object, const ReadyCondition& wanted,
                                         WallTime now);

}  // namespace davit::servicecidr
