/// metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io of simulated metrics, and the
/// rules at run time. Rule: docs/spec/hpa.md, section 26.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sandbox/metrics/metric_board.hpp"
#include "sandbox/metrics/usage_model.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// Borrowed.
struct MetricParts {
  const RestParts& rest;
  MetricBoard& board;
};

/// A request below a version of one of the groups that the board's options serve. `call` needs no
/// resource.
[[nodiscard]] ApiResult<HttpServerResponse> serve_metrics(const MetricParts& parts,
                                                          const Call& call);

/// metrics.k8s.io alone.
[[nodiscard]] ApiResult<HttpServerResponse> serve_usage(const MetricParts& parts, const Call& call);
/// custom.metrics.k8s.io alone.
[[nodiscard]] ApiResult<HttpServerResponse> serve_custom_metrics(const MetricParts& parts,
                                                                 const Call& call);
/// external.metrics.k8s.io alone.
[[nodiscard]] ApiResult<HttpServerResponse> serve_external_metrics(const MetricParts& parts,
                                                                   const Call& call);

/// The rules at run time:
///
///   GET    /sandbox/metrics         all rules
///   POST   /sandbox/metrics         adds a rule or a list of them, responds with the new rules
///   PUT    /sandbox/metrics         the same in the place of all rules
///   DELETE /sandbox/metrics         removes all rules
///   GET, PUT, DELETE /sandbox/metrics/7   the same for one
inline constexpr std::string_view kMetricRulesPath = "/sandbox/metrics";

/// Whether `path` is kMetricRulesPath or below it.
[[nodiscard]] bool is_metric_rules_path(std::string_view path);
[[nodiscard]] ApiResult<HttpServerResponse> serve_metric_rules(MetricBoard& board, Time now,
                                                               const HttpServerRequest& request);

/// The selector of a Service; nothing if it has none, and so no pods.
[[nodiscard]] std::optional<LabelSelector> selector_of_service(const Json& service);
/// The loads in force with the pods that may carry them.
[[nodiscard]] std::vector<PlacedLoad> placed_loads(const MetricParts& parts);

}  // namespace davit::sandbox
