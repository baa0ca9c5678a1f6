/// Reads that show an earlier state: questions for an exact list instead, and its response in the
/// form that was asked for. Pure.
#pragma once

#include <optional>

#include "lib/net/http_message.hpp"
#include "sandbox/faults/fault_rule.hpp"
#include "sandbox/store/store.hpp"

namespace davit::sandbox {

/// The list at exactly `revision` that has the response to a get or list. Nothing when the request
/// continues an earlier list: that one is exact already.
[[nodiscard]] std::optional<HttpServerRequest> stale_question(const HttpServerRequest& request,
                                                              const RequestFacts& request_facts,
                                                              Revision revision);
/// The response to the get or list from that to stale_question(), which has code 200.
[[nodiscard]] HttpServerResponse stale_response(HttpServerResponse list,
                                                const RequestFacts& request_facts);

}  // namespace davit::sandbox
