/// The API server behind the reflectors.
#pragma once

#include "host/api/rest_client.hpp"
#include "host/cache/reflector.hpp"

namespace davit::host {

/// The list or watch that a reflector asks for.
[[nodiscard]] ApiRequest to_api_request(const Selection& what, const ReflectorRequest& request);

/// Lists and watches through a RestClient, which must outlive it. Thread-safe.
class RestListWatch final : public ListWatch {
 public:
  explicit RestListWatch(RestClient& client) : client_(client) {}

  Status stream(const Selection& what, const ReflectorRequest& request, std::stop_token stop,
                const ChunkSink& sink) override;

 private:
  RestClient& client_;
};

}  // namespace davit::host
