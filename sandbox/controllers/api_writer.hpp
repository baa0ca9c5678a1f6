/// The writes of the built-in controllers: requests to the server in the same process.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/clock.hpp"
#include "lib/net/http_message.hpp"
#include "sandbox/kinds/resource.hpp"

namespace davit::sandbox {

/// "/apis/apps/v1/namespaces/a/deployments", or of all namespaces when `ns` is empty.
[[nodiscard]] std::string collection_path(const Resource& resource, std::string_view ns);
[[nodiscard]] std::string object_path(const Resource& resource, std::string_view ns,
                                      std::string_view name);

/// Between two tries of a write that failed: it failed for a reason that time may remove, and a
/// sandbox is watched by people who wait.
inline constexpr Duration kRetryAfter = std::chrono::seconds(1);

/// Sends requests to an HttpHandler as a member of system:masters. `server` and `clock` must
/// outlive it. For one thread.
///
/// It never waits: a write whose response comes later, because a webhook is asked, has failed for
/// now. The server still carries it out, and the same write, tried again, gets that response.
class ApiWriter {
 public:
  /// The result of a write.
  enum class Outcome {
    kDone,
    kGone,    ///< 404: what was to be changed is not there.
    kExists,  ///< 409 of a create.
    kFailed,  ///< Worth another try later.
  };

  ApiWriter(HttpHandler& server, Clock& clock, std::string user)
      : server_(server), clock_(clock), user_(std::move(user)) {}

  Outcome create(const std::string& collection_path, const Json& object);
  Outcome update(const std::string& path, const Json& object);
  Outcome merge(const std::string& path, const Json& patch);
  /// `options`: DeleteOptions. The path may be that of a collection.
  Outcome remove(const std::string& path, const Json& options);

  /// When to try a failed write again: soon if one has no response yet.
  [[nodiscard]] Duration retry_after() const;

 private:
  /// A write without response.
  struct Pending {
    std::string body;
    std::unique_ptr<HttpDeferredResponse> response;
    Duration pause{};  ///< Until it is asked for again.
    Time begun;
  };

  Outcome call(std::string method, const std::string& path, const Json& body);
  [[nodiscard]] HttpServerRequest request(std::string method, const std::string& path,
                                          std::string body) const;
  void forget_old();

  HttpHandler& server_;
  Clock& clock_;
  const std::string user_;
  std::map<std::string, Pending> pending_;  // The keys: method and path.
};

/// Whether the object is now as desired, or gone.
[[nodiscard]] inline bool is_done(ApiWriter::Outcome outcome) {
  return outcome == ApiWriter::Outcome::kDone || outcome == ApiWriter::Outcome::kGone;
}

}  // namespace davit::sandbox
