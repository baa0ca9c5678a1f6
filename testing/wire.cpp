#include "testing/wire.hpp"

#include <utility>

#include "sandbox/client/in_process_transport.hpp"
#include "testing/cluster_server.hpp"

namespace davit::testing {
namespace {

class Ended final : public davit::Call {
 public:
  void resume() override {}
};

}  // namespace

std::unique_ptr<davit::Call> Wire::start(HttpRequest request, ResponseReader& reader) {
  return mistakes_.remembered([&] { return exchange(std::move(request), reader); });
}

std::unique_ptr<davit::Call> Wire::exchange(HttpRequest request, ResponseReader& reader) {
  if (request.gate) {
    if (const Status open = request.gate(); !open.ok()) {
      reader.on_end({Break::kGate, open.message()});
      return std::make_unique<Ended>();
    }
  }
  const HttpServerRequest received = sandbox::to_server_request(std::move(request));
  const HttpServerResponse response = handler_.handle(received);
  if (response.stream != nullptr || response.deferred != nullptr) {
    fail("a controller waits for the response to " + received.method + " " + received.target);
  }
  if (response.aborted) {
    reader.on_end({Break::kReset, "the connection broke"});
    return std::make_unique<Ended>();
  }
  sandbox::deliver_head(response, reader);
  if (!response.body.empty() && reader.on_body(response.body) == ResponseReader::Flow::kPause) {
    fail("a controller stopped reading a response");
  }
  reader.on_end({});
  return std::make_unique<Ended>();
}

}  // namespace davit::testing
