/// Lays the values of kube-controller-manager's flags over the options of a run.
#pragma once

#include <span>
#include <string>

#include "cli/options.hpp"
#include "host/upstream/flag_table.hpp"

namespace davit::host {

/// Takes a flag of a controller, or one without effect, which gets a warning unless it has its
/// default. A value that is not allowed goes to `options.problems`.
void take_upstream_flag(const FoundFlag& found, std::span<const std::string> values,
                        RunOptions& options);

}  // namespace davit::host
