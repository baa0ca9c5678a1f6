/// The writes of the built-in controllers: requests to the server in the same process.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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
/// now. The server still carries it out, and the same write, tried again, gets that response. The
/// same: with the same body and `intent`, such as the uid of the object that it is for; a later
/// write for another object may have the same body.
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

  Outcome create(const std::string& collection_path, const Json& object,
                 const std::string& intent = "");
  Outcome update(const std::string& path, const Json& object, const std::string& intent = "");
  Outcome merge(const std::string& path, const Json& patch, const std::string& intent = "");
  /// `options`: DeleteOptions. The path may be that of a collection.
  Outcome remove(const std::string& path, const Json& options, const std::string& intent = "");

  /// Begins a round of writes, one act() of a controller: takes the responses that have come, so
  /// that they hold nothing in the server. Each is for the writes of this round; one that is not
  /// taken has become pointless.
  void begin_round(Time now);
  /// When to try a write of this round that failed again: soon if one has no response yet.
  [[nodiscard]] Duration retry_after() const;
  /// When to begin a round even without anything to write; Time::max(): never.
  [[nodiscard]] Time next_round() const;

 private:
  /// A write whose response has not been used.
  struct Pending {
    std::string body;
    std::string intent;
    std::unique_ptr<HttpDeferredResponse> response;  ///< Null once there is a status.
    Duration pause{};                                ///< Until it is asked for again.
    Time begun;
    Time asked;
    std::uint64_t round = 0;    ///< The last one that wanted it.
    std::optional<int> status;  ///< Taken by the current round.
  };

  Outcome call(std::string method, const std::string& path, const Json& body,
               const std::string& intent);
  /// Asks for the response.
  static void ask(Pending& pending, Time now);
  [[nodiscard]] HttpServerRequest request(std::string method, const std::string& path,
                                          std::string body) const;

  HttpHandler& server_;
  Clock& clock_;
  const std::string user_;
  std::uint64_t round_ = 0;
  std::map<std::string, Pending> pending_;  // The keys: method and path.
};

/// Whether the object is now as desired, or gone.
[[nodiscard]] inline bool is_done(ApiWriter::Outcome outcome) {
  return outcome == ApiWriter::Outcome::kDone || outcome == ApiWriter::Outcome::kGone;
}

}  // namespace davit::sandbox
