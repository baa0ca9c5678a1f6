/// The API server behind the reflectors.
#pragma once

#include "host/api/discovery.hpp"
#include "host/api/rest_client.hpp"
#include "host/cache/reflector.hpp"

namespace davit::host {

/// The list or watch that a reflector asks for.
[[nodiscard]] ApiRequest to_api_request(const Selection& what, const ReflectorRequest& request);

/// Lists and watches through a RestClient, which must outlive it, as must `discovery`, which knows
/// the kinds of custom resources; null: they are not known. Thread-safe.
class RestListWatch final : public ListWatch {
 public:
  explicit RestListWatch(RestClient& client, Discovery* discovery = nullptr)
      : client_(client), discovery_(discovery) {}

  Status stream(const Selection& what, const ReflectorRequest& request, std::stop_token stop,
                const ChunkSink& sink) override;
  [[nodiscard]] std::shared_ptr<const ApiCatalog> catalog(const ResourceId& resource,
                                                          std::stop_token stop) override;
  [[nodiscard]] std::unique_ptr<DrivenStream> open(const Selection& what,
                                                   const ReflectorRequest& request,
                                                   std::stop_token stop, LoopPlace place,
                                                   ChunkSink sink) override;
  [[nodiscard]] bool is_ready(const ResourceId& resource) override;
  [[nodiscard]] Status prepare(const std::stop_token& stop) override;
  [[nodiscard]] std::shared_ptr<const ApiCatalog> known_catalog(
      const ResourceId& resource) override;
  void doubt_catalog() override;

 private:
  /// Whether responses about the resource are judged by the catalog.
  [[nodiscard]] bool needs_catalog(const ResourceId& resource) const;

  RestClient& client_;
  Discovery* const discovery_;
};

}  // namespace davit::host
