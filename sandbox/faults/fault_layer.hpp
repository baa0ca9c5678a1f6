/// The layer in front of the server where faults happen.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/net/http_message.hpp"
#include "sandbox/auth/auth.hpp"
#include "sandbox/faults/fault_board.hpp"
#include "sandbox/rest/url_handler.hpp"

namespace davit::sandbox {

/// The dependencies of the layer, which they must outlive.
struct FaultParts {
  UrlHandler& inner;
  Store& store;
  Clock& clock;
  /// Authenticates users for rules that name them; null: no request has a user.
  const Authenticator* authenticator = nullptr;
  /// Decides who may use kFaultsPath; null: everybody.
  const Authorizer* authorizer = nullptr;
};

/// The run-time API:
///
///   GET    /sandbox/faults         all rules, with how often each matched and hit
///   POST   /sandbox/faults         adds a rule or a script, responds with the new rules
///   DELETE /sandbox/faults         removes all rules and releases what they hold
///   GET, DELETE /sandbox/faults/7  the same for one
inline constexpr std::string_view kFaultsPath = "/sandbox/faults";

/// Injects the rules' faults into requests and watches on their way to another handler. A
/// server needs no part of it: a delayed response is deferred, a slow or cut body is a stream, a
/// reset is an aborted response. Thread-safe. Must outlive its responses.
class FaultLayer final : public HttpHandler {
 public:
  FaultLayer(FaultParts parts, std::uint64_t seed) : parts_(parts), board_(parts.clock, seed) {}

  /// Returns the ids of the new rules.
  std::vector<std::uint64_t> add(FaultScript script) {
    return board_.add(std::move(script), parts_.store.revision());
  }
  bool remove(std::uint64_t id) { return board_.remove(id); }
  void clear() { board_.clear(); }

  [[nodiscard]] HttpServerResponse handle(const HttpServerRequest& request) override;

 private:
  [[nodiscard]] RequestFacts request_facts(const HttpServerRequest& request, const Url& url) const;
  /// The inner handler's response, or an earlier state if a fault requires it.
  [[nodiscard]] HttpServerResponse respond(const HttpServerRequest& request, const Url& url,
                                           const RequestFacts& request_facts,
                                           const RequestFaults& faults);
  [[nodiscard]] HttpServerResponse watched(HttpServerResponse response, RequestFacts request_facts,
                                           const RequestFaults& faults);

  [[nodiscard]] HttpServerResponse serve_api(const HttpServerRequest& request,
                                             std::string_view path);
  [[nodiscard]] ApiFailure refuse(const HttpServerRequest& request, std::string_view path) const;
  [[nodiscard]] HttpServerResponse post(const HttpServerRequest& request);
  [[nodiscard]] HttpServerResponse serve_one(const HttpServerRequest& request, std::string_view id);

  const FaultParts parts_;
  FaultBoard board_;
};

}  // namespace davit::sandbox
