/// The host's connection to the API server of a test cluster.
#pragma once

#include <memory>
#include <string_view>

#include "lib/net/http_message.hpp"
#include "lib/net/transport.hpp"
#include "testing/mistakes.hpp"

namespace davit::testing {

/// Every response is complete when start() returns. Single-threaded.
class Wire final : public Transport {
 public:
  /// The references must outlive this.
  Wire(HttpHandler& handler, Mistakes& mistakes) : handler_(handler), mistakes_(mistakes) {}

  [[nodiscard]] std::unique_ptr<davit::Call> start(HttpRequest request,
                                                   ResponseReader& reader) override;
  [[nodiscard]] std::string_view server() const override { return "the test cluster"; }

 private:
  std::unique_ptr<davit::Call> exchange(HttpRequest request, ResponseReader& reader);

  HttpHandler& handler_;
  Mistakes& mistakes_;
};

}  // namespace davit::testing
