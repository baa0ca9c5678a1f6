/// Serves discovery and OpenAPI.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "lib/net/http_message.hpp"
#include "sandbox/aggregation/merged_discovery.hpp"
#include "sandbox/kinds/api_error.hpp"
#include "sandbox/metrics/metric_discovery.hpp"
#include "sandbox/rest/resources.hpp"
#include "sandbox/rest/url.hpp"

namespace davit::sandbox {

/// The groups that the server does not serve as resources.
struct FurtherGroups {
  MetricDiscovery metrics;  ///< After all others.
  RemoteApis remote;
};

/// OpenAPI documents are large and asked for rarely: made at the first request, and again when
/// other resources are served. Thread-safe.
class Documents {
 public:
  /// `server_address` is "host:port".
  explicit Documents(std::string server_address);

  /// Whether `url` is below /api, /apis or /openapi.
  [[nodiscard]] static bool has(const Url& url);
  [[nodiscard]] ApiResult<HttpServerResponse> respond(const HttpServerRequest& request,
                                                      const Url& url,
                                                      std::shared_ptr<const ResourceSet> resources,
                                                      const FurtherGroups& further)
      EXCLUDES(mutex_);

 private:
  struct OpenApi {
    std::shared_ptr<const ResourceSet> of;
    std::map<std::string, std::string> texts;  ///< "apis/apps/v1" to the document.
    std::string index;
  };
  /// The document of version 2, with those of other servers.
  struct OpenApiV2 {
    std::shared_ptr<const ResourceSet> of;
    std::vector<std::shared_ptr<const Json>> others;
    std::string json;
    std::string protobuf;
  };
  [[nodiscard]] std::shared_ptr<const OpenApiV2> openapi_v2(
      const std::shared_ptr<const ResourceSet>& resources, const RemoteApis& remote)
      EXCLUDES(mutex_);
  [[nodiscard]] HttpServerResponse openapi_v2(const HttpServerRequest& request,
                                              const std::shared_ptr<const ResourceSet>& resources,
                                              const RemoteApis& remote) EXCLUDES(mutex_);
  [[nodiscard]] std::shared_ptr<const OpenApi> openapi(
      const std::shared_ptr<const ResourceSet>& resources) EXCLUDES(mutex_);
  [[nodiscard]] ApiResult<HttpServerResponse> openapi(
      const HttpServerRequest& request, const Url& url,
      const std::shared_ptr<const ResourceSet>& resources, const RemoteApis& remote)
      EXCLUDES(mutex_);

  const std::string server_address_;
  Mutex mutex_;
  std::shared_ptr<const OpenApi> openapi_ GUARDED_BY(mutex_);
  std::shared_ptr<const OpenApiV2> openapi_v2_ GUARDED_BY(mutex_);
};

}  // namespace davit::sandbox
