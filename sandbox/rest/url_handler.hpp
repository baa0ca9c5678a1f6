/// Handlers of requests whose URL a layer in front of them has parsed already.
#pragma once

#include "lib/net/http_message.hpp"
#include "sandbox/rest/url.hpp"

namespace davit::sandbox {

/// An HttpHandler that also takes the parsed URL, so that several layers parse it once.
class UrlHandler : public HttpHandler {
 public:
  using HttpHandler::handle;
  /// `url` is that of the request's target; both live for the call.
  [[nodiscard]] virtual HttpServerResponse handle(const HttpServerRequest& request,
                                                  const Url& url) = 0;
};

}  // namespace davit::sandbox
