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

namespace davit::host {

/// Where the lane's thread leaves word of finished requests, and the caller waits for it.
/// Thread-safe.
class Mailbox {
 public:
  void post(std::size_t index) EXCLUDES(mutex_);
  void stop() EXCLUDES(mutex_);
  [[nodiscard]] bool stopped() EXCLUDES(mutex_);
  /// Nothing more may go on the wire. Ends one wait().
  void hold() EXCLUDES(mutex_);
  [[nodiscard]] bool held() EXCLUDES(mutex_);

  /// Waits for `enough` posts, stop(), hold() or `until`; returns what was posted since the last
  /// time.
  [[nodiscard]] std::vector<std::size_t> wait(Clock& clock, Time until, std::size_t enough)
      EXCLUDES(mutex_);

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::size_t> posted_ GUARDED_BY(mutex_);
  std::size_t enough_ GUARDED_BY(mutex_) = 1;  // What the caller waits for.
  bool stopped_ GUARDED_BY(mutex_) = false;
  bool held_ GUARDED_BY(mutex_) = false;
  bool hold_told_ GUARDED_BY(mutex_) = false;  // A wait() has ended because of it.
};

/// One request through all its attempts:
///
///   kWaiting ──due──▶ kInFlight ──answer──▶ kDone
///      ▲                  │ to be repeated
///      └──due── kBackoff ◀┘
///
/// kWaiting holds a token of the limiter that is due; kBackoff does not. The reader's part belongs
/// to the lane's thread while kInFlight, to the caller otherwise; the mailbox hands it over.
class Exchange final : public ResponseReader {
 public:
  enum class Phase { kWaiting, kInFlight, kBackoff, kDone };

  Exchange(RestParts& parts, const ApiRequest& request, Mailbox& mailbox, std::size_t index);

  /// Checks the request and takes its place in the limiter's line.
  void prepare(Time now);
  /// Does what is due at `now`.
  void step(Time now);
  /// The transport is done with the attempt.
  void take_answer(Time now);
  /// Ends it unless it is on the wire.
  void hold_back(Time now);
  /// Ends it, whatever the phase.
  void stop(Time now);

  [[nodiscard]] bool done() const { return phase_ == Phase::kDone; }
  [[nodiscard]] bool in_flight() const { return phase_ == Phase::kInFlight; }
  /// When step() has something to do next.
  [[nodiscard]] Time next_step() const;
  [[nodiscard]] ApiResponse take_response() { return std::move(response_); }

  void on_head(int status, const HttpHeaders& headers) override;
  Flow on_body(std::string_view chunk) override;
  void on_end(const TransportEnd& end) override;

 private:
  struct Answer {
    int http_status = 0;
    std::string content_type;
    std::optional<std::uint32_t> retry_after_seconds;
    std::string body;
    bool too_large = false;
    TransportEnd end;
  };

  void take_place(Time now);
  void send(Time now);
  void conclude(Time now, const Status& status);
  Status judge(const Answer& answer) const;

  RestParts& parts_;
  ApiRequest request_;
  Mailbox& mailbox_;
  const std::size_t index_;
  HttpRequest http_;

  Phase phase_ = Phase::kWaiting;
  Time due_{};
  Time began_{};  // prepare()
  Time attempt_began_{};
  Time ends_at_ = Time::max();  // Set by the first attempt.
  int attempts_ = 0;
  std::string previous_error_;
  std::unique_ptr<Call> call_;
  Answer answer_;
  ApiResponse response_;
};

/// Runs all to their end.
[[nodiscard]] std::vector<ApiResponse> run_unary(RestParts& parts,
                                                 std::span<const ApiRequest> requests,
                                                 const std::stop_token& stop);

}  // namespace davit::host
