/// From Kubernetes' terms to HTTP's: paths, queries, headers and bodies of requests. Pure.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "host/api/api_request.hpp"
#include "host/api/transport.hpp"

namespace davit::host {

/// Percent-escapes all but what a path segment may hold (RFC 3986).
[[nodiscard]] std::string escape_path_segment(std::string_view text);

/// Percent-escapes a query key or value; a space becomes "+".
[[nodiscard]] std::string escape_query(std::string_view text);

/// "7m12s", "1.5s": as Go prints and reads durations. Rounded to milliseconds.
[[nodiscard]] std::string go_duration(Duration time);

[[nodiscard]] bool is_write(Verb verb);
/// "POST" for kCreate.
[[nodiscard]] std::string_view http_method(Verb verb);

/// Everything but credentials, lane and time limit. kMisuse for what no server could answer: a name
/// with a slash, an update without a name.
[[nodiscard]] Result<HttpRequest> build_request(const ApiRequest& request,
                                                std::string_view user_agent);

/// "get pods web", "create replicasets.apps": for the end of error messages.
[[nodiscard]] std::string describe(const ApiRequest& request);

}  // namespace davit::host
