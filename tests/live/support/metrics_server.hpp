/// A stand-in for the servers of metrics.k8s.io, custom.metrics.k8s.io and external.metrics.k8s.io
/// behind a real API server.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "lib/base/mutex.hpp"
#include "lib/base/silent_log_sink.hpp"
#include "lib/net/http_server.hpp"

namespace davit::host {
class RestClient;
}

namespace davit::live {

/// Answers GETs of paths by rules, and discovery. Listens on a free loopback port, with a
/// certificate that no client is to check. Thread-safe.
class MetricsServer {
 public:
  /// Ends the test program when it cannot listen.
  MetricsServer();
  ~MetricsServer();

  /// Takes a rule of type `raw` of docs/spec/hpa.md, section 26.4: path, code and body. The newest
  /// one of a path counts. A path with a query, as "…?labelSelector=app=web", is for that query.
  void set(const std::string& path, int code, const std::string& body);

  /// A request, as the API server passed it on.
  struct Asked {
    std::string target;  ///< Path and query as sent.
    std::string user_agent;
  };
  /// The newest request for this path; empty without one.
  [[nodiscard]] Asked last_asked(const std::string& path) const;

  /// Registers the three groups with an API server, and waits until it passes requests on. Ends the
  /// test program when it does not.
  void serve_for(host::RestClient& client) const;

 private:
  struct Answer {
    int code = 200;
    std::string body;
  };

  [[nodiscard]] HttpServerResponse answer(const HttpServerRequest& request);

  SilentLogSink log_;
  mutable Mutex mutex_;
  std::map<std::string, Answer> answers_ GUARDED_BY(mutex_);
  std::map<std::string, Asked> asked_ GUARDED_BY(mutex_);
  std::unique_ptr<HttpServer> server_;
};

}  // namespace davit::live
