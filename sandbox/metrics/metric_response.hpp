/// Parts of the responses of all groups of metrics. Internal to sandbox/metrics.
#pragma once

#include "lib/kube/label_selector.hpp"
#include "sandbox/rest/rest_parts.hpp"

namespace davit::sandbox {

/// The form that the client asked for: JSON, YAML, a Table or metadata alone.
[[nodiscard]] ApiResult<OutputForm> metric_form(const Call& call, ResponseShape shape,
                                                std::string_view kind);
[[nodiscard]] HttpServerResponse metric_response(const Json& body, const OutputForm& form);
/// A list of values, which has one form only.
[[nodiscard]] HttpServerResponse metric_list_response(std::string_view kind, const Call& call,
                                                      Json items);
/// The label selector in a parameter of the query; 400 if it does not parse.
[[nodiscard]] ApiResult<LabelSelector> metric_selector(const Call& call,
                                                       std::string_view parameter);

}  // namespace davit::sandbox
