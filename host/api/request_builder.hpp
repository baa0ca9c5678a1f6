/// Translates Kubernetes' terms to HTTP: paths, queries, headers and bodies of requests. Pure.
#pragma once

#include <davit/result.hpp>
#include <string>
#include <string_view>

#include "host/api/api_request.hpp"
#include "lib/net/transport.hpp"

namespace davit::host {

/// Percent-escapes all but what a path segment may hold (RFC 3986).
[[nodiscard]] std::string escape_path_segment(std::string_view text);

/// "7m12s", "1.5s": as Go prints and reads durations. Rounded to milliseconds.
[[nodiscard]] std::string go_duration(Duration time);

[[nodiscard]] bool is_write(Verb verb);

/// Whether the body of the request consists of delete options.
[[nodiscard]] bool is_delete(Verb verb);
/// "deletecollection" for kDeleteCollection: as rules have it.
[[nodiscard]] std::string_view verb_name(Verb verb);
/// "POST" for kCreate.
[[nodiscard]] std::string_view http_method(Verb verb);

/// kMisuse for a request that no server could serve (a name with a slash, an update without a
/// name), for a path that a server would take for another resource, and for a query that sets
/// `dryRun`, `timeout` or `watch`, which follow from the request itself.
[[nodiscard]] Status check_request(const ApiRequest& request);

/// Everything but credentials, purpose and time limit. kMisuse as check_request(), and for a path
/// and query above 1 MiB.
[[nodiscard]] Result<HttpRequest> build_request(const ApiRequest& request,
                                                std::string_view user_agent);

/// The value of a parameter of a form-encoded query; empty when it is missing, malformed or given
/// more than once.
[[nodiscard]] std::string query_parameter(std::string_view form, std::string_view name);

/// Whether a form-encoded query has a parameter of this name.
[[nodiscard]] bool has_query_parameter(std::string_view form, std::string_view name);

/// Whether bodies of the resource may not be shown: Secrets and tokens.
[[nodiscard]] bool is_confidential(const ResourcePath& path);

/// "get pods web", "create replicasets.apps": for the end of error messages.
[[nodiscard]] std::string describe(const ApiRequest& request);

}  // namespace davit::host
