/// A way to an API server on loopback that answers some requests with a body of something else.
#pragma once

#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "lib/base/unique_fd.hpp"

namespace davit::live {

/// Takes HTTP without TLS, for which clients have no credentials, on a free loopback port. Passes
/// requests and responses, watches included, on to a server with TLS, with a bearer token.
/// Thread-safe; each connection has a thread.
class CorruptingProxy {
 public:
  /// To 127.0.0.1:`server_port`. Ends the test program when there is no port.
  CorruptingProxy(int server_port, std::string token);
  ~CorruptingProxy();
  CorruptingProxy(const CorruptingProxy&) = delete;
  CorruptingProxy& operator=(const CorruptingProxy&) = delete;

  /// "http://127.0.0.1:40123"
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  /// Answers each GET of `path`, with any query, with 200 and this JSON from now on. The server
  /// does not see these requests.
  void corrupt(const std::string& path, const std::string& body);
  /// Passes all requests on again.
  void relent();
  /// The number of GETs of `path` that have got a wrong body so far.
  [[nodiscard]] int corrupted(const std::string& path) const;

 private:
  struct Connection {
    UniqueFd client;
    UniqueFd server;  // Carries the request that is passed on, if one is.
    std::atomic<bool> is_done{false};
    std::jthread thread;  // Last: it uses the others.
  };

  void take_connections();
  void serve(Connection& at);
  /// The response for a request that is to be corrupted; "": none.
  [[nodiscard]] std::string wrong_response(const std::string& request);
  void pass_on(Connection& at, const std::string& request);

  const int server_port_;
  const std::string token_;
  UniqueFd listener_;
  int port_ = 0;
  mutable std::mutex mutex_;
  bool has_ended_ = false;                     // Guarded by mutex_, as all below.
  std::map<std::string, std::string> bodies_;  // Their keys are paths.
  std::map<std::string, int> corrupted_;
  std::list<Connection> connections_;
  std::jthread thread_;  // Last: it uses the others.
};

}  // namespace davit::live
