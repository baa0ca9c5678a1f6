/// Unary requests of one caller, all at once on its thread. Internal to host/api.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "host/api/rest_parts.hpp"
#include "host/api/retry.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {

/// One request through all its attempts:
///
///   kNew ──▶ kWaiting ──due──▶ kInFlight ──response──▶ kDone
///               ▲                  │ to be repeated
///               └──due── kBackoff ◀┘
///
/// kWaiting: queued in the rate limiter, or holding a token until the connection's back-off ends.
/// While kInFlight, only the thread on which the transport calls on_head(), on_body() and on_end()
/// touches `received_`; in all other phases, only the caller of step(). The request loop hands it
/// over.
class UnaryCall final : public ResponseReader {
 public:
  enum class Phase { kNew, kWaiting, kInFlight, kBackoff, kDone };

  UnaryCall(RestParts& parts, const ApiRequest& request, RequestLoop& loop, std::size_t index);

  /// Checks the request before its first attempt.
  void prepare(Time now);
  /// Takes the step that is due at `now`.
  void step(Time now);
  /// Handles the end of the transport's attempt.
  void finish_attempt(Time now);
  /// Leaves the rate limiter's queue until the next step(): while its thread does something else,
  /// it cannot take the token.
  void leave_line();
  /// Ends the call unless it has been sent.
  void hold_back(Time now);
  /// Ends the call in any phase.
  void stop(Time now);

  [[nodiscard]] Phase phase() const { return phase_; }
  /// Whether step() would ask the limiter for a token.
  [[nodiscard]] bool needs_token(Time now) const {
    if (now >= ends_at_ || turn_.waits()) return false;
    return phase_ == Phase::kNew || (phase_ == Phase::kBackoff && now >= due_) ||
           (phase_ == Phase::kWaiting && since_);
  }
  /// Whether it is queued in the rate limiter.
  [[nodiscard]] bool awaits_token() const { return turn_.waits(); }
  [[nodiscard]] Time ends_at() const { return ends_at_; }
  /// When step() must be called next.
  [[nodiscard]] Time next_step() const;
  [[nodiscard]] ApiResponse take_response() { return std::move(response_); }

  void on_head(int status, const HttpHeaders& headers) override;
  Flow on_body(std::string_view chunk) override;
  void on_end(const TransportEnd& end) override;

 private:
  struct Received {
    int http_status = 0;
    std::string content_type;
    std::optional<std::uint32_t> retry_after_seconds;
    std::string body;
    bool too_large = false;
    TransportEnd end;
  };

  /// Joins the limiter's line, or takes the token that is there.
  void take_token(Time now);
  void send(Time now);
  void conclude(Time now, const Status& status);
  Status judge(const Received& received) const;

  RestParts& parts_;
  ApiRequest request_;
  RequestLoop& loop_;
  const std::size_t index_;
  HttpRequest http_;

  Phase phase_ = Phase::kNew;
  Time due_{};
  TokenBucket::Turn turn_;
  std::optional<Time> since_;  // When it first came for the token that it waits for.
  Time began_{};               // prepare()
  Time attempt_began_{};
  Time ends_at_ = Time::max();  // Set by the first attempt.
  int attempts_ = 0;
  std::string previous_error_;
  std::unique_ptr<Call> call_;
  Received received_;
  ApiResponse response_;
};

/// Runs all to their end.
[[nodiscard]] std::vector<ApiResponse> run_unary(RestParts& parts,
                                                 std::span<const ApiRequest> requests,
                                                 const std::stop_token& stop);

/// RestClient::fan_out().
void run_fan_out(RestParts& parts, RequestSource& source, std::size_t at_once_max,
                 const std::stop_token& stop);

}  // namespace davit::host
