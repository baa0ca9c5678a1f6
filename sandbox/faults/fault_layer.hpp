/// The layer in front of the server where faults happen.
#pragma once

#include <cstdint>
#include <vector>

#include "sandbox/auth/auth.hpp"
#include "sandbox/faults/fault_board.hpp"
#include "sandbox/rest/http_message.hpp"
#include "sandbox/rest/url.hpp"

namespace davit::sandbox {

/// All borrowed, and must outlive the layer.
struct FaultParts {
  Handler& inner;
  Store& store;
  host::Clock& clock;
  /// Tells rules about users who asks; null: no request is a user's.
  const Authenticator* authenticator = nullptr;
  /// Decides who may use kFaultsPath; null: everybody.
  const Authorizer* authorizer = nullptr;
};

/// The run-time API:
///
///   GET    /sandbox/faults         all rules, with how often each matched and hit
///   POST   /sandbox/faults         adds a rule or a script, answers with the new rules
///   DELETE /sandbox/faults         forgets all rules and lets go what they hold
///   GET, DELETE /sandbox/faults/7  the same for one
inline constexpr std::string_view kFaultsPath = "/sandbox/faults";

/// Injects the rules' faults into requests and watches on their way to another Handler. Delays,
/// slow and cut bodies and resets are only noted in Response::fault; the front carries them out.
/// Thread-safe. Must outlive the streams of its responses.
class FaultLayer final : public Handler {
 public:
  FaultLayer(FaultParts parts, std::uint64_t seed) : parts_(parts), board_(parts.clock, seed) {}

  /// Returns the ids of the new rules.
  std::vector<std::uint64_t> add(FaultScript script) {
    return board_.add(std::move(script), parts_.store.revision());
  }
  bool remove(std::uint64_t id) { return board_.remove(id); }
  void clear() { board_.clear(); }

  [[nodiscard]] Response handle(const Request& request) override;

 private:
  [[nodiscard]] Asked asked(const Request& request, const Url& url) const;
  /// The inner handler's response, or an earlier state if a fault says so.
  [[nodiscard]] Response respond(const Request& request, const Asked& asked,
                                 const RequestFaults& faults);
  [[nodiscard]] Response watched(Response response, Asked asked, const RequestFaults& faults);

  [[nodiscard]] Response serve_api(const Request& request, std::string_view path);
  [[nodiscard]] ApiFailure refuse(const Request& request, std::string_view path) const;
  [[nodiscard]] Response post(const Request& request);
  [[nodiscard]] Response serve_one(const Request& request, std::string_view id);

  const FaultParts parts_;
  FaultBoard board_;
};

}  // namespace davit::sandbox
