#include "host/process/host_settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lib/base/uuid.hpp"
#include "lib/base/version.hpp"

namespace davit::host {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

}  // namespace

SwapLimits swap_limits(const Manifest& manifest, const std::filesystem::path& staging,
                       const std::filesystem::path& trial) {
  SwapLimits limits;
  limits.staging = staging;
  limits.trial = trial;
  limits.signatures = manifest.plugin_signatures;
  limits.probation.time = manifest.swap.watch_for;
  limits.probation.error_percent_max = static_cast<unsigned>(manifest.swap.max_error_percent);
  return limits;
}

ReflectorOptions reflector_options(const ClientSettings& client) {
  ReflectorOptions options;
  const bool is_json = client.content_type == kContentTypeJson;
  options.format = is_json ? WireFormat::kJson : WireFormat::kProtobuf;
  // The least is upstream's (client-go, minimumResyncPeriod); twice the most is still a time.
  constexpr Duration kLeast = std::chrono::seconds(1);
  constexpr Duration kMost = std::chrono::years(10);
  const Duration resync = client.min_resync_period;
  options.resync_min =
      resync == Duration::zero() ? Duration::zero() : std::clamp(resync, kLeast, kMost);
  return options;
}

LogVerbosity verbosity_of(const LoggingSettings& logging) {
  return LogVerbosity(logging.verbosity, log_modules(logging.modules).value_or(LogModules()));
}

MetricRules metric_rules(const MetricSettings& metrics) {
  MetricRules rules;
  rules.disabled = {metrics.disabled.begin(), metrics.disabled.end()};
  for (const auto& [key, values] : metrics.labels()) {
    const std::size_t comma = key.find(',');
    NameSet& allowed = rules.allowed[key.substr(0, comma)][key.substr(comma + 1)];
    for (std::size_t begin = 0; begin <= values.size();) {
      const std::size_t end = std::min(values.find(',', begin), values.size());
      allowed.insert(values.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return rules;
}

LeaderElectionOptions election_options(const Manifest& manifest, Random& random,
                                       LeaseHolders* holders, const Logger& log) {
  LeaderElectionOptions options;
  options.ns = manifest.leader_election.ns;
  options.name = manifest.leader_election.name;
  options.identity = host_name() + "_" + random_uuid(random);
  options.lease_duration = manifest.leader_election.lease_duration;
  options.renew_deadline = manifest.leader_election.renew_deadline;
  options.retry_period = manifest.leader_election.retry_period;
  if (holders == nullptr) return options;
  options.departed = holders->departed();
  if (Status s = holders->enter(options.identity); !s.ok()) {
    log.warning("If this process crashes, the next one waits until the lease expires",
                {{"reason", s.message()}});
  }
  return options;
}

BuildInfo build_info(std::string git_version) {
  return {.git_version = std::move(git_version), .compiler = kCompiler, .platform = kPlatform};
}

}  // namespace davit::host
