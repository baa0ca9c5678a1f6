/// Requests to servers outside the cluster, all of one caller at once on its thread. Internal to
/// host/outbound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "host/outbound/outbound_parts.hpp"
#include "lib/net/request_loop.hpp"

namespace davit::host {

/// One request through its attempts and redirects:
///
///   kWaiting ──due──▶ kInFlight ──response──▶ kDone
///       ▲                 │ to be repeated, or redirected
///       └─────────────────┘
///
/// While kInFlight the reader's part belongs to whichever thread the transport calls it on, to the
/// caller otherwise; the loop hands it over.
class OutboundCall final : public ResponseReader {
 public:
  OutboundCall(OutboundParts& parts, OutboundRequest request, RequestLoop& loop, std::size_t index);

  /// Does what is due at `now`.
  void step(Time now);
  /// The transport is done with the attempt.
  void finish_attempt(Time now);
  /// Ends the call unless it has been sent.
  void hold_back();
  /// Ends the call in any phase.
  void stop();

  [[nodiscard]] bool done() const { return phase_ == Phase::kDone; }
  /// When step() has something to do next.
  [[nodiscard]] Time next_step() const {
    return phase_ == Phase::kInFlight ? ends_at_ : std::min(due_, ends_at_);
  }
  [[nodiscard]] OutboundResponse take_response() { return std::move(response_); }

  void on_head(int status, const HttpHeaders& headers) override;
  Flow on_body(std::string_view chunk) override;
  void on_end(const TransportEnd& end) override;

 private:
  enum class Phase { kWaiting, kInFlight, kDone };
  enum class Sent { kNo, kYes };
  struct Received {
    int http_status = 0;
    HttpHeaders headers;
    std::string body;
    bool too_large = false;
    TransportEnd end;
  };

  [[nodiscard]] bool changes() const {
    return request_.effect == OutboundRequest::Effect::kChanges;
  }
  /// The method and the URL without its query.
  [[nodiscard]] std::string shown() const;
  void send(Time now);
  void drop_attempt();
  void note_attempt(Time now, int http_status);
  /// Whether the attempt ended before a byte of it was sent.
  [[nodiscard]] bool was_unsent() const;
  [[nodiscard]] std::optional<Duration> retry_after() const;
  [[nodiscard]] std::optional<Duration> repeat_after(Time now) const;
  /// Whether the response is a redirect that is followed; may end the call.
  bool redirect(Time now);
  [[nodiscard]] Status judge() const;
  /// Ends it before a response: kUnavailable if it may have changed something, else kCancelled.
  void conclude_early(const char* why, Sent sent);
  void conclude(Status status);

  OutboundParts& parts_;
  OutboundRequest request_;
  RequestLoop& loop_;
  const std::size_t index_;

  Phase phase_ = Phase::kWaiting;
  Time due_;  // When the next attempt begins.
  const Time ends_at_;
  Time attempt_began_{};
  int retries_ = 0;
  bool unclear_ = false;  // An earlier attempt may have changed what the request is to change.
  std::uint32_t redirects_ = 0;
  std::optional<OutboundTransports::Borrowed> transport_;
  std::unique_ptr<Call> call_;
  Received received_;
  OutboundResponse response_;
};

/// Runs all to their end.
[[nodiscard]] std::vector<OutboundResponse> run_outbound(OutboundParts& parts,
                                                         std::vector<OutboundRequest> requests,
                                                         const std::stop_token& stop);

}  // namespace davit::host
