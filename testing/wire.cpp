#include "testing/wire.hpp"

#include <utility>

#include "lib/base/lower_case.hpp"
#include "testing/cluster_server.hpp"

namespace davit::testing {
namespace {

class Ended final : public davit::Call {
 public:
  void resume() override {}
};

}  // namespace

std::unique_ptr<davit::Call> Wire::start(HttpRequest request, ResponseReader& reader) {
  if (request.gate) {
    if (const Status open = request.gate(); !open.ok()) {
      reader.on_end({Break::kGate, open.message()});
      return std::make_unique<Ended>();
    }
  }
  HttpServerRequest received;
  received.method = std::move(request.method);
  received.target = std::move(request.target);
  received.headers = std::move(request.headers);
  received.body = std::move(request.body);
  const HttpServerResponse response = handler_.handle(received);
  if (response.stream != nullptr || response.deferred != nullptr) {
    fail("a controller waits for the response to " + received.method + " " + received.target);
  }
  if (response.aborted) {
    reader.on_end({Break::kReset, "the connection broke"});
    return std::make_unique<Ended>();
  }
  HttpHeaders headers{{"content-type", response.content_type}};
  for (const auto& [name, value] : response.headers) headers.emplace_back(lower_case(name), value);
  reader.on_head(response.status, headers);
  if (!response.body.empty() && reader.on_body(response.body) == ResponseReader::Flow::kPause) {
    fail("a controller stopped reading a response");
  }
  reader.on_end({});
  return std::make_unique<Ended>();
}

}  // namespace davit::testing
