/// Reads that show an earlier state: questions for an exact list instead, and its response in the
/// form that was asked for. Pure.
#pragma once

#include <optional>

#include "sandbox/faults/fault_rule.hpp"
#include "sandbox/rest/http_message.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The list at exactly `revision` that has the response to a get or list. Nothing when the request
/// goes on with an earlier list: that one is exact already.
[[nodiscard]] std::optional<Request> stale_question(const Request& request, const Asked& asked,
                                                    Revision revision);
/// The response to the get or list from that to stale_question(), which has code 200.
[[nodiscard]] Response stale_response(Response list, const Asked& asked);

}  // namespace davit::sandbox
