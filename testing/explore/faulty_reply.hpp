/// Responses that are not what was asked for.
#pragma once

#include "lib/net/http_message.hpp"
#include "sandbox/rest/url.hpp"
#include "testing/explore/plan.hpp"

namespace davit::explore {

/// The 409 to a write of the object that `url` names.
[[nodiscard]] HttpServerResponse conflict_reply(const sandbox::Url& url);

/// The response that arrives in place of `response` by a choice at a request.
[[nodiscard]] HttpServerResponse faulty_reply(Choice choice, const sandbox::Url& url,
                                              HttpServerResponse response);

/// The response that arrives in place of a discovery document.
[[nodiscard]] HttpServerResponse faulty_document(Choice choice, HttpServerResponse response);

}  // namespace davit::explore
