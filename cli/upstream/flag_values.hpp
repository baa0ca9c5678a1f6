/// Reads the values of kube-controller-manager's flags and lays them over the settings of a run.
#pragma once

#include <davit/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.hpp"
#include "cli/upstream/flag_table.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {

/// The value as the manifest would have it: a boolean, a number, a text (durations, too; files with
/// an absolute path) or a list. `values` are those that the command line has, in order and at least
/// one; only lists read more than the last. kInvalid: one line that names the flag and what is
/// allowed; these are upstream's rules.
[[nodiscard]] Result<Json> read_flag(const UpstreamFlag& flag, std::span<const std::string> values);

/// Whether this is the flag's default.
[[nodiscard]] bool is_default(const UpstreamFlag& flag, const Json& value);

/// A place in the manifest and what stands there.
struct ManifestValue {
  std::vector<std::string> path;  ///< Keys, from the top.
  Json value;
};

/// The places in the manifest that a value of a flag fills; none for a flag without effect.
[[nodiscard]] std::vector<ManifestValue> manifest_values(const UpstreamFlag& flag,
                                                         const Json& value);

/// Takes a flag of a controller, or one without effect, which gets a warning unless it has its
/// default. A value that is not allowed goes to `options.problems`.
void take_upstream_flag(const FoundFlag& found, std::span<const std::string> values,
                        RunOptions& options);

}  // namespace davit::host
