/// Reads that show an earlier state: questions for an exact list instead, and its answer in the
/// form that was asked for. Pure.
#pragma once

#include <optional>

#include "sandbox/faults/fault_rule.hpp"
#include "sandbox/rest/exchange.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The list at exactly `revision` that has the answer to a get or list. Nothing when the request
/// goes on with an earlier list: that one is exact already.
[[nodiscard]] std::optional<Request> stale_question(const Request& request, const Asked& asked,
                                                    Revision revision);
/// The answer to the get or list from that to stale_question(), which has code 200.
[[nodiscard]] Response stale_answer(Response list, const Asked& asked);

}  // namespace davit::sandbox
