/// Protects a server that asks for no credentials from pages in a browser of the same machine.
#pragma once

#include <string>
#include <string_view>

#include "lib/net/http_message.hpp"

namespace davit::sandbox {

/// Refuses, in front of `server`, what a foreign page can make a browser send without asking first:
/// - requests whose Host is another machine's: its name may have been rebound to the loopback;
/// - bodies of POST, PUT and PATCH that are not declared as JSON, YAML or protobuf: forms and texts
///   need no permission of the server, these types do.
/// Thread-safe, as `server` is.
class BrowserGuard final : public HttpHandler {
 public:
  /// `server` must outlive it. `address` is the one that the server listens on.
  BrowserGuard(HttpHandler& server, std::string address);

  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override;

 private:
  [[nodiscard]] bool is_own(std::string_view host) const;

  HttpHandler& server_;
  const std::string address_;
};

}  // namespace davit::sandbox
