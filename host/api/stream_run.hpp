/// One long response, read by its caller as it arrives. Internal to host/api.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "host/api/driven_stream.hpp"
#include "host/api/rest_client.hpp"
#include "host/api/rest_parts.hpp"
#include "host/api/retry.hpp"

namespace davit::host {

/// The response of one request, until its caller has read it. If the transport allows it, the
/// reading thread drives the request; other transports fill it on their own threads, which a slow
/// reader delays.
///
/// Thread-safe; only one thread reads.
class StreamBuffer final : public ResponseReader {
 public:
  /// The bytes that a slow reader may leave unread before the server has to wait: enough to keep
  /// both threads busy.
  static constexpr std::size_t kUnreadBytesMax = 256 * 1024;

  struct Head {
    int http_status = 0;
    std::string content_type;
    std::optional<std::uint32_t> retry_after_seconds;
  };

  /// Posts `place` whenever there is something new to read.
  explicit StreamBuffer(LoopPlace place) : place_(place) {}

  enum class Piece { kNothing, kData, kEnd };
  /// Whether the head has come; kEnd: the request has ended without one.
  [[nodiscard]] Piece take_head(Head& out) EXCLUDES(mutex_);
  /// Moves all bytes that there are to `out`, which must be empty and keeps its capacity in
  /// circulation.
  [[nodiscard]] Piece take(std::string& out, Call& call) EXCLUDES(mutex_);
  /// Ends it, unless it has ended: the server has taken too long.
  void time_out() EXCLUDES(mutex_);
  /// Once the request has ended.
  [[nodiscard]] TransportEnd end() EXCLUDES(mutex_);

  void on_head(int status, const HttpHeaders& headers) override EXCLUDES(mutex_);
  Flow on_body(std::string_view chunk) override EXCLUDES(mutex_);
  void on_end(const TransportEnd& end) override EXCLUDES(mutex_);

 private:
  const LoopPlace place_;
  Mutex mutex_;
  std::optional<Head> head_ GUARDED_BY(mutex_);
  std::string unread_ GUARDED_BY(mutex_);
  std::optional<TransportEnd> end_ GUARDED_BY(mutex_);
  bool paused_ GUARDED_BY(mutex_) = false;
};

/// RestClient::stream() and open() for one request.
///
///                           kUnprepared
///         no credentials yet ▲       │ prepared()
///                            │       ▼
///   kThrottled ──token──▶ kBackingOff ──▶ kAwaitingHead ──accepted or refused──▶ kReading ──▶ over
///       ▲                                      │ lost          │ refused for now
///       └──────────────── kRetrying ◀──────────┴───────────────┘
///
/// A watch begins without a token.
class StreamRun final : public DrivenStream {
 public:
  /// `parts` outlives it. `sink` is called by proceed() only. Once `stop` is requested, the result
  /// is kCancelled.
  StreamRun(RestParts& parts, const ApiRequest& request, std::stop_token stop, LoopPlace place,
            RestClient::ChunkSink sink);

  [[nodiscard]] std::optional<Status> proceed() override;
  [[nodiscard]] Time due() const override;
  [[nodiscard]] bool must_prepare() const override;
  void prepared(const Status& status) override;

 private:
  enum class Phase { kThrottled, kBackingOff, kUnprepared, kAwaitingHead, kReading, kRetrying };
  struct Cancel {
    StreamRun& run;
    void operator()() const {
      run.is_cancelled_ = true;
      run.place_.post();
    }
  };

  /// One step of the phase; false when it must wait.
  [[nodiscard]] bool step(Time now);
  void join_line(Time now);
  [[nodiscard]] bool take_token(Time now);
  /// Begins an attempt, or waits for prepared().
  [[nodiscard]] bool may_begin(Time now);
  void begin_attempt(Time now);
  [[nodiscard]] bool read_head(Time now);
  [[nodiscard]] bool read(Time now);
  void read_end();
  Status use_piece();
  /// The server has refused the request. Decides whether it is repeated.
  void refused();
  /// The request was lost before a response began. Decides the same.
  void broken(const TransportEnd& end);
  /// The attempt ended so; without `delay` this is the result.
  void conclude(Status status, std::optional<Duration> delay);
  [[nodiscard]] bool is_watch() const { return request_.verb == Verb::kWatch; }
  [[nodiscard]] Status stopped() const;

  RestParts& parts_;
  const ApiRequest request_;
  const LoopPlace place_;
  const RestClient::ChunkSink sink_;
  HttpRequest http_;
  Phase phase_ = Phase::kThrottled;
  Time due_{};  // While it waits without a request.
  TokenBucket::Turn turn_;
  Time in_line_since_{};
  int retries_ = 0;
  std::string previous_error_;
  std::optional<Status> result_;

  // The attempt that runs.
  Time began_{};
  Time deadline_ = Time::max();
  StreamBuffer::Head head_;
  bool is_refused_ = false;
  bool has_more_ = false;  // It stopped reading before all was read.
  std::string piece_;
  std::string refusal_;  // Its body.
  std::optional<StreamBuffer> buffer_;
  std::unique_ptr<Call> call_;  // After the buffer, which it fills.

  std::atomic<bool> is_cancelled_ = false;  // The loop's mutex orders it.
  const std::stop_callback<Cancel> on_stop_;
  std::optional<std::stop_callback<Cancel>> on_hold_;  // A watch survives hold().
};

}  // namespace davit::host
