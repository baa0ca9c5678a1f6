#include "plugins/nodelifecycle/options.hpp"

#include <charconv>
#include <davit/kube/duration.hpp>
#include <string>
#include <string_view>

namespace davit::nodelifecycle {
namespace {

Status mistake(std::string_view name, std::string_view what) {
  return Status(Code::kInvalid, std::string(name) + " must be " + std::string(what));
}

Status read(Value value, std::string_view name, Duration& out) {
  const std::optional<Duration> period = parse_duration(value.string());
  if (!period) return mistake(name, "a duration such as \"50s\"");
  out = *period;
  return {};
}

Status read(Value value, std::string_view name, float& out) {
  const std::string_view text = value.number();
  float number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0) {
    return mistake(name, "a number that is not negative");
  }
  out = number;
  return {};
}

Status read(Value value, std::string_view name, std::size_t& out) {
  const std::optional<std::int64_t> number = value.integer();
  if (!number || *number < 0) return mistake(name, "an integer that is not negative");
  out = static_cast<std::size_t>(*number);
  return {};
}

Status read(Value value, std::string_view name, bool& out) {
  const std::optional<bool> boolean = value.boolean();
  if (!boolean) return mistake(name, "true or false");
  out = *boolean;
  return {};
}

/// The configuration before its members are checked against each other.
struct Draft {
  Options options{};
  bool is_legacy = false;
  Duration pod_eviction_timeout = std::chrono::minutes(5);
};

Status read_member(const Member& member, Draft& draft) {
  const auto [name, value] = member;
  Options& out = draft.options;
  if (name == "nodeMonitorPeriod") return read(value, name, out.monitor_period);
  if (name == "nodeMonitorGracePeriod") return read(value, name, out.grace.monitor);
  if (name == "nodeStartupGracePeriod") return read(value, name, out.grace.startup);
  if (name == "nodeEvictionRate") return read(value, name, out.zones.rate);
  if (name == "secondaryNodeEvictionRate") return read(value, name, out.zones.secondary_rate);
  if (name == "largeClusterSizeThreshold") return read(value, name, out.zones.large_threshold);
  if (name == "unhealthyZoneThreshold") return read(value, name, out.zones.unhealthy_threshold);
  if (name == "legacyEviction") return read(value, name, draft.is_legacy);
  if (name == "podEvictionTimeout") return read(value, name, draft.pod_eviction_timeout);
  return Status(Code::kInvalid,
                "unknown configuration \"" + std::string(name) +
                    "\"; known: nodeMonitorPeriod, nodeMonitorGracePeriod, "
                    "nodeStartupGracePeriod, nodeEvictionRate, secondaryNodeEvictionRate, "
                    "largeClusterSizeThreshold, unhealthyZoneThreshold, legacyEviction, "
                    "podEvictionTimeout");
}

}  // namespace

Result<Options> read_options(Value config) {
  Draft draft;
  for (const Member& each : config.members()) {
    if (Status read = read_member(each, draft); !read.ok()) return read;
  }
  Options& options = draft.options;
  // Upstream's flag has no effect either where nodes are tainted.
  if (draft.is_legacy) options.pod_eviction_timeout = draft.pod_eviction_timeout;
  if (options.monitor_period <= Duration::zero()) {
    return mistake("nodeMonitorPeriod", "longer than zero");
  }
  return options;
}

}  // namespace davit::nodelifecycle
