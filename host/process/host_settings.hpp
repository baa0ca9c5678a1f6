/// Options of the host's parts, as the manifest has them.
#pragma once

#include <filesystem>
#include <string>

#include "host/cache/reflector_state.hpp"
#include "host/config/manifest.hpp"
#include "host/election/leader_election.hpp"
#include "host/election/lease_holders.hpp"
#include "host/metrics/metrics.hpp"
#include "host/swap/swap_terms.hpp"
#include "lib/base/log.hpp"
#include "lib/base/random.hpp"
#include "lib/base/spdlog_sink.hpp"

namespace davit::host {

/// Copies of plugin files go to the folder `staging`; the program `trial` opens them first.
[[nodiscard]] SwapLimits swap_limits(const Manifest& manifest, const std::filesystem::path& staging,
                                     const std::filesystem::path& trial);

[[nodiscard]] ReflectorOptions reflector_options(const ClientSettings& client);

/// Those of the host's own Lease. The identity is the machine's name and a random UUID, as
/// upstream; it is entered into `holders`, which may be null.
[[nodiscard]] LeaderElectionOptions election_options(const Manifest& manifest, Random& random,
                                                     LeaseHolders* holders, const Logger& log);

/// The verbosity of the host's log, of settings that check_settings() has checked.
[[nodiscard]] LogVerbosity verbosity_of(const LoggingSettings& logging);

[[nodiscard]] MetricRules metric_rules(const MetricSettings& metrics);

/// The labels of kubernetes_build_info for this program in a cluster of that version.
[[nodiscard]] BuildInfo build_info(std::string git_version);

}  // namespace davit::host
