/// The server of an aggregated API that keeps Hammers in memory, as a sample-apiserver would.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/mutex.hpp"
#include "lib/base/silent_log_sink.hpp"
#include "lib/kube/json.hpp"
#include "lib/net/certificates.hpp"
#include "lib/net/http_server.hpp"

namespace davit::live {

/// Serves tools.example.com/v1 on a free loopback port, behind TLS, with discovery and OpenAPI.
/// Hammers can be created, read, listed, watched, patched by merge patches and deleted.
/// Thread-safe.
class ToolServer {
 public:
  /// Ends the test program when it cannot listen.
  ToolServer();
  ~ToolServer();

  /// The manifest of the Service and of the APIService that names it.
  [[nodiscard]] std::string manifest() const;
  [[nodiscard]] int port() const { return server_->port(); }
  /// "name=value" for each header of the last request below the group's path that is no probe.
  [[nodiscard]] std::vector<std::string> last_headers() const;

 private:
  class Watch;
  /// Shared with watches, which may outlive the server.
  struct Hammers {
    mutable Mutex mutex;
    std::map<std::string, Json> by_name GUARDED_BY(mutex);
    std::vector<std::string> events GUARDED_BY(mutex);  ///< Lines of a watch, from the beginning.
    std::vector<std::string> headers GUARDED_BY(mutex);
    int revision GUARDED_BY(mutex) = 0;
  };

  [[nodiscard]] HttpServerResponse respond(const HttpServerRequest& request);
  [[nodiscard]] HttpServerResponse list(const HttpServerRequest& request) const;
  [[nodiscard]] HttpServerResponse create(const HttpServerRequest& request);
  [[nodiscard]] HttpServerResponse change(const HttpServerRequest& request,
                                          const std::string& name);

  const std::shared_ptr<Hammers> hammers_ = std::make_shared<Hammers>();
  SilentLogSink log_;
  std::string authority_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace davit::live
