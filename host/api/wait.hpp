/// Start-up: is the server there, and if not, what can the user do about it?
#pragma once

#include <davit/result.hpp>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/api/rest_client.hpp"
#include "lib/base/clock.hpp"

namespace davit::host {

/// Requests /healthz now and every second until it returns 200, for at most ten seconds. A failure
/// that waiting does not mend (wrong CA, 401, no Kubernetes server) ends the wait early. The error
/// is already the line for the user, made by explain_first_contact().
[[nodiscard]] Status wait_for_api_server(RestClient& client, Clock& clock, std::stop_token stop);

/// Turns the failed response to a first request to `server` into one line that names the server and
/// the remedy.
[[nodiscard]] std::string explain_first_contact(const ApiResponse& response,
                                                std::string_view server);
/// The same where only a Status is at hand.
[[nodiscard]] std::string explain_first_contact(const Status& error, std::string_view server);

}  // namespace davit::host
