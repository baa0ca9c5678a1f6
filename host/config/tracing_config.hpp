/// The settings of tracing: the manifest's `tracing` and the environment's OTEL_* variables
/// (docs/TRACING.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/config/kubeconfig.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

inline constexpr std::uint32_t kSampleAll = 1'000'000;

/// `tracing` of the manifest; upstream's names (k8s.io/component-base, TracingConfiguration) where
/// it has them. What is empty or nothing here is the environment's to say.
struct TracingSettings {
  std::string endpoint;  ///< URL of the receiver.
  std::optional<std::uint32_t> sampling_rate_per_million;
  std::map<std::string, std::string> headers;  ///< Sent with each export; may hold secrets.
  std::string certificate_authority;           ///< A PEM file; absolute. Empty: the system's.

  friend bool operator==(const TracingSettings&, const TracingSettings&) = default;
};

/// All that the exporter needs.
struct TracingConfig {
  std::string endpoint;  ///< The URL that spans are sent to; empty: there is no tracing.
  std::uint32_t sampling_rate_per_million = kSampleAll;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string certificate_authority;
  std::map<std::string, std::string> resource = {{"service.name", "davit"}};
  Duration timeout = std::chrono::seconds(10);  ///< For an export with its retries.
  Duration interval = std::chrono::seconds(5);  ///< A span waits no longer for others.
  std::size_t batch_max = 512;                  ///< Spans of one export.
  std::size_t queue_max = 2048;                 ///< Spans that wait.
  std::vector<std::string> warnings;            ///< Variables that were ignored, and why.
};

/// The settings with what the environment adds. A malformed variable counts as not set.
[[nodiscard]] TracingConfig tracing_config(const TracingSettings& settings,
                                           const ConnectionEnvironment& environment);

}  // namespace davit::host
