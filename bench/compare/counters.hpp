/// Counters out of what a server, the kernel and perf print.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace davit::bench {

/// Requests by verb and resource: "PATCH deployments/status".
using RequestCounts = std::map<std::string, double>;

/// The requests that an API server has served, from its /metrics; without watches and what is not
/// for a resource.
[[nodiscard]] RequestCounts parse_requests(std::string_view metrics);
/// The requests in `after` that are not in `before`; kinds without a difference are left out.
[[nodiscard]] RequestCounts difference(const RequestCounts& after, const RequestCounts& before);
[[nodiscard]] double total(const RequestCounts& counts);

/// The sum over all series of a metric; 0 when there are none.
[[nodiscard]] double sum_of_metric(std::string_view metrics, std::string_view name);

/// Voluntary and other context switches, from the status file of a thread in /proc.
[[nodiscard]] std::uint64_t parse_switches(std::string_view status);

/// The count of `event` in the output of `perf stat -x,`; nothing when perf did not count it.
[[nodiscard]] std::optional<std::uint64_t> parse_perf_stat(std::string_view output,
                                                           std::string_view event);

}  // namespace davit::bench
