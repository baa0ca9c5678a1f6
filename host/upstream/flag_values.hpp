/// Reads the values of kube-controller-manager's flags.
#pragma once

#include <davit/result.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/upstream/flag_table.hpp"
#include "lib/kube/json.hpp"

namespace davit::host {

/// Flags whose values have their own form.
inline constexpr std::string_view kFeatureGates = "feature-gates";
inline constexpr std::string_view kModules = "vmodule";
inline constexpr std::string_view kAllowedLabels = "allow-metric-labels";

/// The texts in a list.
[[nodiscard]] std::vector<std::string> texts_of(const Json& list);

/// The value in the manifest's form: a boolean, a number, a text (also for durations; files have an
/// absolute path) or a list. `values` are those of the command line, in order, at least one; only
/// lists use more than the last. kInvalid, by upstream's rules: one line that names the flag and
/// what is allowed.
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

}  // namespace davit::host
