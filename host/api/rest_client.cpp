#include "host/api/rest_client.hpp"

#include <utility>

#include "host/api/rest_parts.hpp"
#include "host/api/stream_run.hpp"
#include "host/api/unary_batch.hpp"
#include "lib/base/version.hpp"

namespace davit::host {

std::string default_user_agent() {
  return "davit/" DAVIT_VERSION " (linux/" DAVIT_ARCHITECTURE ") kubernetes/" DAVIT_COMMIT;
}

std::string user_agent(std::string_view client_name) {
  return default_user_agent() + "/" + std::string(client_name);
}

RestClient::RestClient(Transport& transport, Clock& clock, RestMetrics& metrics, Logger log,
                       RestOptions options)
    : parts_(std::make_unique<RestParts>(transport, clock, metrics, std::move(log),
                                         std::move(options))) {
  metrics.transport_used(RestMetrics::TransportUse::kShared);
}

RestClient::~RestClient() = default;

std::string_view RestClient::server() const { return parts_->transport.server(); }

Clock& RestClient::clock() const { return parts_->clock; }

std::size_t RestClient::waiting_for_rate() const { return parts_->limiter.waiting(); }

void RestClient::hold() { parts_->hold.hold(); }
void RestClient::release() { parts_->hold.release(); }

ApiResponse RestClient::call(const ApiRequest& request, std::stop_token stop) {
  return std::move(run_unary(*parts_, {&request, 1}, stop).front());
}

std::vector<ApiResponse> RestClient::batch(std::span<const ApiRequest> requests,
                                           std::stop_token stop) {
  return run_unary(*parts_, requests, stop);
}

void RestClient::fan_out(RequestSource& source, std::size_t at_once_max, std::stop_token stop) {
  run_fan_out(*parts_, source, at_once_max, stop);
}

Status RestClient::stream(const ApiRequest& request, std::stop_token stop, const ChunkSink& sink) {
  RequestLoop loop;
  StreamRun run(*parts_, request, std::move(stop), {loop, 0}, sink);
  std::optional<Status> result = run.proceed();
  for (; !result; result = run.proceed()) {
    if (run.must_prepare()) {
      run.prepared({});  // This thread may wait inside Transport::start().
    } else {
      static_cast<void>(loop.wait(parts_->clock, run.due(), 1));
    }
  }
  return *std::move(result);
}

std::unique_ptr<DrivenStream> RestClient::open(const ApiRequest& request, std::stop_token stop,
                                               LoopPlace place, ChunkSink sink) {
  return std::make_unique<StreamRun>(*parts_, request, std::move(stop), place, std::move(sink));
}

bool RestClient::is_ready() const { return parts_->transport.is_ready(); }

Status RestClient::prepare() { return parts_->transport.prepare(); }

}  // namespace davit::host
