/// The meaning of the API server's HTTP responses. Pure. k8s.io/apimachinery/pkg/api/errors and
/// client-go/rest.
#pragma once

#include <cstdint>
#include <davit/result.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "host/api/api_request.hpp"

namespace davit::host {

struct ResponseHead {
  int http_status = 0;
  std::string_view content_type;
  std::optional<std::uint32_t> retry_after_seconds;
};

/// The header's value when it is a whole number of seconds; dates are not understood, as upstream.
[[nodiscard]] std::optional<std::uint32_t> parse_retry_after(std::string_view value);

/// Success, or the error in a Status body, otherwise in the HTTP status. A Status other than
/// success is an error regardless of the HTTP status.
[[nodiscard]] Status decode_response(const ApiRequest& request, const ResponseHead& head,
                                     std::string_view body);

}  // namespace davit::host
