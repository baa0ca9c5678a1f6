/// The rules of simulated metrics. docs/sandbox-metrics.md is the manual.
#pragma once

#include <cstddef>
#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/clock.hpp"
#include "lib/kube/json.hpp"
#include "lib/kube/label_selector.hpp"
#include "sandbox/metrics/load_shape.hpp"

namespace davit::sandbox {

enum class MetricRuleType : std::uint8_t {
  kResource,  ///< CPU and memory of pods, or of a node.
  kCustom,    ///< A metric of objects.
  kExternal,  ///< One item of a metric of nothing in the cluster.
  kRaw,       ///< The response to one path.
};

/// The meaning of a `resource` rule's amounts.
enum class UsageShare : std::uint8_t {
  kEach,   ///< Each container uses this.
  kTotal,  ///< All matching pods together use this.
};

/// One rule. Members of other types are empty. Rule: docs/spec/hpa.md, section 26.4.
struct MetricRule {
  MetricRuleType type = MetricRuleType::kResource;
  std::string ns;                         ///< "*": all.
  std::optional<LabelSelector> selector;  ///< Absent: all.
  std::string name;                       ///< The object's; empty: `selector` chooses.
  std::string metric;
  LabelSelector::Labels labels;    ///< The metric's, sorted.
  std::optional<LoadShape> value;  ///< kCustom, kExternal.
  Duration age{0};                 ///< So old the samples are.
  std::optional<Duration> window;

  std::string node;                 ///< kResource: of this Node instead of pods.
  std::string container;            ///< kResource; empty: all.
  std::optional<LoadShape> cpu;     ///< kResource.
  std::optional<LoadShape> memory;  ///< kResource.
  UsageShare share = UsageShare::kEach;
  bool absent = false;  ///< kResource: there are no samples.

  std::string group;     ///< kCustom: of the object's resource.
  std::string resource;  ///< kCustom: the plural.

  std::string path;  ///< kRaw.
  int code = 200;    ///< kRaw.
  std::string body;  ///< kRaw.

  Json source;  ///< The rule as written.

  [[nodiscard]] bool is_in(std::string_view wanted) const { return ns == "*" || ns == wanted; }
  [[nodiscard]] bool selects(const LabelSelector::Labels& object) const {
    return !selector || selector->matches(object);
  }
};

/// The groups of metrics.
inline constexpr std::string_view kResourceMetrics = "metrics.k8s.io";
inline constexpr std::string_view kCustomMetrics = "custom.metrics.k8s.io";
inline constexpr std::string_view kExternalMetrics = "external.metrics.k8s.io";

/// One rule or a list of them. kInvalid names the place: "[2].cpu: must be …".
[[nodiscard]] Result<std::vector<MetricRule>> parse_metric_rules(const Json& json);

}  // namespace davit::sandbox
