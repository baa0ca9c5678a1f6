/// A server of webhooks that an API server calls, with a certificate that its configurations trust.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/base/silent_log_sink.hpp"
#include "lib/kube/json.hpp"
#include "lib/net/http_server.hpp"

namespace davit::live {

/// Listens on a free loopback port, behind TLS, until it goes.
class HookServer {
 public:
  /// `respond` runs on the server's thread. Ends the test program if it cannot listen.
  explicit HookServer(std::function<HttpServerResponse(const HttpServerRequest&)> respond);

  /// "127.0.0.1:41234"
  [[nodiscard]] std::string endpoint() const;
  /// A client configuration for a path, as webhooks have it: `url` and `caBundle`.
  [[nodiscard]] Json client_config(const std::string& path) const;

  /// `answer` without what differs from run to run: endpoint and caBundle of this server.
  [[nodiscard]] std::string steady(std::string answer) const;

 private:
  std::string authority_;
  SilentLogSink log_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace davit::live
