/// The host's connection to the API server of a test cluster.
#pragma once

#include <memory>
#include <string_view>

#include "lib/net/http_message.hpp"
#include "lib/net/transport.hpp"

namespace davit::testing {

/// Every response is complete when start() returns. Single-threaded.
class Wire final : public Transport {
 public:
  /// `handler` must outlive this.
  explicit Wire(HttpHandler& handler) : handler_(handler) {}

  [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest request,
                                                   ResponseReader& reader) override;
  [[nodiscard]] std::string_view server() const override { return "the test cluster"; }

 private:
  HttpHandler& handler_;
};

}  // namespace davit::testing
